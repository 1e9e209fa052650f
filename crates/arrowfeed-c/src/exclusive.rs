//! Values that one thread uses at a time.
#![expect(clippy::disallowed_types, reason = "a mutex on which only `try_lock` is called")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};

use arrowfeed::FeedError;

use crate::error::Error;

/// A value that one thread uses at a time. A lock finds out if two threads use it at once; it is never waited for.
pub(crate) struct Exclusive<T>(Mutex<Held<T>>);

struct Held<T> {
    value: T,
    /// The error of the last call.
    error: Option<Error>,
    /// The last call panicked, so the value may be in any state. Its error stays.
    is_broken: bool,
}

impl<T> Exclusive<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(Held { value, error: None, is_broken: false }))
    }

    /// Runs `work` and keeps its error. If it panics, this call and all later ones return the error of the panic. `None`:
    /// another thread uses the value.
    pub(crate) fn attempt<R>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, Error>,
    ) -> Option<Result<R, Error>> {
        let mut held = self.unused()?;
        let Held { value, error, is_broken } = &mut *held;
        if let (true, Some(error)) = (*is_broken, &*error) {
            return Some(Err(error.clone()));
        }
        let result = catch_unwind(AssertUnwindSafe(|| work(value)));
        *is_broken = result.is_err();
        let result = result.unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic).into()));
        *error = result.as_ref().err().cloned();
        Some(result)
    }

    /// Like [`attempt`](Self::attempt), with an error if another thread uses the value.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, Error> {
        self.attempt(work).unwrap_or_else(|| Err(in_use()))
    }

    /// Reads the error of the last call. `None`: another thread uses the value.
    pub(crate) fn last_error<R>(&self, read: impl FnOnce(Option<&Error>) -> R) -> Option<R> {
        Some(read(self.unused()?.error.as_ref()))
    }

    fn unused(&self) -> Option<MutexGuard<'_, Held<T>>> {
        match self.0.try_lock() {
            Ok(held) => Some(held),
            Err(TryLockError::Poisoned(held)) => Some(held.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// The error of a call while another thread uses the stream.
pub(crate) fn in_use() -> Error {
    Error::argument("stream: expected a stream that no other thread uses, found one in use")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn all_calls_after_a_panic_return_its_error() {
        let value = Exclusive::new(1);
        assert_eq!(value.with(|value| Ok(*value)).unwrap(), 1);
        let failed = value.with(|_| -> Result<(), Error> { panic!("a defect") }).unwrap_err();
        assert_eq!(failed.parts().kind, ErrorKind::Internal);
        let later = value.with(|value| Ok(*value)).unwrap_err();
        assert_eq!(later.parts().message, failed.parts().message);
        let last = value.last_error(|error| error.map(|error| error.parts().message.clone()));
        assert_eq!(last.flatten().as_ref(), Some(&failed.parts().message));
    }

    #[test]
    fn a_call_during_another_one_keeps_no_error() {
        let value = Exclusive::new(());
        value
            .with(|()| {
                assert!(value.attempt(|()| Ok(())).is_none());
                assert!(value.last_error(|_| ()).is_none());
                let message = &value.with(|()| Ok(())).unwrap_err().parts().message.clone();
                assert_eq!(
                    message.to_str().unwrap(),
                    "stream: expected a stream that no other thread uses, found one in use"
                );
                Ok(())
            })
            .unwrap();
        assert_eq!(value.last_error(|error| error.is_none()), Some(true));
    }
}
