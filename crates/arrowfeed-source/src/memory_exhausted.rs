//! The error for an allocation that fails.
//!
//! The loops that decode append to columns without a result, so a column that cannot grow unwinds. Readers catch it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::{FeedError, counted};

/// The payload of an unwinding: so many bytes could not be allocated.
#[derive(Debug, Clone, Copy)]
pub struct MemoryExhausted {
    bytes: usize,
}

impl MemoryExhausted {
    /// Unwinds without the message of a panic.
    #[cold]
    pub fn unwind(bytes: usize) -> ! {
        resume_unwind(Box::new(Self { bytes }))
    }

    /// The error of the call that needed the memory.
    pub fn error(self) -> FeedError {
        let bytes = counted(self.bytes as u64, "byte");
        let message =
            format!("expected {bytes} of memory for a column, found no more memory: read smaller batches");
        FeedError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
    }
}

/// Runs `work`, and gives an error if it unwinds for lack of memory. Any other panic goes on.
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
            "expected 1,000,000 bytes of memory for a column, found no more memory: read smaller batches";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn another_panic_goes_on() {
        let panic = catch_unwind(|| caught::<()>(|| resume_unwind(Box::new("other"))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"other"));
    }
}
