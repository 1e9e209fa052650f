//! Shared futures: several requests wait for the same work.

use std::sync::Arc;

use arrowfeed_source::ForkLock;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use crate::failure::Failed;
use crate::process::PerProcess;

type Work<T> = BoxFuture<'static, Result<T, Failed>>;

/// Work that runs while at least one caller waits for it. Callers that join in the meantime get the same result.
pub(crate) struct SharedWork<T>(PerProcess<Running<T>>);

type Running<T> = Arc<ForkLock<Option<WeakShared<Work<T>>>>>;

impl<T: Clone> SharedWork<T> {
    pub(crate) const fn new() -> Self {
        Self(PerProcess::new())
    }

    /// Joins the running work, or starts it. Failed work counts as not running.
    pub(crate) async fn join(&self, start: impl FnOnce() -> Work<T>) -> Result<T, Failed> {
        let slot = self.0.get_or(|| Ok::<_, Failed>(Arc::new(ForkLock::new(None))))?;
        let mut start = Some(start);
        let joined = slot.with(|running| {
            let goes_on = |work: &Shared<Work<T>>| !matches!(work.peek(), Some(Err(_)));
            if let Some(work) = running.as_ref().and_then(WeakShared::upgrade).filter(goes_on) {
                return Some(work);
            }
            let work = start.take()?().shared();
            *running = work.downgrade();
            Some(work)
        });
        match (joined.flatten(), start) {
            (Some(work), _) => work.await,
            // Without the lock, no other caller can join.
            (None, Some(start)) => start().await,
            (None, None) => {
                Err(Failed::io(std::io::ErrorKind::Other, "expected work, found none".to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_is_shared_and_started_again_after_an_error() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (shared_work, started) = (SharedWork::<usize>::new(), Arc::new(AtomicUsize::new(0)));
        let work = |fails: bool| {
            let started = started.clone();
            async move {
                let number = started.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(20)).await;
                if fails { Err(Failed::io(io::ErrorKind::Other, "no".to_owned())) } else { Ok(number) }
            }
            .boxed()
        };
        let both =
            || futures_util::future::join(shared_work.join(|| work(false)), shared_work.join(|| work(false)));
        let (a, b) = runtime.block_on(async { both().await });
        assert_eq!((a.ok(), b.ok()), (Some(0), Some(0)));
        let (a, b) = runtime.block_on(async { both().await });
        assert_eq!((a.ok(), b.ok()), (Some(1), Some(1)));
        assert!(runtime.block_on(shared_work.join(|| work(true))).is_err());
        assert_eq!(runtime.block_on(shared_work.join(|| work(false))).ok(), Some(3));
    }
}
