//! The error for an allocation that fails.
//!
//! The loops that decode append to columns without a result, so a column that cannot grow unwinds. Readers catch it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::error::{AvroError, counted};

/// The payload of an unwinding: so many bytes could not be allocated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryExhausted {
    bytes: usize,
}

impl MemoryExhausted {
    /// Unwinds without the message of a panic.
    #[cold]
    pub(super) fn unwind(bytes: usize) -> ! {
        resume_unwind(Box::new(Self { bytes }))
    }

    pub(crate) fn error(self) -> AvroError {
        let bytes = counted(self.bytes as u64, "byte");
        let message =
            format!("expected {bytes} of memory for a column, found no more memory: read smaller batches");
        AvroError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
    }
}

/// Runs `work`, and gives an error if it unwinds for lack of memory. Any other panic goes on.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, AvroError>) -> Result<T, AvroError> {
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
    use crate::memory::Values;

    #[test]
    fn a_column_that_cannot_grow_is_an_error_and_keeps_its_values() {
        let mut values = Values::<i64>::new();
        values.push_n(7, 3);
        for n in [1 << 57, usize::MAX / 8, usize::MAX] {
            let error = caught(|| {
                values.reserve(n);
                Ok(())
            });
            let error = error.unwrap_err();
            assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::OutOfMemory));
            assert!(!error.is_of_the_file());
            assert_eq!(values.as_slice(), [7, 7, 7]);
        }
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
