//! Errors for rows that differ from the index, for rows that do not add up, and for rows that memory cannot hold.

use std::io;

use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::{FeedError, FeedErrorKind, counted, thousands};

/// A vector with the capacity for one item per row.
///
/// # Errors
/// There is not enough memory.
pub(crate) fn room<T>(rows: usize) -> Result<Vec<T>, FeedError> {
    let mut made = Vec::new();
    made.try_reserve_exact(rows).map_err(|_| no_room::<T>(rows))?;
    Ok(made)
}

#[cold]
pub(crate) fn no_room<T>(rows: usize) -> FeedError {
    let bytes = counted(rows.saturating_mul(size_of::<T>()) as u64, "byte");
    let message = format!(
        "expected {bytes} of memory for rows of a shuffle, found too little memory: shuffle fewer rows"
    );
    FeedError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
}

#[cold]
pub(crate) fn more_rows(expected: u64) -> FeedError {
    let message = format!("expected {}, as in the index, found more", counted(expected, "row"));
    FeedError::new(FeedErrorKind::Changed, message)
}

#[cold]
pub(crate) fn other_chunk(found: &RowOrigin) -> FeedError {
    let message = "expected a block of the index, found one that is not in it";
    FeedError::new(FeedErrorKind::Changed, message).in_block(found.chunk, found.offset)
}

/// The engine has lost rows, or has rows that it should not have. `of`: the rows that are counted.
#[cold]
pub(crate) fn miscounted(expected: u64, of: &str, found: u64) -> FeedError {
    FeedError::defect(format!("expected {} {of}, found {}", counted(expected, "row"), thousands(found)))
}
