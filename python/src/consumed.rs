//! A reader that a library consumes in one call of a method of the reader.

#![expect(
    clippy::disallowed_types,
    reason = "the error of a stream, which exists only during one call; a child does not continue the call"
)]

use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::FieldRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::to_stream_pycapsule;

use crate::errors::exception;
use crate::guarded::CallError;
use crate::shared::SharedReader;
use crate::stream::{CStream, HandedOver};

/// The error that ended a stream. Arrow's C interface transfers only the text.
pub(crate) type Failure = Arc<Mutex<Option<CallError>>>;

/// A reader for a library, with the error that its stream ends with.
#[pyclass(frozen)]
pub(crate) struct Consumed {
    shared: Arc<SharedReader>,
    cast_to: Option<FieldRef>,
    failure: Failure,
}

impl Consumed {
    /// Passes the reader to `convert`, which calls a library. If the reader fails, the exception is that of the reader.
    ///
    /// `cast_to`: the type of the rows for the library. `None`: that of the reader.
    pub(crate) fn by<'py>(
        py: Python<'py>,
        shared: &Arc<SharedReader>,
        cast_to: Option<FieldRef>,
        convert: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let failure = Failure::default();
        let rows = Self { shared: shared.clone(), cast_to, failure: failure.clone() };
        convert(Bound::new(py, rows)?.as_any()).map_err(|error| {
            let failed = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            failed.map_or(error, |refusal| exception(py, refusal))
        })
    }
}

#[pymethods]
impl Consumed {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The C interface allows a stream to ignore the request.
        let _ = requested_schema;
        py.detach(|| self.shared.hand_over()).map_err(|refusal| exception(py, refusal))?;
        let batches = HandedOver::new(self.shared.clone(), Some(self.failure.clone()));
        let stream = CStream::new(batches, self.cast_to.clone());
        Ok(to_stream_pycapsule(py, Box::new(stream), None)?)
    }
}
