//! Blocking calls that wait for the runtime and poll the caller's interrupt.

#![expect(
    clippy::disallowed_methods,
    reason = "the result of a request, which exists only during the call that waits for it"
)]

use std::future::Future;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, POLL_INTERVAL, stopped};

use crate::runtime;

/// Runs a future in the runtime and waits for its result. The interrupt is called by the calling thread; when it
/// returns true, the future is dropped.
///
/// # Errors
/// Errors of the future; `interrupt` returned true; the system cannot create more threads.
pub(crate) fn run<T: Send + 'static>(
    interrupt: Option<&Interrupt>,
    future: impl Future<Output = Result<T, FeedError>> + Send + 'static,
) -> Result<T, FeedError> {
    wait(interrupt, None, future)
}

/// Like [`run`], with a time limit. `None`: the limit was reached.
pub(crate) fn run_within<T: Send + 'static>(
    time: Duration,
    future: impl Future<Output = Result<T, FeedError>> + Send + 'static,
) -> Option<Result<T, FeedError>> {
    let result = wait(None, Instant::now().checked_add(time), future);
    (!matches!(&result, Err(error) if error.kind() == FeedErrorKind::Interrupted)).then_some(result)
}

fn wait<T: Send + 'static>(
    interrupt: Option<&Interrupt>,
    until: Option<Instant>,
    future: impl Future<Output = Result<T, FeedError>> + Send + 'static,
) -> Result<T, FeedError> {
    let (send, receive) = mpsc::channel();
    let _task = runtime::spawn_on(&runtime::handle()?, future, move |result| {
        let _ = send.send(result);
    });
    loop {
        match receive.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {
                let is_over = until.is_some_and(|until| Instant::now() >= until);
                if is_over || interrupt.is_some_and(|interrupt| interrupt()) {
                    return Err(stopped());
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = "a defect of this library, please report it: a task ended without a result";
                return Err(FeedError::new(FeedErrorKind::Internal, message));
            }
        }
    }
}
