//! Threads that process requests: one tokio runtime for each process.

use std::future::Future;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrowfeed_source::FeedError;
use futures_util::FutureExt;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

use crate::process::PerProcess;

/// Number of threads of the runtime. They copy bytes from sockets, and decrypt them.
const WORKERS: usize = 2;

static RUNTIME: PerProcess<Arc<Threads>> = PerProcess::new();

/// Dropped only if two threads have created a runtime at the same time.
struct Threads(Option<Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// The runtime of this process.
///
/// # Errors
/// The system cannot create more threads.
pub(crate) fn handle() -> Result<Handle, FeedError> {
    let threads = RUNTIME.get_or(|| {
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("arrowfeed-store")
            .enable_all()
            .build();
        runtime.map(|runtime| Arc::new(Threads(Some(runtime)))).map_err(FeedError::io)
    })?;
    let runtime = threads.0.as_ref().map(Runtime::handle).cloned();
    runtime.ok_or_else(|| FeedError::io(io::Error::other("expected a runtime, found none")))
}

/// Runs a future in the runtime. A panic in it becomes an error.
pub(crate) fn spawn_on<T: Send + 'static>(
    runtime: &Handle,
    future: impl Future<Output = Result<T, FeedError>> + Send + 'static,
    done: impl FnOnce(Result<T, FeedError>) + Send + 'static,
) -> Task {
    let caught = AssertUnwindSafe(future).catch_unwind();
    let task = runtime.spawn(async move {
        done(caught.await.unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic))));
    });
    Task { process: std::process::id(), abort: Some(task.abort_handle()) }
}

/// A running future, which is aborted when this guard is dropped. Dropping does not wait.
pub(crate) struct Task {
    process: u32,
    abort: Option<AbortHandle>,
}

impl Drop for Task {
    fn drop(&mut self) {
        let Some(abort) = self.abort.take() else { return };
        if self.process == std::process::id() {
            abort.abort();
        } else {
            // The runtime of the parent has locks that may never be released in this process.
            std::mem::forget(abort);
        }
    }
}
