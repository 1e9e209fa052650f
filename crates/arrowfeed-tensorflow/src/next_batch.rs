//! The op that gives the next batch of an iteration.
//!
//! TensorFlow makes a kernel for each of its iterators, and deletes it with the iterator. The input of the op says which iteration
//! goes on: the one that gave this state last. There may be several: a dataset may be used twice in one pipeline. Where none
//! gave the state, as after a checkpoint was restored, a new iteration loads it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::feed::{Code, Failure, Feed};
use crate::input::Strings;
use crate::kernel::Kernel;
use crate::op::Registered;
use crate::output::Outputs;

/// Iterations of one kernel that go on. The one that was used longest ago ends for a further one, and is started again from its
/// state where it is asked for.
const MOST_RUNNING: usize = 16;

#[derive(Default)]
pub(crate) struct NextBatch {
    /// The one that was used last is the last.
    running: Mutex<Vec<Running>>,
}

/// An iteration over the source of a key, and its state.
struct Running {
    key: Vec<u8>,
    state: Vec<u8>,
    feed: Box<dyn Feed>,
}

impl NextBatch {
    fn lock(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The iteration over the source of a key that goes on at this state.
    fn take(&self, key: &[u8], state: &[u8]) -> Option<Running> {
        let mut running = self.lock();
        let at = running.iter().position(|one| one.state == state && one.key == key)?;
        Some(running.remove(at))
    }

    /// Keeps an iteration for its next batch.
    fn put(&self, one: Running) {
        let mut running = self.lock();
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
        let state = Strings::scalar(api, context, 0, "state")?;
        let key = Strings::scalar(api, context, 1, "key")?;
        let mut one = match self.take(&key, &state) {
            Some(one) => one,
            None => {
                let config = Strings::input(api, context, 2, "config", 0)?;
                let config = config.iter().next().unwrap_or_default();
                let source = registered.open.source(&String::from_utf8_lossy(&key), config)?;
                Running { key, feed: source.start(&state)?, state }
            }
        };
        let Some(tensors) = one.feed.next()? else {
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
