//! The constructors and the getters of each kind of representation.

use arrowfeed::tensor::{self, Packed};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::kind_arguments::{column_path, dimension, each, given_default, name, padding, partition};
use super::representation::{
    Dense, Ragged, Sparse, Structured, VarLenRagged, VarLenSparse, default, pad_to, partitions, path, sizes,
};
use super::transform::{transform_tuple, transforms};
use crate::argument::{integer, strings};
use crate::argument_types::given;

#[pymethods]
impl Dense {
    #[new]
    #[pyo3(signature = (column, shape=None, *, default=None, pad=false, transform=None), text_signature = None)]
    fn new(
        column: &Bound<'_, PyAny>,
        shape: Option<&Bound<'_, PyAny>>,
        default: Option<&Bound<'_, PyAny>>,
        pad: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let shape = shape.map_or(Ok(Vec::new()), |shape| {
            each("shape", "a list or tuple of sizes (int)", shape, |size| integer("shape", 0, size))
        })?;
        let dense = tensor::Dense {
            column: name("column", column)?,
            shape,
            default: default.map(given_default).transpose()?,
            pad,
            transforms: transforms(transform)?,
            ..tensor::Dense::default()
        };
        Self::checked(column.py(), dense)
    }

    #[doc = docs!(Dense.column)]
    #[getter]
    fn column(&self) -> &str {
        &self.0.column
    }

    #[doc = docs!(Dense.shape)]
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }

    #[doc = docs!(Dense.default)]
    #[getter]
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.default.as_ref().map(|value| default(py, value)).transpose()
    }

    #[doc = docs!(Dense.pad)]
    #[getter]
    fn pad(&self) -> bool {
        self.0.pad
    }

    #[doc = docs!(Dense.transform)]
    #[getter]
    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        transform_tuple(py, &self.0.transforms)
    }
}

#[pymethods]
impl VarLenSparse {
    #[new]
    #[pyo3(signature = (column, *, transform=None), text_signature = None)]
    fn new(
        column: &Bound<'_, PyAny>,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let varlen =
            tensor::VarLenSparse { column: name("column", column)?, transforms: transforms(transform)? };
        Self::checked(column.py(), varlen)
    }

    #[doc = docs!(VarLenSparse.column)]
    #[getter]
    fn column(&self) -> &str {
        &self.0.column
    }

    #[doc = docs!(VarLenSparse.transform)]
    #[getter]
    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        transform_tuple(py, &self.0.transforms)
    }
}

#[pymethods]
impl Sparse {
    #[new]
    #[pyo3(signature = (index_columns, value_column, dense_shape, *, already_sorted=false, transform=None), text_signature = None)]
    fn new(
        index_columns: &Bound<'_, PyAny>,
        value_column: &Bound<'_, PyAny>,
        dense_shape: &Bound<'_, PyAny>,
        already_sorted: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let expected = "a list or tuple of sizes (int; -1 or None if unknown)";
        let sparse = tensor::Sparse {
            index_columns: strings("index_columns", "a list or tuple of columns (str)", index_columns)?,
            value_column: name("value_column", value_column)?,
            dense_shape: each("dense_shape", expected, dense_shape, dimension)?,
            already_sorted,
            transforms: transforms(transform)?,
            ..tensor::Sparse::default()
        };
        Self::checked(value_column.py(), sparse)
    }

    #[doc = docs!(Sparse.index_columns)]
    #[getter]
    fn index_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.index_columns)
    }

    #[doc = docs!(Sparse.value_column)]
    #[getter]
    fn value_column(&self) -> &str {
        &self.0.value_column
    }

    #[doc = docs!(Sparse.dense_shape)]
    #[getter]
    fn dense_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, sizes(&self.0.dense_shape))
    }

    #[doc = docs!(Sparse.already_sorted)]
    #[getter]
    fn already_sorted(&self) -> bool {
        self.0.already_sorted
    }

    #[doc = docs!(Sparse.transform)]
    #[getter]
    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        transform_tuple(py, &self.0.transforms)
    }
}

