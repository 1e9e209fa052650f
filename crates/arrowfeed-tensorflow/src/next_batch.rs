//! The op that gives the next batch of an iteration.
//!
//! TensorFlow makes a kernel for each of its iterators, and deletes it with the iterator. The input of the op says which iteration
//! goes on: the one that gave this state last. There may be several: a dataset may be used twice in one pipeline. Where none
//! gave the state, as after a checkpoint was restored, a new iteration loads it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::feed::{Code, Failure, Feed, Source};
use crate::input::Strings;
use crate::kernel::{Kernel, attribute};
use crate::op::Registered;
use crate::output::Outputs;

/// Iterations of one kernel that go on. The one that was used longest ago ends for a further one, and is started again from its
/// state where it is asked for.
const MOST_RUNNING: usize = 16;

pub(crate) struct NextBatch {
    key: String,
    config: Vec<u8>,
    /// Opened with the first batch.
    source: Mutex<Option<Arc<dyn Source>>>,
    /// The one that was used last is the last.
    running: Mutex<Vec<Running>>,
}

/// An iteration, and its state.
struct Running {
    state: Vec<u8>,
    feed: Box<dyn Feed>,
}

impl NextBatch {
    fn lock(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The iteration that goes on at this state.
    fn take(&self, state: Vec<u8>, open: &Registered) -> Result<Running, Failure> {
        let mut running = self.lock();
        if let Some(at) = running.iter().position(|one| one.state == state) {
            return Ok(running.remove(at));
        }
        drop(running);
        let feed = self.source(open)?.start(&state)?;
        Ok(Running { state, feed })
    }

    fn source(&self, open: &Registered) -> Result<Arc<dyn Source>, Failure> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = &*source {
            return Ok(source.clone());
        }
        Ok(source.insert(open.open.source(&self.key, &self.config)?).clone())
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
    fn new(api: &Api, construction: *mut OpKernelConstruction) -> Result<Self, Failure> {
        let key = attribute(api, construction, c"key")?;
        let config = attribute(api, construction, c"config")?;
        let key = String::from_utf8_lossy(&key).into_owned();
        Ok(Self { key, config, source: Mutex::default(), running: Mutex::default() })
    }

    fn step(&self, registered: &Registered, context: *mut OpKernelContext) -> Result<(), Failure> {
        let api = &registered.api;
        let state = Strings::input(api, context, "state", 0)?;
        let state = state.iter().next().unwrap_or_default().to_vec();
        let mut one = self.take(state, registered)?;
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
