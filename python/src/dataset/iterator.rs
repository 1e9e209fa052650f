//! `arrowfeed.BatchIterator`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatchReader as _;
use arrow_schema::SchemaRef;
use arrowfeed::dataset::{self, FileMatch, TensorIterator};
use arrowfeed::source::stats::Meter;
use arrowfeed::source::{OnError, Report, Skipped};
use arrowfeed::tensor::{TensorSpec, Tensors};
use arrowfeed::{Dataset, DatasetError, IterationOptions, printable};
use pyo3::exceptions::{PyException, PyRecursionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use pyo3_arrow::ffi::to_stream_pycapsule;

use crate::argument::wrong_type;
use crate::argument_types::given;
use crate::batch::{RecordBatch, struct_field};
use crate::call::call;
use crate::cast::requested;
use crate::errors::dataset_error;
use crate::guarded::{CallError, Guarded};
use crate::iterated::{Iterated, WithTexts};
use crate::progress::{Progress, Shown};
use crate::reader::as_dict;
use crate::shutdown::{call_method, try_attach};
use crate::signals;
use crate::skipped;
use crate::stats::LoaderStats;
use crate::stream::CStream;
use crate::tensor::TensorNames;

#[doc = docs!(BatchIterator)]
#[pyclass(module = "arrowfeed", frozen, generic, mapping)]
pub(crate) struct BatchIterator {
    batches: Guarded<Batches>,
    /// Set by `close`, until a state is loaded.
    closed: AtomicBool,
    /// Outside of the batches, so that no thread waits for its figures.
    meter: Arc<Meter>,
    names: TensorNames,
    /// The columns of the batches. `None`: they are tensors.
    schema: Option<SchemaRef>,
    /// The function that divides tensors into features and labels. `None`: there is no label.
    labels: Option<Py<PyAny>>,
    progress: Progress,
    /// The dataset and the options of the iteration, for the number of batches.
    origin: Option<(Dataset, IterationOptions)>,
}

/// The underlying iterator.
#[derive(Default)]
enum Batches {
    Records(Box<dataset::BatchIterator>),
    Tensors(Box<TensorIterator>),
    /// The state after a panic.
    #[default]
    Failed,
}

enum Next {
    Records(arrow_array::RecordBatch),
    Tensors(Tensors),
}

const UNKNOWN: &str =
    "the number of batches is unknown before a scan of the files: call num_batches of the dataset";
const BY_LENGTH: &str = "the number of batches is unknown, because it depends on the lengths of all rows";
const ENDLESS: &str = "an endless iteration has no number of batches";
const SKIPS: &str = "the number of batches is unknown, because on_error skips damaged rows: num_batches of the dataset \
                     counts the batches with these rows";
const CLOSED: &str = "expected an open iterator, found it closed";
const NO_SEQUENCE: &str = "an iterator has no batches by number: iterate over it, or pass dataset.to_torch(...) to a \
                           DataLoader, or dataset.samples() for rows by number";
const FAILED: &str = "this iterator cannot continue after an earlier error";

impl Batches {
    fn next(&mut self) -> Result<Option<Next>, CallError<DatasetError>> {
        Ok(match self {
            Self::Records(batches) => batches.next().transpose()?.map(Next::Records),
            Self::Tensors(batches) => batches.next().transpose()?.map(Next::Tensors),
            Self::Failed => return Err(CallError::state(FAILED)),
        })
    }

    fn take_first_skipped(&mut self) -> Vec<Skipped> {
        match self {
            Self::Records(batches) => batches.take_first_skipped(),
            Self::Tensors(batches) => batches.take_first_skipped(),
            Self::Failed => Vec::new(),
        }
    }

    fn report(&mut self) -> Result<Report, CallError<DatasetError>> {
        match self {
            Self::Records(batches) => Ok(batches.report()),
            Self::Tensors(batches) => Ok(batches.report()),
            Self::Failed => Err(CallError::state(FAILED)),
        }
    }

    fn close(&mut self) -> Result<(), CallError<DatasetError>> {
        match self {
            Self::Records(batches) => batches.close(),
            Self::Tensors(batches) => batches.close(),
            Self::Failed => {}
        }
        Ok(())
    }

    fn state(&mut self) -> Result<String, CallError<DatasetError>> {
        match self {
            Self::Records(batches) => Ok(batches.state()?),
            Self::Tensors(batches) => Ok(batches.state()?),
            Self::Failed => Err(CallError::state(FAILED)),
        }
    }

    fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), CallError<DatasetError>> {
        match self {
            Self::Records(batches) => Ok(batches.load_state_matching(state, how)?),
            Self::Tensors(batches) => Ok(batches.load_state_matching(state, how)?),
            Self::Failed => Err(CallError::state(FAILED)),
        }
    }
}

