//! The op that returns the next batch of an iteration.
//!
//! TensorFlow makes a kernel for each of its iterators, and deletes it with the iterator. The input `state` selects the
//! iteration that continues: the one that returned this state last. There may be several iterations, because a dataset may be
//! used twice in one pipeline. If none returned the state, as after a checkpoint was restored, a new iteration loads it.

#![expect(clippy::disallowed_types, reason = "iterations of the op; TensorFlow does not run in a child")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arrowfeed_tensor::Tensors;

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::input::Strings;
use crate::kernel::Kernel;
use crate::op::Registered;
use crate::output::Outputs;
use crate::source::{Code, Failure, TensorSource, TensorStream};

/// Limit on the running iterations of one kernel. A further iteration ends the least recently used one, which starts again
/// from its state when it is needed.
const MAX_RUNNING: usize = 16;

/// Time in which a cancelled step is not tried again. TensorFlow continues to prefetch after an error, and waits for that.
const CANCELLED: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct NextBatch {
    /// The source, opened with the first batch, and kept because it counts the passes.
    opened: Mutex<Option<OpenSource>>,
    /// Running iterations, the most recently used one last.
    running: Mutex<Vec<Running>>,
    /// The last cancelled step.
    cancelled: Mutex<Option<Cancelled>>,
}

/// A cancelled step: the state where it began, and the time when it ended.
struct Cancelled {
    key: Vec<u8>,
    state: Vec<u8>,
    at: Instant,
    failure: Failure,
}

/// An open source and its key.
struct OpenSource {
    key: Vec<u8>,
    source: Arc<dyn TensorSource>,
}

/// An iteration over the source of a key, and its state.
struct Running {
    key: Vec<u8>,
    state: Vec<u8>,
    feed: Box<dyn TensorStream>,
}

/// Locks a mutex, also after a panic: a panic under the lock leaves no inconsistent data.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl NextBatch {
    /// Removes the iteration over the source of a key that continues at this state.
    fn take(&self, key: &[u8], state: &[u8]) -> Option<Running> {
        let mut running = lock(&self.running);
        let at = running.iter().position(|one| one.state == state && one.key == key)?;
        Some(running.remove(at))
    }

    fn source(
        &self,
        registered: &Registered,
        key: &[u8],
        config: &[u8],
    ) -> Result<Arc<dyn TensorSource>, Failure> {
        let mut opened = lock(&self.opened);
        if let Some(opened) = opened.as_ref().filter(|opened| opened.key == key) {
            return Ok(opened.source.clone());
        }
        let source = registered.open.source(&String::from_utf8_lossy(key), config)?;
        *opened = Some(OpenSource { key: key.to_vec(), source: source.clone() });
        Ok(source)
    }

    /// Returns the tensors of the next batch. Stores the failure of a cancelled step.
    fn next(&self, one: &mut Running) -> Result<Option<Tensors>, Failure> {
        one.feed.next().inspect_err(|failure| {
            if failure.code == Code::Cancelled {
                let (key, state) = (one.key.clone(), one.state.clone());
                let last = Cancelled { key, state, at: Instant::now(), failure: failure.clone() };
                *lock(&self.cancelled) = Some(last);
            }
        })
    }

    /// Fails if this step was cancelled less than [`CANCELLED`] ago.
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
        let oldest = (running.len() >= MAX_RUNNING).then(|| running.remove(0));
        running.push(one);
        drop(running);
        // The threads of the iteration end here, without the lock.
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
