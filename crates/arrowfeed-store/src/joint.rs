//! Work that several requests wait for, and that is done once.

use std::sync::Arc;

use arrowfeed_source::ForkLock;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use crate::failure::Failed;
use crate::process::PerProcess;

type Work<T> = BoxFuture<'static, Result<T, Failed>>;

/// Work that goes on as long as somebody waits for it. Those who come meanwhile get the same result.
pub(crate) struct Joint<T>(PerProcess<Running<T>>);

type Running<T> = Arc<ForkLock<Option<WeakShared<Work<T>>>>>;

impl<T: Clone> Joint<T> {
    pub(crate) const fn new() -> Self {
        Self(PerProcess::new())
    }

    /// Joins the work that goes on, or starts some. Work that has failed does not go on.
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
            // Without the lock nobody can join.
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
        let (joint, started) = (Joint::<usize>::new(), Arc::new(AtomicUsize::new(0)));
        let work = |fails: bool| {
            let started = started.clone();
            async move {
                let number = started.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(20)).await;
                if fails { Err(Failed::io(io::ErrorKind::Other, "no".to_owned())) } else { Ok(number) }
            }
            .boxed()
        };
        let both = || futures_util::future::join(joint.join(|| work(false)), joint.join(|| work(false)));
        let (a, b) = runtime.block_on(async { both().await });
        assert_eq!((a.ok(), b.ok()), (Some(0), Some(0)));
        let (a, b) = runtime.block_on(async { both().await });
        assert_eq!((a.ok(), b.ok()), (Some(1), Some(1)));
        assert!(runtime.block_on(joint.join(|| work(true))).is_err());
        assert_eq!(runtime.block_on(joint.join(|| work(false))).ok(), Some(3));
    }
}