#[pymethods]
impl BatchIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[doc = docs!(BatchIterator.__next__)]
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut first_skipped = Vec::new();
        let next = |batches: &mut Batches| {
            // A closed iterator would look like a complete one.
            if self.closed.load(Ordering::Relaxed) {
                return Err(CallError::state(CLOSED));
            }
            let next = batches.next();
            first_skipped = batches.take_first_skipped();
            next
        };
        let next = self.wait(py, next);
        let warned = skipped::warn(py, &first_skipped);
        if !self.batches.is_forked() {
            self.progress.follow(&next, || self.shown(py));
        }
        let next = next?;
        warned?;
        Ok(match next {
            None => None,
            Some(Next::Records(batch)) => Some(RecordBatch::new(batch).into_pyobject(py)?.into_any()),
            Some(Next::Tensors(tensors)) => {
                let tensors = self.names.dict(py, tensors)?;
                Some(match &self.labels {
                    None => tensors.into_any(),
                    Some(labels) => labels.bind(py).call1((tensors,))?,
                })
            }
        })
    }

    #[doc = docs!(BatchIterator.state_dict)]
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.wait(py, Batches::state)?;
        call_method(py.import("json")?.as_any(), "loads", (state,))
    }

    #[doc = signed!(BatchIterator.load_state_dict)]
    #[pyo3(signature = (state, *, r#match=None), text_signature = None)]
    fn load_state_dict(&self, state: &Bound<'_, PyAny>, r#match: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (py, how) = (state.py(), given("match", r#match)?);
        if !state.is_instance_of::<PyDict>() {
            return Err(wrong_type("state", "a dict from state_dict()", state));
        }
        let text = call_method(py.import("json")?.as_any(), "dumps", (state,));
        let text: String = match text {
            Err(error) if error.is_instance_of::<PyRecursionError>(py) => {
                let message =
                    "state: expected the result of state_dict(), found data that is nested too deeply";
                return Err(PyValueError::new_err(message));
            }
            text => text?.extract()?,
        };
        self.wait(py, |batches| batches.load_state(&text, how))?;
        self.closed.store(false, Ordering::Relaxed);
        Ok(())
    }

    #[doc = docs!(BatchIterator.report)]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, &self.wait(py, Batches::report)?)
    }

    #[doc = docs!(BatchIterator.stats)]
    fn stats(&self) -> LoaderStats {
        LoaderStats(self.meter.stats())
    }

    #[doc = docs!(BatchIterator.close)]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.batches.is_forked() {
            return Ok(());
        }
        self.ended(py, |iterator| {
            iterator.stop_and(|batches| {
                self.closed.store(true, Ordering::Relaxed);
                batches.close()
            })
        })?;
        self.progress.close(|| self.shown(py));
        Ok(())
    }

    #[doc = docs!(BatchIterator.__len__)]
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let Some((dataset, options)) = &self.origin else { return Err(PyTypeError::new_err(UNKNOWN)) };
        if options.epochs.is_none() {
            return Err(PyTypeError::new_err(ENDLESS));
        }
        if options.on_error != OnError::Raise {
            return Err(PyTypeError::new_err(SKIPS));
        }
        if options.by_length.is_some() {
            return Err(PyTypeError::new_err(BY_LENGTH));
        }
        let options =
            IterationOptions { interrupt: Some(signals::interrupt_of_call(py)?), ..options.clone() };
        match call(py, || dataset.known_num_batches(&options)) {
            Ok(Some(Some(batches))) => Ok(usize::try_from(batches)?),
            Ok(_) => Err(PyTypeError::new_err(UNKNOWN)),
            // The iteration raises the error: `list` calls this method first, and ignores only a `TypeError`.
            Err(error) if error.is_instance_of::<PyException>(py) => {
                let unknown = PyTypeError::new_err(UNKNOWN);
                unknown.set_cause(py, Some(error));
                Err(unknown)
            }
            Err(error) => Err(error),
        }
    }

    fn __getitem__(&self, _number: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err(NO_SEQUENCE))
    }

    // Without this method, the length would decide.
    fn __bool__(&self) -> bool {
        true
    }

    #[doc = docs!(BatchIterator.__arrow_c_stream__)]
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let rows = Self::rows(slf, "batches")?;
        let cast_to = requested(requested_schema, &struct_field(&rows.schema()))?;
        Ok(to_stream_pycapsule(slf.py(), Box::new(CStream::new(WithTexts(rows), cast_to)), None)?)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        match self.names.texts().as_slice() {
            [] => "<arrowfeed.BatchIterator of record batches>".to_owned(),
            names => printable(&format!("<arrowfeed.BatchIterator of tensors {}>", names.join(", "))),
        }
    }
}

