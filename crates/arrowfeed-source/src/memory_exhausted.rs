//! Conversion of a failed allocation into an error.
//!
//! The decoding loops make room in columns without returning a `Result`, so a column that cannot grow unwinds the stack.
//! Readers catch the unwinding with [`caught`].

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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
