//! `arrowfeed.Array`: one column of a batch.

use arrow_array::ArrayRef;
use arrow_schema::FieldRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};

use arrowfeed::printable;

use crate::arrow_schema::counted;
use crate::cast::{cast, requested};
use crate::exported::{array_capsules, field_capsule};
use crate::libraries;
use crate::numpy_array::{as_requested, to_numpy};

#[doc = docs!(Array)]
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) array: ArrayRef,
    pub(crate) field: FieldRef,
}

#[pymethods]
impl Array {
    #[doc = docs!(Array.name)]
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    #[doc = docs!(Array.type)]
    #[getter]
    fn r#type(&self) -> String {
        self.field.data_type().to_string()
    }

    #[doc = docs!(Array.null_count)]
    #[getter]
    fn null_count(&self) -> usize {
        self.array.null_count()
    }

    #[doc = docs!(Array.to_pyarrow)]
    fn to_pyarrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        libraries::to_pyarrow(&slf, "array")
    }

    #[doc = docs!(Array.__array__)]
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        as_requested(Self::values(slf)?, dtype, copy)
    }

    #[doc = docs!(Array.__iter__)]
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        Self::values(slf)?.try_iter()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        capsules(py, &self.array, &self.field, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        field_capsule(py, &self.field)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| self.field == other.field && *self.array == *other.array)
    }

    fn __repr__(&self) -> String {
        let (name, kind) = (self.field.name(), self.field.data_type());
        let (values, nulls) = (counted(self.array.len(), "value"), counted(self.array.null_count(), "null"));
        printable(&format!("<arrowfeed.Array {name}: {kind} of {values}, {nulls}>"))
    }
}

impl Array {
    /// The values as a numpy array.
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, Self { array, field }) = (slf.py(), slf.get());
        to_numpy(py, array, || {
            let purpose = format!("to convert {} to numpy", field.data_type());
            libraries::needed(py, "pyarrow", &purpose)?.call_method1("array", (slf,))
        })
    }
}

/// An array for the C interface, in the requested type where that is possible.
pub(crate) fn capsules<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    field: &FieldRef,
    requested_schema: Option<&Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let Some(wanted) = requested(requested_schema, field)? else {
        return array_capsules(py, field.clone(), array);
    };
    let array = py.detach(|| cast(array, &wanted));
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    array_capsules(py, wanted, &array)
}
