//! `arrowfeed.RecordBatch`.

#![expect(
    clippy::disallowed_types,
    reason = "the numbers of the columns by name; set only while the GIL is held"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{Field, FieldRef, SchemaRef};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PySlice, PyString, PyTuple};

use arrowfeed::printable;

use crate::argument::wrong_type;
use crate::array::{Array, capsules};
use crate::arrow_schema::{Schema, counted};
use crate::batch_rows;
use crate::exported::schema_capsule;
use crate::html;
use crate::libraries;
use crate::numpy_array::is_no_array;
use crate::polars;

#[doc = docs!(RecordBatch)]
#[pyclass(module = "arrowfeed", frozen, mapping)]
#[derive(Debug)]
pub(crate) struct RecordBatch {
    pub(crate) batch: arrow_array::RecordBatch,
    /// The number of the first column of each name. Created after [`FEW`] lookups.
    numbers: OnceLock<HashMap<String, usize>>,
    lookups: AtomicUsize,
}

/// Number of columns that are looked up without a map of all names, which takes longer than a few searches.
const FEW: usize = 4;

impl RecordBatch {
    pub(crate) fn new(batch: arrow_array::RecordBatch) -> Self {
        Self { batch, numbers: OnceLock::new(), lookups: AtomicUsize::new(0) }
    }

    fn number(&self, name: &str) -> Option<usize> {
        if self.lookups.fetch_add(1, Ordering::Relaxed) < FEW {
            return self.batch.schema_ref().fields().iter().position(|field| field.name() == name);
        }
        let numbers = self.numbers.get_or_init(|| {
            let fields = self.batch.schema_ref().fields().iter().enumerate().rev();
            fields.map(|(number, field)| (field.name().clone(), number)).collect()
        });
        numbers.get(name).copied()
    }
}

#[pymethods]
impl RecordBatch {
    #[doc = docs!(RecordBatch.num_rows)]
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    #[doc = docs!(RecordBatch.num_columns)]
    #[getter]
    fn num_columns(&self) -> usize {
        self.batch.num_columns()
    }

    #[doc = docs!(RecordBatch.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.batch.schema())
    }

    #[doc = docs!(RecordBatch.column)]
    fn column(&self, name: &str) -> PyResult<Array> {
        let schema = self.batch.schema_ref();
        let Some(at) = self.number(name) else {
            let names: Vec<String> = schema.fields().iter().map(|field| printable(field.name())).collect();
            let message = format!("expected one of the columns {}, found {name:?}", names.join(", "));
            return Err(PyKeyError::new_err(message));
        };
        Ok(Array { array: self.batch.column(at).clone(), field: schema.fields()[at].clone() })
    }

    #[doc = docs!(RecordBatch.__getitem__)]
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(slice) = key.cast::<PySlice>() {
            return Ok(Bound::new(py, Self::new(batch_rows::slice(&self.batch, slice)?))?.into_any());
        }
        let expected = "the name of a column (str), or a slice of rows";
        let name = key.cast::<PyString>().map_err(|_| wrong_type("key", expected, key))?;
        Ok(Bound::new(py, self.column(name.to_str()?)?)?.into_any())
    }

    #[doc = docs!(RecordBatch.filter)]
    #[pyo3(signature = (rows, /))]
    fn filter(&self, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(batch_rows::filter(&self.batch, rows)?))
    }

    #[doc = docs!(RecordBatch.take)]
    #[pyo3(signature = (numbers, /))]
    fn take(&self, numbers: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(batch_rows::take_rows(&self.batch, numbers)?))
    }

    #[doc = docs!(RecordBatch.to_pyarrow)]
    fn to_pyarrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        libraries::to_pyarrow(&slf, "record_batch")
    }

    #[doc = docs!(RecordBatch.to_pandas)]
    fn to_pandas(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        libraries::to_pandas(&slf, "record_batch")
    }

    #[doc = docs!(RecordBatch.to_polars)]
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        polars::frame(py, &self.batch)
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __array__(
        &self,
        _arguments: &Bound<'_, PyTuple>,
        _keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(is_no_array("RecordBatch"))
    }

    // Without this method, pandas takes a batch for a single value.
    fn __iter__(&self) -> PyResult<Py<PyAny>> {
        Err(is_no_array("RecordBatch"))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let rows: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        capsules(py, &rows, &struct_field(self.batch.schema_ref()), requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.batch.schema_ref())
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| self.batch == other.batch)
    }

    fn __repr__(&self) -> String {
        let (rows, columns) =
            (counted(self.batch.num_rows(), "row"), counted(self.batch.num_columns(), "column"));
        format!("<arrowfeed.RecordBatch of {rows} and {columns}>{}", html::listed_values(&self.batch))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| html::batch(&self.batch))
    }
}

/// A schema as the C interface has it: a struct that is never null.
pub(crate) fn struct_field(schema: &SchemaRef) -> FieldRef {
    let field = Field::new_struct("", schema.fields().clone(), false);
    Arc::new(field.with_metadata(schema.metadata().clone()))
}
