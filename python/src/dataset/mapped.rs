//! `Dataset.map`: a Python function over the batches of a dataset.

use std::io;
use std::sync::Arc;

use arrow_array::RecordBatch as Batch;
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use arrowfeed::dataset::{BatchMap, MapCalls};
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_select::concat_batches;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{integer, wrong_type};
use crate::arrow_schema::Schema;
use crate::batch::RecordBatch;
use crate::errors::{io_error, without_end};
use crate::exported::check_schema;
use crate::object::Object;
use crate::shutdown::{call, call_method, try_attach};
use crate::tensor;
use crate::write;

/// Number of rows with which a function is called for its schema.
const SAMPLE_ROWS: usize = 100;

/// A function, its arguments for pickles, and the projection after it.
pub(super) struct MapArgs {
    pub(super) keywords: Py<PyDict>,
    pub(super) names: Option<Vec<String>>,
}

impl MapArgs {
    pub(super) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { keywords: self.keywords.clone_ref(py), names: self.names.clone() }
    }
}

/// A Python function.
#[derive(Debug)]
pub(super) struct PythonMap {
    function: Arc<Object>,
    /// Number of processes. 0: the thread of the caller.
    workers: usize,
    /// The processes, an `arrowfeed._dataset.map_workers.WorkerPool`, which live as long as the dataset.
    pool: Option<Arc<Object>>,
}

impl PythonMap {
    pub(super) fn new(function: &Bound<'_, PyAny>, workers: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(wrong_type("function", "a function of a RecordBatch", function));
        }
        let workers = workers.map_or(Ok(0), |workers| integer("workers", 0, workers))?;
        let pool = match workers {
            0 => None,
            _ => {
                let module = function.py().import("arrowfeed._dataset.map_workers")?;
                let pool = call_method(module.as_any(), "WorkerPool", (function, workers))?;
                Some(Arc::new(Object::new(pool.unbind())))
            }
        };
        Ok(Self { function: Arc::new(Object::new(function.clone().unbind())), workers, pool })
    }

    /// The schema of the batches that the function returns for `dataset`.
    pub(super) fn schema(
        &self,
        dataset: &Bound<'_, PyAny>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SchemaRef> {
        let py = dataset.py();
        let schema = match given.filter(|given| !given.is_none()) {
            Some(given) => tensor::schema(given)?,
            None => {
                let sample = dataset.call_method1("head", (SAMPLE_ROWS,))?;
                let made = call(self.function.bind(py), (sample,)).map_err(|error| no_end(py, error))?;
                nullable(&one_batch_of(&made)?.schema())
            }
        };
        check_schema(py, &schema)?;
        Ok(schema)
    }

    /// The arguments for pickles.
    pub(super) fn arguments<'py>(&self, py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyDict>> {
        let arguments = PyDict::new(py);
        arguments.set_item("function", self.function.bind(py))?;
        arguments.set_item("workers", self.workers)?;
        arguments.set_item("schema", Schema(schema.clone()))?;
        Ok(arguments)
    }
}

/// The schema whose columns may all have nulls, because later batches may have some.
fn nullable(schema: &ArrowSchema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| Field::clone(field).with_nullable(true));
    Arc::new(ArrowSchema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

impl BatchMap for PythonMap {
    fn start(&self) -> Box<dyn MapCalls> {
        match &self.pool {
            None => Box::new(InCaller { function: self.function.clone(), batch: None }),
            Some(pool) => {
                Box::new(OnWorkers { pool: pool.clone(), workers: self.workers, calls: None, failed: None })
            }
        }
    }
}

/// Calls in the thread that requests batches.
struct InCaller {
    function: Arc<Object>,
    batch: Option<Batch>,
}

impl MapCalls for InCaller {
    fn begin(&mut self, batch: Batch) -> Result<(), FeedError> {
        self.batch = Some(batch);
        Ok(())
    }

    fn finish(&mut self) -> Result<Batch, FeedError> {
        let batch = self.batch.take();
        attached(|py| {
            let batch =
                batch.map(RecordBatch::new).ok_or_else(|| PyTypeError::new_err("expected a batch"))?;
            let batch = batch.into_pyobject(py)?;
            one_batch_of(&call(self.function.bind(py), (batch,))?)
        })
    }
}

/// Calls on the processes of a pool.
struct OnWorkers {
    pool: Arc<Object>,
    workers: usize,
    /// The result of `WorkerPool.calls`. Created with the first call.
    calls: Option<Object>,
    /// The error of [`is_ready`](MapCalls::is_ready), which [`finish`](MapCalls::finish) returns.
    failed: Option<FeedError>,
}

impl MapCalls for OnWorkers {
    /// Twice as many as there are workers, so that none waits for the next batch.
    fn most(&self) -> usize {
        self.workers.saturating_mul(2)
    }

    fn begin(&mut self, batch: Batch) -> Result<(), FeedError> {
        attached(|py| {
            let calls = match &self.calls {
                Some(calls) => calls,
                None => {
                    let calls = call_method(self.pool.bind(py), "calls", ())?;
                    self.calls.insert(Object::new(calls.unbind()))
                }
            };
            let batch = RecordBatch::new(batch).into_pyobject(py)?;
            call_method(calls.bind(py), "begin", (batch,)).map(drop)
        })
    }

    fn is_ready(&mut self) -> bool {
        let ready = attached(|py| match &self.calls {
            Some(calls) => call_method(calls.bind(py), "is_ready", ())?.extract(),
            None => Ok(true),
        });
        ready.unwrap_or_else(|error| {
            self.failed = Some(error);
            true
        })
    }

    fn finish(&mut self) -> Result<Batch, FeedError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        attached(|py| {
            let Some(calls) = &self.calls else { return Err(PyTypeError::new_err("expected a call")) };
            one_batch_of(&call_method(calls.bind(py), "finish", ())?)
        })
    }

    fn close(&mut self) {
        if let Some(calls) = self.calls.take() {
            // Nothing can be done about an error while the iteration ends.
            let _ = attached(|py| call_method(calls.bind(py), "close", ()).map(drop));
        }
    }
}

/// Runs `work` with the interpreter. Its exception is raised unchanged, except for `StopIteration`.
fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, FeedError> {
    let done = try_attach(|py| {
        work(py).map_err(|error| {
            let error = no_end(py, error);
            let text = error.value(py).to_string();
            FeedError::new(FeedErrorKind::Conversion, text).with_source(io_error(py, error))
        })
    });
    done.unwrap_or_else(|| {
        let message = "expected a running Python interpreter, found it shut down";
        Err(FeedError::io(io::Error::other(message)))
    })
}

/// The error of a function whose `StopIteration` would end the iteration as if there were no more batches.
fn no_end(py: Python<'_>, error: PyErr) -> PyErr {
    without_end(py, error, "map: the function raised StopIteration")
}

#[doc = docs!(one_batch)]
#[pyfunction]
pub(crate) fn one_batch(value: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    one_batch_of(value).map(RecordBatch::new)
}

/// The batch that a function has returned: a batch or a table of any library with the Arrow interfaces.
fn one_batch_of(value: &Bound<'_, PyAny>) -> PyResult<Batch> {
    let py = value.py();
    let mut reader = write::source("map", value)?;
    let schema = reader.schema();
    let batches = py.detach(|| {
        let batches = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
        match &batches[..] {
            [only] => Ok(only.clone()),
            _ => concat_batches(&schema, &batches.iter().collect::<Vec<_>>()),
        }
    });
    batches.map_err(|error| write::failure(py, write::source_error(error)))
}
