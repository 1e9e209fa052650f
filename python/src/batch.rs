//! `arrowfeed.RecordBatch`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{Field, FieldRef, SchemaRef};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::to_schema_pycapsule;

use arrowfeed::printable;

use crate::array::{Array, capsules};
use crate::arrow_schema::{Schema, counted, listed};

/// Rows in columns of one length: an Arrow record batch that any Arrow library takes without a copy.
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct RecordBatch(pub(crate) arrow_array::RecordBatch);

#[pymethods]
impl RecordBatch {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.0.num_columns()
    }

    /// Names and types of the columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema())
    }

    /// The column of a name, the first one where several have it.
    fn column(&self, name: &str) -> PyResult<Array> {
        let schema = self.0.schema_ref();
        let Some(at) = schema.fields().iter().position(|field| field.name() == name) else {
            let names: Vec<String> = schema.fields().iter().map(|field| printable(field.name())).collect();
            let message = format!("expected one of the columns {}, found {name:?}", names.join(", "));
            return Err(PyKeyError::new_err(message));
        };
        Ok(Array { array: self.0.column(at).clone(), field: schema.fields()[at].clone() })
    }

    /// The same batch as a `pyarrow.RecordBatch`; it is not copied.
    fn to_pyarrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("record_batch", (slf,))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows: ArrayRef = Arc::new(StructArray::from(self.0.clone()));
        capsules(py, &rows, &struct_field(self.0.schema_ref()), requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.schema_ref().as_ref())?)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| self.0 == other.0)
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (counted(self.0.num_rows(), "row"), counted(self.0.num_columns(), "column"));
        format!("<arrowfeed.RecordBatch of {rows} and {columns}>{}", listed(self.0.schema_ref()))
    }
}

/// A schema as the C interface has it: a struct that is never null.
pub(crate) fn struct_field(schema: &SchemaRef) -> FieldRef {
    let field = Field::new_struct("", schema.fields().clone(), false);
    Arc::new(field.with_metadata(schema.metadata().clone()))
}