#[pymethods]
impl Ragged {
    #[new]
    #[pyo3(signature = (path, *, partitions=None, row_splits_dtype=None, transform=None), text_signature = None)]
    fn new(
        path: &Bound<'_, PyAny>,
        partitions: Option<&Bound<'_, PyAny>>,
        row_splits_dtype: Option<&Bound<'_, PyAny>>,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let expected = "a list or tuple of lengths (int) and columns (str)";
        let ragged = tensor::Ragged {
            path: column_path(path)?,
            partitions: partitions
                .map_or(Ok(Vec::new()), |value| each("partitions", expected, value, partition))?,
            row_splits_dtype: given("row_splits_dtype", row_splits_dtype)?,
            transforms: transforms(transform)?,
            ..tensor::Ragged::default()
        };
        Self::checked(path.py(), ragged)
    }

    #[doc = docs!(Ragged.path)]
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        path(py, &self.0.path)
    }

    #[doc = docs!(Ragged.partitions)]
    #[getter]
    fn partitions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        partitions(py, &self.0.partitions)
    }

    #[doc = docs!(Ragged.row_splits_dtype)]
    #[getter]
    fn row_splits_dtype(&self) -> &'static str {
        self.0.row_splits_dtype.name()
    }

    #[doc = docs!(Ragged.transform)]
    #[getter]
    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        transform_tuple(py, &self.0.transforms)
    }
}

#[pymethods]
impl VarLenRagged {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    #[pyo3(
        signature = (column, *, row_splits_dtype=None, pad_to=None, pad_value=None, truncate=false, mask=false, pack=None, transform=None),
        text_signature = None,
    )]
    fn new(
        column: &Bound<'_, PyAny>,
        row_splits_dtype: Option<&Bound<'_, PyAny>>,
        pad_to: Option<&Bound<'_, PyAny>>,
        pad_value: Option<&Bound<'_, PyAny>>,
        truncate: bool,
        mask: bool,
        pack: Option<&Bound<'_, PyAny>>,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let varlen = tensor::VarLenRagged {
            column: name("column", column)?,
            row_splits_dtype: given("row_splits_dtype", row_splits_dtype)?,
            padding: padding(pad_to, pad_value, truncate, mask, pack)?,
            transforms: transforms(transform)?,
            ..tensor::VarLenRagged::default()
        };
        Self::checked(column.py(), varlen)
    }

    #[doc = docs!(VarLenRagged.column)]
    #[getter]
    fn column(&self) -> &str {
        &self.0.column
    }

    #[doc = docs!(VarLenRagged.row_splits_dtype)]
    #[getter]
    fn row_splits_dtype(&self) -> &'static str {
        self.0.row_splits_dtype.name()
    }

    #[doc = docs!(VarLenRagged.pad_to)]
    #[getter]
    fn pad_to<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.padding.as_ref().map(|padding| pad_to(py, padding.to)).transpose()
    }

    #[doc = docs!(VarLenRagged.pad_value)]
    #[getter]
    fn pad_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.0.padding.as_ref().and_then(|padding| padding.value.as_ref());
        value.map(|value| default(py, value)).transpose()
    }

    #[doc = docs!(VarLenRagged.truncate)]
    #[getter]
    fn truncate(&self) -> bool {
        self.0.padding.as_ref().is_some_and(|padding| padding.truncate)
    }

    #[doc = docs!(VarLenRagged.mask)]
    #[getter]
    fn mask(&self) -> bool {
        self.0.padding.as_ref().is_some_and(|padding| padding.mask)
    }

    #[doc = docs!(VarLenRagged.pack)]
    #[getter]
    fn pack(&self) -> Option<&'static str> {
        self.0.padding.as_ref().and_then(|padding| padding.pack).map(Packed::name)
    }

    #[doc = docs!(VarLenRagged.transform)]
    #[getter]
    fn transform<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        transform_tuple(py, &self.0.transforms)
    }
}

#[pymethods]
impl Structured {
    #[new]
    #[pyo3(signature = (columns, *, row_splits_dtype=None), text_signature = None)]
    fn new(
        columns: &Bound<'_, PyAny>,
        row_splits_dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let names = strings("columns", "a list or tuple of columns (str)", columns)?;
        let row_splits_dtype = given("row_splits_dtype", row_splits_dtype)?;
        Self::checked(
            columns.py(),
            tensor::Structured { columns: names, row_splits_dtype, ..tensor::Structured::default() },
        )
    }

    #[doc = docs!(Structured.columns)]
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.columns)
    }

    #[doc = docs!(Structured.row_splits_dtype)]
    #[getter]
    fn row_splits_dtype(&self) -> &'static str {
        self.0.row_splits_dtype.name()
    }
}
