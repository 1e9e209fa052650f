//! Errors for rows that differ from the index, and for rows that memory cannot hold.

use std::io;

use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::{FeedError, FeedErrorKind, counted};

/// A vector with the capacity for one item per row.
///
/// # Errors
/// There is not enough memory.
pub(super) fn room<T>(rows: usize) -> Result<Vec<T>, FeedError> {
    let mut made = Vec::new();
    made.try_reserve_exact(rows).map_err(|_| no_room::<T>(rows))?;
    Ok(made)
}

#[cold]
pub(super) fn no_room<T>(rows: usize) -> FeedError {
    let bytes = counted(rows.saturating_mul(size_of::<T>()) as u64, "byte");
    let message = format!(
        "expected {bytes} of memory for rows of a shuffle, found too little memory: shuffle fewer rows"
    );
    FeedError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
}

#[cold]
pub(super) fn more_rows(expected: u64) -> FeedError {
    let message = format!("expected {}, as in the index, found more", counted(expected, "row"));
    FeedError::new(FeedErrorKind::Changed, message)
}

#[cold]
pub(super) fn other_chunk(found: &RowOrigin) -> FeedError {
    let message = "expected a block of the index, found one that is not in it";
    FeedError::new(FeedErrorKind::Changed, message).in_block(found.chunk, found.offset)
}
