//! `arrowfeed.RecordBatchReader`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrowfeed::FeedError;
use arrowfeed::source::run::FileReader;
use arrowfeed::source::{Interrupt, Report, Requests, Skipped};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use pyo3_arrow::ffi::to_stream_pycapsule;

use crate::arrow_schema::{Schema, counted, listed};
use crate::batch::{RecordBatch, struct_field};
use crate::call::call;
use crate::cast::requested;
use crate::consumed::Consumed;
use crate::errors::exception;
use crate::exported::{check_schema, schema_capsule};
use crate::guarded::CallError;
use crate::libraries;
use crate::numpy_array::is_no_array;
use crate::polars;
use crate::progress::Progress;
use crate::schema_merge::{SchemaChange, changes};
use crate::shared::SharedReader;
use crate::shutdown::try_attach;
use crate::signals;
use crate::skipped;
use crate::stats::LoaderStats;
use crate::stores::warn_of_servers_without_ranges;
use crate::stream::{CStream, HandedOver};

#[doc = docs!(RecordBatchReader)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct RecordBatchReader(Arc<SharedReader>);

#[pymethods]
impl RecordBatchReader {
    #[doc = docs!(RecordBatchReader.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema().clone())
    }

    #[doc = docs!(RecordBatchReader.schema_changes)]
    #[getter]
    fn schema_changes(&self) -> Vec<SchemaChange> {
        changes(self.0.merge())
    }

    #[doc = docs!(RecordBatchReader.report)]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, &self.wait(py, SharedReader::report)?)
    }

    #[doc = docs!(RecordBatchReader.stats)]
    fn stats(&self) -> LoaderStats {
        LoaderStats(self.0.stats())
    }

    #[doc = docs!(RecordBatchReader.close)]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.wait(py, SharedReader::close)
    }

    #[doc = docs!(RecordBatchReader.to_pyarrow)]
    fn to_pyarrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Consumed::by(py, &self.0, None, |rows| libraries::to_pyarrow(rows, "table"))
    }

    #[doc = docs!(RecordBatchReader.to_pandas)]
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Consumed::by(py, &self.0, None, |rows| libraries::to_pandas(rows, "table"))
    }

    #[doc = docs!(RecordBatchReader.to_polars)]
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let schema = polars::importable(py, self.0.schema())?;
        let cast_to = (schema != *self.0.schema()).then(|| struct_field(&schema));
        Consumed::by(py, &self.0, cast_to, |rows| polars::frame_of(rows, &schema))
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __array__(
        &self,
        _arguments: &Bound<'_, PyTuple>,
        _keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(is_no_array("RecordBatchReader"))
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[doc = docs!(RecordBatchReader.__next__)]
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let mut first_skipped = Vec::new();
        let next = self.wait(py, |reader| reader.next(&mut first_skipped));
        let warned = skipped::warn(py, &first_skipped);
        let next = next?;
        warned?;
        Ok(next.map(RecordBatch::new))
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    #[doc = docs!(RecordBatchReader.__arrow_c_stream__)]
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let cast_to = requested(requested_schema, &struct_field(self.0.schema()))?;
        let stream = CStream::new(HandedOver::new(self.hand_over(py)?, None), cast_to);
        Ok(to_stream_pycapsule(py, Box::new(stream), None)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.0.schema())
    }

    fn __repr__(&self) -> String {
        let schema = self.0.schema();
        let columns = counted(schema.fields().len(), "column");
        format!("<arrowfeed.RecordBatchReader of {columns}>{}", listed(schema))
    }
}

impl RecordBatchReader {
    /// Creates a reader with `open`, which polls the interrupt.
    pub(crate) fn open(
        py: Python<'_>,
        progress: Progress,
        open: impl FnOnce(Interrupt) -> Result<FileReader, FeedError> + Send,
    ) -> PyResult<Self> {
        signals::notice_main_thread(py)?;
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = signals::interrupt_or(stop.clone());
        let reader = call(py, || open(interrupt))?;
        check_schema(py, &reader.schema())?;
        warn_of_servers_without_ranges(py)?;
        progress.start(py, None)?;
        Ok(Self(Arc::new(SharedReader::new(reader, stop, progress))))
    }

    /// Hands the reader over to a consumer of all remaining batches.
    pub(crate) fn hand_over(&self, py: Python<'_>) -> PyResult<Arc<SharedReader>> {
        self.wait(py, SharedReader::hand_over)?;
        Ok(self.0.clone())
    }

    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&SharedReader) -> Result<T, CallError> + Send,
    ) -> PyResult<T> {
        py.detach(|| work(&self.0)).map_err(|refusal| exception(py, refusal))
    }
}

impl Drop for RecordBatchReader {
    fn drop(&mut self) {
        // Threads end here, without the interpreter lock, and not where the last reference is dropped.
        try_attach(|py| py.detach(|| self.0.abandon()));
    }
}

pub(crate) fn as_dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("rows", report.rows)?;
    dict.set_item("blocks", report.blocks)?;
    dict.set_item("bytes", report.bytes)?;
    let skipped = report.skipped.iter().map(|skipped| skipped_dict(py, skipped));
    dict.set_item("skipped", skipped.collect::<PyResult<Vec<_>>>()?)?;
    if report.rejected > 0 {
        dict.set_item("rejected", report.rejected)?;
    }
    if report.requests != Requests::default() {
        dict.set_item("requests", requests_dict(py, &report.requests)?)?;
    }
    Ok(dict)
}

pub(crate) fn requests_dict<'py>(py: Python<'py>, requests: &Requests) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("requests", requests.requests)?;
    dict.set_item("retries", requests.retries)?;
    dict.set_item("bytes", requests.bytes)?;
    dict.set_item("cached_bytes", requests.cached_bytes)?;
    dict.set_item("without_ranges", requests.whole_downloads)?;
    dict.set_item("slow", requests.slow)?;
    Ok(dict)
}

fn skipped_dict<'py>(py: Python<'py>, skipped: &Skipped) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("path", &skipped.path)?;
    dict.set_item("block", skipped.block)?;
    dict.set_item("offset", skipped.offset)?;
    dict.set_item("rows", skipped.rows)?;
    dict.set_item("error", &skipped.error)?;
    Ok(dict)
}
