//! Blocking work on threads of tokio, which stops when nobody waits for its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrowfeed::FeedError;
use arrowfeed::source::{Interrupt, interrupt_or};
use datafusion_common::{DataFusionError, Result};

use crate::error::external;

/// Tells blocking work to stop when it is dropped.
#[derive(Default)]
pub(crate) struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl StopOnDrop {
    /// Runs blocking work on a thread of tokio. The work, and what it starts, is cancelled by the interrupt that it receives.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Interrupt) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let interrupt = interrupt_or(self.0.clone(), None);
        let done = tokio::task::spawn_blocking(move || work(interrupt)).await;
        done.map_err(|error| DataFusionError::External(Box::new(error)))?
    }
}

/// Runs blocking work on a thread of tokio. The work is cancelled when the future is dropped.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&Interrupt) -> Result<T, FeedError> + Send + 'static,
) -> Result<T> {
    StopOnDrop::default().run(move |interrupt| work(&interrupt).map_err(external)).await
}
