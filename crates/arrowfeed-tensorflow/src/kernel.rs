//! The state of the op in a graph that runs, and its step.
//!
//! TensorFlow makes a kernel for each of its iterators, and deletes it with the iterator. The input of the op says which iteration
//! goes on: the one that gave this state last. There may be several: a dataset may be used twice in one pipeline. Where none
//! gave the state, as after a checkpoint was restored, a new iteration loads it.
//!
//! Unsafe: TensorFlow calls with what it was given: an address of a `Kernel`, until `delete`, and a context for the call. No panic
//! leaves these functions.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::feed::{Code, Failure, Feed, Source};
use crate::op::{Registered, registered};
use crate::output::Outputs;
use crate::status::Status;

/// Iterations of one kernel that go on. The one that was used longest ago ends for a further one, and is started again from its
/// state where it is asked for.
const MOST_RUNNING: usize = 16;

struct Kernel {
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

impl Kernel {
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
        let given = (!state.is_empty()).then_some(state.as_slice());
        let feed = self.source(open)?.start(given)?;
        Ok(Running { state, feed })
    }

    fn source(&self, open: &Registered) -> Result<Arc<dyn Source>, Failure> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = &*source {
            return Ok(source.clone());
        }
        Ok(source.insert((open.open)(&self.key, &self.config)?).clone())
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

    fn step(&self, registered: &Registered, context: *mut OpKernelContext) -> Result<(), Failure> {
        let api = &registered.api;
        let state = input(api, context)?;
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

/// The state that the op is called with.
fn input(api: &Api, context: *mut OpKernelContext) -> Result<Vec<u8>, Failure> {
    let status = Status::new(api);
    let mut tensor = ptr::null_mut();
    // SAFETY: the context is that of the call.
    unsafe { (api.get_input)(context, 0, &raw mut tensor, status.as_ptr()) };
    status.check()?;
    // SAFETY: the tensor is ours until it is deleted.
    let state = unsafe {
        let state = api.scalar_string(tensor);
        (api.delete_tensor)(tensor);
        state
    };
    state.ok_or_else(|| {
        Failure::new(Code::InvalidArgument, "state: expected one string, found another tensor")
    })
}

/// An attribute that is a string.
fn attribute(api: &Api, construction: *mut OpKernelConstruction, name: &CStr) -> Result<Vec<u8>, Failure> {
    let status = Status::new(api);
    let (mut list, mut total) = (0, 0);
    // SAFETY: the construction is that of the call, and there is room for the bytes of the attribute.
    let bytes = unsafe {
        (api.get_attr_size)(construction, name.as_ptr(), &raw mut list, &raw mut total, status.as_ptr());
        status.check()?;
        let mut bytes = vec![0_u8; usize::try_from(total).unwrap_or(0)];
        let place = bytes.as_mut_ptr().cast::<c_char>();
        (api.get_attr_string)(construction, name.as_ptr(), place, bytes.len(), status.as_ptr());
        bytes
    };
    status.check()?;
    Ok(bytes)
}

fn created(api: &Api, construction: *mut OpKernelConstruction) -> Result<Box<Kernel>, Failure> {
    let key = attribute(api, construction, c"key")?;
    let config = attribute(api, construction, c"config")?;
    let key = String::from_utf8_lossy(&key).into_owned();
    Ok(Box::new(Kernel { key, config, source: Mutex::default(), running: Mutex::default() }))
}

/// A panic is a defect of the library.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Failure::new(Code::Internal, format!("a defect of arrowfeed: {text}")))
    })
}

pub(crate) unsafe extern "C" fn create(construction: *mut OpKernelConstruction) -> *mut c_void {
    let Some(Registered { api, .. }) = registered() else { return ptr::null_mut() };
    match caught(|| created(api, construction)) {
        Ok(kernel) => Box::into_raw(kernel).cast(),
        Err(failure) => {
            let status = Status::new(api);
            status.set(&failure);
            // SAFETY: see above.
            unsafe { (api.construction_failure)(construction, status.as_ptr()) };
            ptr::null_mut()
        }
    }
}

pub(crate) unsafe extern "C" fn compute(kernel: *mut c_void, context: *mut OpKernelContext) {
    // SAFETY: see above. Several threads may call at once: a kernel is shared.
    let (Some(kernel), Some(registered)) = (unsafe { kernel.cast::<Kernel>().as_ref() }, registered()) else {
        return;
    };
    if let Err(failure) = caught(|| kernel.step(registered, context)) {
        let status = Status::new(&registered.api);
        status.set(&failure);
        // SAFETY: see above.
        unsafe { (registered.api.context_failure)(context, status.as_ptr()) };
    }
}

pub(crate) unsafe extern "C" fn delete(kernel: *mut c_void) {
    if !kernel.is_null() {
        // SAFETY: `create` made it, and TensorFlow has let go of it.
        let kernel = unsafe { Box::from_raw(kernel.cast::<Kernel>()) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(kernel)));
    }
}
