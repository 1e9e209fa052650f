//! Calls that wait for the runtime, and ask meanwhile whether the caller wants to stop.

use std::future::Future;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, stopped};

use crate::runtime;

/// Time between two questions to the interrupt.
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs a future in the runtime and waits for its result. The interrupt is asked in the calling thread; when it says
/// to stop, the future is dropped.
///
/// # Errors
/// Those of the future; the caller wants to stop; the system has no more threads.
pub(crate) fn run<T: Send + 'static>(
    interrupt: Option<&Interrupt>,
    future: impl Future<Output = Result<T, FeedError>> + Send + 'static,
) -> Result<T, FeedError> {
    wait(interrupt, None, future)
}

/// As [`run`], for so long at most. `None`: the time is over.
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
        match receive.recv_timeout(PATIENCE) {
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
