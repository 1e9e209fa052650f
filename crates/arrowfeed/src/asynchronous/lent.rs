//! A value whose methods wait, and therefore run on another thread, one call at a time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

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

    /// Starts a call, unless one is in progress. Does nothing if the value is gone.
    pub(super) fn start(&mut self, call: impl FnOnce(&mut T) -> R + Send + 'static) {
        *self = match std::mem::replace(self, Self::Gone) {
            Self::Here(mut value) => Self::Away(blocking::unblock(move || {
                let result = call(&mut value);
                (value, result)
            })),
            other => other,
        };
    }

    /// Polls the call in progress. `None`: there is none.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<R>> {
        let Self::Away(task) = self else { return Poll::Ready(None) };
        let (value, result) = ready!(Pin::new(task).poll(context));
        *self = Self::Here(value);
        Poll::Ready(Some(result))
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
