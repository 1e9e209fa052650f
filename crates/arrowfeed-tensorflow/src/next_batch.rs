//! The op that gives the next batch of an iteration.
//!
//! TensorFlow makes a kernel for each of its iterators, and deletes it with the iterator. The input of the op says which iteration
//! goes on: the one that gave this state last. There may be several: a dataset may be used twice in one pipeline. Where none
//! gave the state, as after a checkpoint was restored, a new iteration loads it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arrowfeed_tensor::Tensors;

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::feed::{Code, Failure, Feed, Source};
use crate::input::Strings;
use crate::kernel::Kernel;
use crate::op::Registered;
use crate::output::Outputs;

/// Iterations of one kernel that go on. The one that was used longest ago ends for a further one, and is started again from its
/// state where it is asked for.
const MOST_RUNNING: usize = 16;

/// Time in which a step that was cancelled is not tried again. TensorFlow prefetches on after an error, and waits for that.
const CANCELLED: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct NextBatch {
    /// Opened with the first batch, and kept: it counts the passes.
    opened: Mutex<Option<Opened>>,
    /// The one that was used last is the last.
    running: Mutex<Vec<Running>>,
    /// The last step that was cancelled.
    cancelled: Mutex<Option<Cancelled>>,
}

/// A step that was cancelled: where it began, and when it ended.
struct Cancelled {
    key: Vec<u8>,
    state: Vec<u8>,
    at: Instant,
    failure: Failure,
}

/// The source of a key.
struct Opened {
    key: Vec<u8>,
    source: Arc<dyn Source>,
}

/// An iteration over the source of a key, and its state.
struct Running {
    key: Vec<u8>,
    state: Vec<u8>,
    feed: Box<dyn Feed>,
}

/// A panic with the lock held leaves nothing half done.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl NextBatch {
    /// The iteration over the source of a key that goes on at this state.
    fn take(&self, key: &[u8], state: &[u8]) -> Option<Running> {
        let mut running = lock(&self.running);
        let at = running.iter().position(|one| one.state == state && one.key == key)?;
        Some(running.remove(at))
    }

    fn source(&self, registered: &Registered, key: &[u8], config: &[u8]) -> Result<Arc<dyn Source>, Failure> {
        let mut opened = lock(&self.opened);
        if let Some(opened) = opened.as_ref().filter(|opened| opened.key == key) {
            return Ok(opened.source.clone());
        }
        let source = registered.open.source(&String::from_utf8_lossy(key), config)?;
        *opened = Some(Opened { key: key.to_vec(), source: source.clone() });
        Ok(source)
    }

    /// The tensors of the next batch. Keeps the failure of a step that is cancelled.
    fn next(&self, one: &mut Running) -> Result<Option<Tensors>, Failure> {
        one.feed.next().inspect_err(|failure| {
            if failure.code == Code::Cancelled {
                let (key, state) = (one.key.clone(), one.state.clone());
                let last = Cancelled { key, state, at: Instant::now(), failure: failure.clone() };
                *lock(&self.cancelled) = Some(last);
            }
        })
    }

    /// An error if this step was cancelled a moment ago.
    fn check(&self, key: &[u8], state: &[u8]) -> Result<(), Failure> {
        let last = lock(&self.cancelled);
        match &*last {
            Some(last) if last.state == state && last.key == key && last.at.elapsed() < CANCELLED => {
                Err(last.failure.clone())
            }
            _ => Ok(()),
        }
    }

    /// Keeps an iteration for its next batch.
    fn put(&self, one: Running) {
        let mut running = lock(&self.running);
        let oldest = (running.len() >= MOST_RUNNING).then(|| running.remove(0));
        running.push(one);
        drop(running);
        // Its threads end here, without the lock.
        drop(oldest);
    }
}

impl Kernel for NextBatch {
    fn new(_: &Api, _: *mut OpKernelConstruction) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    fn step(&self, registered: &Registered, context: *mut OpKernelContext) -> Result<(), Failure> {
        let api = &registered.api;
        let state = Strings::input(api, context, 0, "state", 0)?;
        let key = Strings::input(api, context, 1, "key", 0)?;
        let (state, key) = (state.first(), key.first());
        self.check(key, state)?;
        let mut one = match self.take(key, state) {
            Some(one) => one,
            None => {
                let config = Strings::input(api, context, 2, "config", 0)?;
                let feed = self.source(registered, key, config.first())?.start(state)?;
                Running { key: key.to_vec(), state: state.to_vec(), feed }
            }
        };
        let Some(tensors) = self.next(&mut one)? else {
            return Err(Failure::new(Code::OutOfRange, "End of sequence"));
        };
        one.state = one.feed.state()?;
        let mut outputs = Outputs::new(api, context);
        outputs.string(&one.state)?;
        outputs.tensors(&tensors)?;
        self.put(one);
        outputs.finish()
    }
}
