//! Conversion of a failed allocation into an error.
//!
//! The decoding loops make room in columns without returning a `Result`, so a column that cannot grow unwinds the stack.
//! Readers catch the unwinding with [`caught`].

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrow_schema::ArrowError;
use arrowfeed_select::TooLittleMemory;

use crate::{FeedError, counted};

/// The unwind payload of a failed allocation of `bytes` bytes.
#[derive(Debug, Clone, Copy)]
pub struct MemoryExhausted {
    bytes: usize,
}

impl MemoryExhausted {
    /// Unwinds without printing a panic message.
    #[cold]
    pub fn unwind(bytes: usize) -> ! {
        resume_unwind(Box::new(Self { bytes }))
    }

    /// The error of the call that needed the memory.
    pub fn error(self) -> FeedError {
        let bytes = counted(self.bytes as u64, "byte");
        let message =
            format!("expected {bytes} of memory for a column, found too little memory: read smaller batches");
        FeedError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
    }
}

/// Runs `work` and returns an error if it unwinds because of a failed allocation. Other panics continue to unwind.
pub fn caught<T>(work: impl FnOnce() -> Result<T, FeedError>) -> Result<T, FeedError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        match panic.downcast_ref::<MemoryExhausted>() {
            Some(exhausted) => Err(exhausted.error()),
            None => resume_unwind(panic),
        }
    })
}

/// The error of a copy of rows: of a failed allocation, or else the one that `other` makes.
#[cold]
pub fn copy_error(error: ArrowError, other: impl FnOnce() -> FeedError) -> FeedError {
    match out_of_memory(&error) {
        Some(error) => error,
        None => other().with_source(error),
    }
}

/// The error of a copy for which there is not enough memory; `None` for other errors.
#[cold]
pub fn out_of_memory(error: &ArrowError) -> Option<FeedError> {
    exhausted(error).map(MemoryExhausted::error)
}

/// Returns a copy that fails for lack of memory only, and unwinds then, as a column that cannot grow. `why`: the reason.
///
/// # Panics
/// The copy fails for another reason.
pub fn copied<T>(copy: Result<T, ArrowError>, why: &str) -> T {
    match copy {
        Ok(copy) => copy,
        Err(error) => match exhausted(&error) {
            Some(MemoryExhausted { bytes }) => MemoryExhausted::unwind(bytes),
            None => panic!("{why}: {error}"),
        },
    }
}

fn exhausted(error: &ArrowError) -> Option<MemoryExhausted> {
    let ArrowError::IoError(_, error) = error else { return None };
    let &TooLittleMemory { bytes } = error.get_ref()?.downcast_ref()?;
    Some(MemoryExhausted { bytes })
}

/// Each of some batches fits one batch but all together do not, for example if a column has more than 2 GiB of text.
#[cold]
pub fn not_joined(rows: usize, error: ArrowError) -> FeedError {
    copy_error(error, || {
        let message = format!(
            "expected {rows} rows to fit into one batch, found more than a column can hold: use a smaller batch_size"
        );
        FeedError::limit_reached("batch_bytes", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        let error = caught::<()>(|| MemoryExhausted::unwind(1_000_000)).unwrap_err();
        let message =
            "expected 1,000,000 bytes of memory for a column, found too little memory: read smaller batches";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn another_panic_is_propagated() {
        let panic = catch_unwind(|| caught::<()>(|| resume_unwind(Box::new("other"))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"other"));
    }
}
