//! `arrowfeed.TensorsToRecordBatch`.

use arrowfeed::tensor::{self, TensorsToRecordBatchOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::kind_arguments::named;
use super::representation::by_name;
use super::spec::TensorSpec;
use super::structured::unwrapped;
use crate::arrow_schema::{Schema, counted};
use crate::batch::RecordBatch;
use crate::call::caught;
use crate::errors::{conversion_error, representation_error, to_python};
use crate::exported::check_schema;

#[doc = signed!(TensorsToRecordBatch)]
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct TensorsToRecordBatch(tensor::TensorsToRecordBatch);

#[pymethods]
impl TensorsToRecordBatch {
    #[new]
    #[pyo3(signature = (specs, *, sparse_value_column=None, sparse_index_column=None, generic_sparse=None), text_signature = None)]
    fn new(
        specs: &Bound<'_, PyAny>,
        sparse_value_column: Option<&Bound<'_, PyAny>>,
        sparse_index_column: Option<&Bound<'_, PyAny>>,
        generic_sparse: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = specs.py();
        let options =
            parsed!(TensorsToRecordBatchOptions { sparse_value_column, sparse_index_column, generic_sparse });
        let specs = named("specs", "a dict of names to TensorSpec", specs, |value| {
            Some(value.cast::<TensorSpec>().ok()?.get().0.clone())
        })?;
        let made = caught(|| Ok(tensor::TensorsToRecordBatch::try_new(&specs, &options)));
        let made = made.map_err(|error| to_python(py, error))?;
        let made = made.map_err(|error| representation_error(py, &error))?;
        check_schema(py, made.schema())?;
        Ok(Self(made))
    }

    #[doc = docs!(TensorsToRecordBatch.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema().clone())
    }

    #[doc = docs!(TensorsToRecordBatch.representations)]
    #[getter]
    fn representations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.0.representations().to_vec())
    }

    #[doc = docs!(TensorsToRecordBatch.convert)]
    fn convert(&self, tensors: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
        let py = tensors.py();
        let tensors = named("tensors", "a dict of names to tensors of arrowfeed", tensors, unwrapped)?;
        let batch = py.detach(|| caught(|| Ok(self.0.convert(&tensors))));
        let batch = batch.map_err(|error| to_python(py, error))?;
        batch.map(RecordBatch::new).map_err(|error| conversion_error(py, &error))
    }

    fn __repr__(&self) -> String {
        let (tensors, columns) = (self.0.representations().len(), self.0.schema().fields().len());
        let (tensors, columns) = (counted(tensors, "tensor"), counted(columns, "column"));
        format!("<arrowfeed.TensorsToRecordBatch of {tensors} to {columns}>")
    }
}