impl BatchIterator {
    /// `stop`: part of the interrupt that the batches check.
    pub(super) fn of_records(py: Python<'_>, batches: dataset::BatchIterator, stop: Arc<AtomicBool>) -> Self {
        let meter = batches.meter().clone();
        Self::new(Batches::Records(Box::new(batches)), meter, TensorNames::new(py, &[]), stop)
    }

    /// `specs`: the specs of the tensors. `stop`: see [`of_records`](Self::of_records).
    pub(crate) fn of_tensors(
        py: Python<'_>,
        batches: TensorIterator,
        specs: &[(String, TensorSpec)],
        stop: Arc<AtomicBool>,
    ) -> Self {
        let meter = batches.meter().clone();
        Self::new(Batches::Tensors(Box::new(batches)), meter, TensorNames::new(py, specs), stop)
    }

    fn new(batches: Batches, meter: Arc<Meter>, names: TensorNames, stop: Arc<AtomicBool>) -> Self {
        Self {
            batches: Guarded::new("iterator", batches, stop),
            closed: AtomicBool::new(false),
            meter,
            names,
            schema: None,
            labels: None,
            progress: Progress::default(),
            origin: None,
        }
    }

    /// Sets the dataset and the options of the iteration.
    pub(super) fn with_origin(mut self, dataset: Dataset, options: IterationOptions) -> Self {
        self.origin = Some((dataset, options));
        self
    }

    /// Sets the columns of the batches.
    pub(super) fn with_schema(mut self, schema: SchemaRef) -> Self {
        self.schema = Some(schema);
        self
    }

    /// The remaining batches as a reader.
    pub(crate) fn rows(slf: &Bound<'_, Self>, argument: &str) -> PyResult<Iterated> {
        let Some(schema) = &slf.get().schema else {
            let message =
                "expected an iterator over record batches, found one over tensors: call record_batches";
            return Err(PyTypeError::new_err(format!("{argument}: {message}")));
        };
        Ok(Iterated::with_schema(argument, slf.as_any(), schema.clone()))
    }

    /// Sets the function that divides tensors into features and labels.
    pub(super) fn with_labels(mut self, labels: Option<Py<PyAny>>) -> Self {
        self.labels = labels;
        self
    }

    /// Sets the progress bar, which was started.
    pub(super) fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    fn shown(&self, py: Python<'_>) -> Option<Shown> {
        let rows = self.wait(py, Batches::report).ok()?.rows;
        Some(Shown { rows, wait_share: self.meter.stats().waits.share })
    }

    fn was_stopped(&self, error: &DatasetError) -> bool {
        matches!(error, DatasetError::Feed(error) if self.batches.was_stopped(error))
    }

    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Batches) -> Result<T, CallError<DatasetError>> + Send,
    ) -> PyResult<T> {
        self.ended(py, |batches| {
            batches.with(|batches| match work(batches) {
                Err(CallError::Error(error)) if self.was_stopped(&error) => Err(CallError::state(CLOSED)),
                done => done,
            })
        })
    }

    fn ended<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Guarded<Batches>) -> Result<T, CallError<DatasetError>> + Send,
    ) -> PyResult<T> {
        py.detach(|| work(&self.batches)).map_err(|refusal| match refusal {
            CallError::State(text) => PyValueError::new_err(text),
            CallError::Error(error) => dataset_error(py, error),
        })
    }
}

impl Drop for BatchIterator {
    fn drop(&mut self) {
        // Waits for the threads to end, without the interpreter.
        try_attach(|py| py.detach(|| self.batches.with(Batches::close).is_ok()));
        self.progress.close(|| None);
    }
}
