//! Detection of calls of two threads at once. A lock finds them out; it is never waited for.
#![expect(clippy::disallowed_types, reason = "a mutex on which only `try_lock` is called")]

use std::sync::{Mutex, MutexGuard, TryLockError};

/// The message of a call during another one.
pub(crate) const IN_USE: &str = "stream: expected a stream that no other thread uses, found one in use";

/// The value, unless a call of another thread has it.
pub(crate) fn unused<T>(value: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match value.try_lock() {
        Ok(value) => Some(value),
        Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
