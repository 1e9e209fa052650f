//! `arrowfeed.AvroWriter`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_schema::SchemaRef;
use arrowfeed::FeedError;
use arrowfeed::avro::{AvroWriter as Writer, Written};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::refuse_others;
use crate::call::caught;
use crate::foreign;
use crate::guarded::{CallError, Guarded};
use crate::signals;
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;
use crate::write::{self, Target, WriteArguments};

const CLOSED: &str = "expected an open writer, found one that is closed or has failed: make a new one";

#[doc = signed!(AvroWriter)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct AvroWriter {
    state: Guarded<State>,
    /// See [`Target::columns`].
    columns: Option<SchemaRef>,
}

enum State {
    /// No batch was written yet, and the Arrow schema is unknown.
    New(Box<Target>),
    Open(Box<Writer>),
    /// Closed, or failed with an error.
    Ended(Written),
}

impl Default for State {
    fn default() -> Self {
        Self::Ended(Written::default())
    }
}

impl State {
    fn written(&self) -> Written {
        match self {
            Self::New(_) => Written::default(),
            Self::Open(writer) => writer.written(),
            Self::Ended(written) => *written,
        }
    }

    /// Opens the writer for `schema`, unless it is already open.
    fn open(&mut self, schema: SchemaRef) -> Result<&mut Writer, CallError> {
        if let Self::New(target) = self {
            *self = Self::Open(Box::new(target.open(schema)?));
        }
        match self {
            Self::Open(writer) => Ok(writer),
            _ => Err(CallError::state(CLOSED)),
        }
    }

    /// Drops the writer, which discards the unfinished file.
    fn end(&mut self) {
        *self = Self::Ended(self.written());
    }
}

impl AvroWriter {
    /// Runs `work` without the interpreter, in one thread at a time.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> Result<R, CallError> + Send,
    ) -> PyResult<R> {
        signals::notice_main_thread(py)?;
        py.detach(|| self.state.with(work)).map_err(|refusal| match refusal {
            CallError::State(text) => PyValueError::new_err(text),
            CallError::Error(error) => write::failure(py, error),
        })
    }
}

#[pymethods]
impl AvroWriter {
    #[new]
    #[pyo3(signature = (path, arrow_schema=None, *, codec=None, level=None, block_bytes=None, schema=None, metadata=None,
            on_overflow=None, threads=None, append=None, storage_options=None, store=None, **others),
            text_signature = None)]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        path: &Bound<'_, PyAny>,
        arrow_schema: Option<&Bound<'_, PyAny>>,
        codec: Option<&Bound<'_, PyAny>>,
        level: Option<&Bound<'_, PyAny>>,
        block_bytes: Option<&Bound<'_, PyAny>>,
        schema: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
        on_overflow: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        append: Option<&Bound<'_, PyAny>>,
        storage_options: Option<Bound<'_, PyAny>>,
        store: Option<Bound<'_, PyAny>>,
        others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = path.py();
        refuse_others("AvroWriter.__new__", others, &["codec", "level"])?;
        let arguments = parsed!(WriteArguments {
            codec, level in options, block_bytes in options, schema in options, metadata in options, on_overflow,
            threads in options, append,
        });
        let stores = StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?;
        let target = Target::new(path, arguments, stores)?;
        let columns = target.columns(py)?;
        let stop = Arc::new(AtomicBool::new(false));
        let state = Guarded::new("writer", State::New(Box::new(target)), stop);
        let writer = Self { state, columns };
        if let Some(arrow_schema) = arrow_schema {
            let Some(arrow_schema) = foreign::schema(arrow_schema)? else {
                let message =
                    "arrow_schema: expected the schema of record batches, found the schema of an array";
                return Err(PyValueError::new_err(message));
            };
            writer.with(py, |state| state.open(arrow_schema).map(drop))?;
        }
        Ok(writer)
    }

    #[doc = docs!(AvroWriter.write)]
    fn write(&self, batches: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = batches.py();
        self.with(py, |state| match state {
            State::Ended(_) => Err(CallError::state(CLOSED)),
            _ => Ok(()),
        })?;
        let batches = write::source_of_rows("batches", batches, self.columns.as_ref())?;
        self.with(py, |state| {
            let writer = state.open(batches.schema())?;
            let written: Result<u64, FeedError> = caught(|| {
                let mut rows = 0;
                for batch in batches {
                    let batch = batch.map_err(write::source_error)?;
                    writer.write(&batch)?;
                    rows += batch.num_rows() as u64;
                }
                Ok(rows)
            });
            if written.is_err() {
                state.end();
            }
            Ok(written?)
        })
    }

    #[doc = docs!(AvroWriter.close)]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |state| {
            let written = match std::mem::take(state) {
                State::Open(writer) => caught(|| writer.finish())?,
                State::Ended(written) => written,
                target @ State::New(_) => {
                    *state = target;
                    return Err(CallError::state(
                        "expected a batch or arrow_schema= before close(), found neither: the columns of the file are not \
                         known",
                    ));
                }
            };
            *state = State::Ended(written);
            Ok(())
        })
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[doc = docs!(AvroWriter.__exit__)]
    #[pyo3(signature = (kind, _value=None, _traceback=None))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        _value: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        match kind {
            None => self.close(py),
            Some(_) => self.with(py, |state| {
                state.end();
                Ok(())
            }),
        }
    }

    #[doc = docs!(AvroWriter.rows)]
    #[getter]
    fn rows(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.written().rows))
    }

    #[doc = docs!(AvroWriter.blocks)]
    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.written().blocks))
    }

    #[doc = docs!(AvroWriter.bytes)]
    #[getter]
    fn bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.written().bytes))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Written { rows, blocks, bytes, .. } = self.with(py, |state| Ok(state.written()))?;
        Ok(format!("AvroWriter(rows={rows}, blocks={blocks}, bytes={bytes})"))
    }
}
