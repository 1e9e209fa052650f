//! What the op of TensorFlow iterates over: datasets of this process, by key, and those that a graph has brought along.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arrowfeed::dataset::TensorIterator;
use arrowfeed::tensor::Tensors;
use arrowfeed::{DatasetError, FeedError, FeedErrorKind, IterationOptions};
use arrowfeed_tensorflow::{Code, Failure, Feed, Source};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::base::Dataset;
use super::options::iteration_options;
use crate::errors::dataset_error;
use crate::shutdown::call_method;
use crate::signals;

/// Where the functions that the op calls in Python are.
const MODULE: &str = "arrowfeed._tensorflow.op";

/// The sources that this process holds, by key.
static HELD: Mutex<Option<HashMap<String, Weak<Passes>>>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<HashMap<String, Weak<Passes>>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[doc = docs!(TensorFlowSource)]
#[pyclass(module = "arrowfeed._arrowfeed", frozen)]
pub(crate) struct TensorFlowSource {
    key: String,
    passes: Arc<Passes>,
}

/// Passes over a dataset.
struct Passes {
    dataset: arrowfeed::Dataset,
    options: IterationOptions,
    /// Number of the next one.
    next: AtomicU64,
}

/// One pass, and its number.
struct Pass {
    number: u64,
    tensors: TensorIterator,
}

#[pymethods]
impl TensorFlowSource {
    #[new]
    #[pyo3(signature = (key, dataset, **options))]
    fn new(key: String, dataset: &Bound<'_, Dataset>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        signals::notice_main_thread(dataset.py())?;
        let options = IterationOptions {
            interrupt: Some(signals::interrupt()),
            ..iteration_options("to_tf", options)?
        };
        let dataset = dataset.get().dataset().clone();
        let passes = Arc::new(Passes { dataset, options, next: AtomicU64::new(0) });
        held().get_or_insert_default().insert(key.clone(), Arc::downgrade(&passes));
        Ok(Self { key, passes })
    }

    #[doc = docs!(TensorFlowSource.next_pass)]
    fn next_pass(&self) -> u64 {
        self.passes.next.fetch_add(1, Ordering::Relaxed)
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.TensorFlowSource of batches of {}>", self.passes.options.batch_size)
    }
}

impl Drop for TensorFlowSource {
    fn drop(&mut self) {
        // In the child of a fork another thread may have held the lock. What stays is a key and a pointer to nothing.
        if let Ok(mut held) = HELD.try_lock()
            && let Some(held) = &mut *held
        {
            held.remove(&self.key);
        }
    }
}

impl Source for Passes {
    fn start(&self, state: Option<&[u8]>) -> Result<Box<dyn Feed>, Failure> {
        let (number, state) = match state {
            None => (self.next.fetch_add(1, Ordering::Relaxed), None),
            Some(state) => {
                let (number, state) = parsed(state)?;
                (number, Some(state))
            }
        };
        // With a seed, each pass has an order of its own: its epochs are those after the epochs of the passes before it.
        let ordered = self.options.shuffle_buffer_size > 0 && self.options.seed.is_some();
        let before = if ordered { number } else { 0 };
        let each = self.options.epochs.map_or(1, NonZeroU64::get);
        let epochs =
            self.options.epochs.map(|epochs| epochs.saturating_mul(NonZeroU64::MIN.saturating_add(before)));
        let mut tensors =
            self.dataset.tensors(IterationOptions { epochs, ..self.options.clone() }).map_err(failure)?;
        match state {
            None if before > 0 => tensors.start_at_epoch(each.saturating_mul(before)),
            None => {}
            Some(state) => tensors.load_state(state).map_err(failure)?,
        }
        Ok(Box::new(Pass { number, tensors }))
    }
}

/// The number of the pass, and the state of its iteration.
fn parsed(state: &[u8]) -> Result<(u64, &str), Failure> {
    let parts = std::str::from_utf8(state).ok().and_then(|text| text.split_once(' '));
    let parts = parts.and_then(|(number, state)| Some((number.parse().ok()?, state)));
    parts
        .ok_or_else(|| Failure::new(Code::InvalidArgument, "expected a state of arrowfeed, found other data"))
}

impl Feed for Pass {
    fn next(&mut self) -> Result<Option<Tensors>, Failure> {
        self.tensors.next().transpose().map_err(failure)
    }

    fn state(&mut self) -> Result<Vec<u8>, Failure> {
        let state = self.tensors.state().map_err(failure)?;
        Ok(format!("{} {state}", self.number).into_bytes())
    }
}

/// What TensorFlow raises for an error.
fn failure(error: DatasetError) -> Failure {
    if let DatasetError::Feed(error) = &error
        && error.kind() == FeedErrorKind::Interrupted
    {
        // TensorFlow carries a text, not the exception of a signal handler.
        signals::repeat_interrupt();
        return Failure::new(Code::Cancelled, error.to_string());
    }
    let text = error.to_string();
    let told = Python::try_attach(|py| raised(py, dataset_error(py, error)));
    told.unwrap_or(Failure::new(Code::Unknown, text))
}

/// What TensorFlow raises for an exception.
fn raised(py: Python<'_>, error: PyErr) -> Failure {
    let text = error.to_string();
    let told = || -> PyResult<(String, String)> {
        call_method(py.import(MODULE)?.as_any(), "told", (error.into_value(py),))?.extract()
    };
    match told() {
        Ok((class, message)) => Failure::new(code(&class), message),
        Err(_) => Failure::new(Code::Unknown, text),
    }
}

fn code(class: &str) -> Code {
    match class {
        "InvalidArgumentError" => Code::InvalidArgument,
        "NotFoundError" => Code::NotFound,
        _ => Code::Unknown,
    }
}

/// The source of a key, or the one that was pickled into a graph.
fn open(key: &str, config: &[u8]) -> Result<Arc<dyn Source>, Failure> {
    if let Some(passes) = held().as_ref().and_then(|held| held.get(key)?.upgrade()) {
        return Ok(passes);
    }
    let made = Python::try_attach(|py| {
        let restore = || -> PyResult<Py<TensorFlowSource>> {
            let module = py.import(MODULE)?;
            let made = call_method(module.as_any(), "restored", (key, PyBytes::new(py, config)))?;
            Ok(made.cast_into::<TensorFlowSource>()?.unbind())
        };
        restore().map(|made| made.get().passes.clone()).map_err(|error| raised(py, error))
    });
    let passes = made.unwrap_or_else(|| {
        let error = FeedError::new(FeedErrorKind::Internal, "the interpreter has ended");
        Err(Failure::new(Code::Internal, error.to_string()))
    })?;
    Ok(passes)
}

#[doc = docs!(register_tensorflow_op)]
#[pyfunction]
pub(crate) fn register_tensorflow_op(library: PathBuf) -> PyResult<()> {
    arrowfeed_tensorflow::register(&library, Box::new(open))
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
