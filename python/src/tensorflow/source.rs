//! `TensorFlowSource`, which the TensorFlow op iterates over.

#![expect(clippy::disallowed_types, reason = "sources by key; the destructor only calls try_lock")]

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arrowfeed_tensorflow::{Failure, TensorSource, TensorStream};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::made::{LazySource, Opened};
use super::passes::{Pass, Passes};
use super::records::RecordVectors;
use crate::dataset::{BatchIterator, Dataset, iteration_options};
use crate::errors::dataset_error;
use crate::schema::parse;
use crate::signals;

/// All kinds of sources.
pub(super) enum AnySource {
    Passes(Passes),
    RecordVectors(RecordVectors),
    LazySource(LazySource),
}

impl TensorSource for AnySource {
    fn start(&self, state: &[u8]) -> Result<Box<dyn TensorStream>, Failure> {
        match self {
            Self::Passes(passes) => passes.start(state),
            Self::RecordVectors(records) => records.start(state),
            Self::LazySource(made) => made.start(state),
        }
    }
}

/// The sources of this process by key.
static REGISTRY: Mutex<Option<HashMap<String, Weak<AnySource>>>> = Mutex::new(None);

fn registry() -> MutexGuard<'static, Option<HashMap<String, Weak<AnySource>>>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the source of this process with a key.
pub(super) fn found(key: &str) -> Option<Arc<AnySource>> {
    registry().as_ref()?.get(key)?.upgrade()
}

#[doc = docs!(TensorFlowSource)]
#[pyclass(module = "arrowfeed._arrowfeed", frozen)]
pub(crate) struct TensorFlowSource {
    key: Option<String>,
    source: Arc<AnySource>,
}

impl TensorFlowSource {
    fn of(key: Option<String>, source: AnySource) -> Self {
        let source = Arc::new(source);
        if let Some(key) = &key {
            registry().get_or_insert_default().insert(key.clone(), Arc::downgrade(&source));
        }
        Self { key, source }
    }

    pub(super) fn source(&self) -> Arc<AnySource> {
        self.source.clone()
    }
}

impl AnySource {
    /// Starts or resumes a pass. Returns the prefix of its state, and its tensors.
    fn batches(&self, py: Python<'_>, state: &[u8]) -> PyResult<(Vec<u8>, Option<BatchIterator>)> {
        match self {
            Self::Passes(passes) => {
                let stop = Arc::new(AtomicBool::new(false));
                let interrupt = signals::interrupt_or(stop.clone());
                let Pass { prefix, tensors } = py
                    .detach(|| passes.pass(state, interrupt, false))
                    .map_err(|error| dataset_error(py, error))?;
                let batches = BatchIterator::of_tensors(py, tensors, passes.dataset.specs(), stop);
                Ok((prefix.into_bytes(), Some(batches)))
            }
            Self::LazySource(made) => {
                let Opened { arguments, source, rest } = made.opened(py, state)?;
                let (prefix, batches) = source.map_or(Ok((Vec::new(), None)), |it| it.batches(py, rest))?;
                Ok(([arguments, &prefix].concat(), batches))
            }
            Self::RecordVectors(_) => Err(no_tensors()),
        }
    }
}

fn no_tensors() -> PyErr {
    PyTypeError::new_err("expected a source of tensors, found one of records")
}

#[pymethods]
impl TensorFlowSource {
    #[new]
    #[pyo3(signature = (key, dataset, **options))]
    fn new(
        key: Option<String>,
        dataset: &Bound<'_, Dataset>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = iteration_options("to_tf", options)?;
        Ok(Self::of(key, AnySource::Passes(Passes::new(dataset.get().dataset().clone(), options))))
    }

    #[doc = docs!(TensorFlowSource.of_records)]
    #[staticmethod]
    #[pyo3(signature = (dataset, schema, **options))]
    fn of_records(
        dataset: &Bound<'_, Dataset>,
        schema: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = iteration_options("to_tf", options)?;
        let (dataset, schema) = (dataset.get().dataset().clone(), parse("schema", schema)?);
        Ok(Self::of(None, AnySource::RecordVectors(RecordVectors { dataset, schema, options })))
    }

    #[doc = docs!(TensorFlowSource.made_by)]
    #[staticmethod]
    fn made_by(key: String, make: Py<PyAny>) -> Self {
        Self::of(Some(key), AnySource::LazySource(LazySource { make }))
    }

    #[doc = docs!(TensorFlowSource.batches)]
    fn batches<'py>(
        &self,
        py: Python<'py>,
        state: &[u8],
    ) -> PyResult<(Bound<'py, PyBytes>, Option<BatchIterator>)> {
        signals::notice_main_thread(py)?;
        let (prefix, batches) = self.source.batches(py, state)?;
        Ok((PyBytes::new(py, &prefix), batches))
    }

    #[doc = docs!(TensorFlowSource.set_next_pass)]
    fn set_next_pass(&self, number: u64) -> PyResult<()> {
        let AnySource::Passes(passes) = &*self.source else {
            return Err(PyTypeError::new_err("expected a source of tensors that counts its passes"));
        };
        passes.set_next(number);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.TensorFlowSource {}>", self.key.as_deref().unwrap_or("without a key"))
    }
}

impl Drop for TensorFlowSource {
    fn drop(&mut self) {
        // In a forked child, a thread of the parent may have registry the lock. In that case, a key with a dead weak pointer
        // remains.
        if let Some(key) = &self.key
            && let Ok(mut registry) = REGISTRY.try_lock()
            && let Some(registry) = &mut *registry
        {
            registry.remove(key);
        }
    }
}
