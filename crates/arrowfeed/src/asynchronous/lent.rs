//! A value whose methods wait, and therefore run on another thread, one call at a time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use blocking::Task;

/// A value, or the call that has it.
pub(super) enum Lent<T, R> {
    Here(Box<T>),
    Away(Task<(Box<T>, R)>),
    /// A call has panicked, or has taken the value.
    Gone,
}

impl<T: Send + 'static, R: Send + 'static> Lent<T, R> {
    pub(super) fn new(value: T) -> Self {
        Self::Here(Box::new(value))
    }

    /// Starts a call, unless one is in progress. Returns whether a call is in progress then; none is if the value is gone.
    pub(super) fn start(&mut self, call: impl FnOnce(&mut T) -> R + Send + 'static) -> bool {
        *self = match std::mem::replace(self, Self::Gone) {
            Self::Here(mut value) => Self::Away(blocking::unblock(move || {
                let result = call(&mut value);
                (value, result)
            })),
            other => other,
        };
        matches!(self, Self::Away(_))
    }

    /// Polls the call in progress. `None`: there is none.
    ///
    /// # Panics
    /// The call has panicked. The value is gone then.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<R>> {
        match std::mem::replace(self, Self::Gone) {
            Self::Away(mut task) => match Pin::new(&mut task).poll(context) {
                Poll::Pending => {
                    *self = Self::Away(task);
                    Poll::Pending
                }
                Poll::Ready((value, result)) => {
                    *self = Self::Here(value);
                    Poll::Ready(Some(result))
                }
            },
            other => {
                *self = other;
                Poll::Ready(None)
            }
        }
    }

    /// The value, unless a call is in progress.
    pub(super) fn get(&mut self) -> Option<&mut T> {
        if let Self::Here(value) = self { Some(value) } else { None }
    }

    /// Takes the value, unless a call is in progress.
    pub(super) fn take(&mut self) -> Option<Box<T>> {
        match std::mem::replace(self, Self::Gone) {
            Self::Here(value) => Some(value),
            other => {
                *self = other;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use futures_executor::block_on;

    use super::*;

    #[test]
    fn a_value_is_gone_after_a_panic() {
        let mut lent = Lent::<i32, i32>::new(1);
        assert!(lent.start(|value| *value + 1));
        assert_eq!(block_on(poll_fn(|context| lent.poll(context))), Some(2));
        assert!(lent.start(|_| panic!("a defect")));
        let poll = AssertUnwindSafe(|| block_on(poll_fn(|context| lent.poll(context))));
        catch_unwind(poll).unwrap_err();
        assert!(!lent.start(|value| *value));
        assert_eq!(block_on(poll_fn(|context| lent.poll(context))), None);
        assert!(lent.get().is_none() && lent.take().is_none());
    }
}
