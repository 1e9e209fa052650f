//! `arrowfeed.RaggedTensor`.

use std::sync::Arc;

use arrowfeed::tensor::{self, ConversionError, KeyedJagged, RowSplits};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};

use super::build;
use super::dense::DenseTensor;
use super::html;
use super::kind_arguments::{given_default, named, pad_to as pad_to_argument};
use super::memory::numpy_dtype;
use super::structured::unwrapped;
use super::view;
use crate::array::Array;
use crate::arrow_schema::counted;
use crate::errors::conversion_error;
use crate::once::made_once;
use crate::signals::check_at;

#[doc = docs!(RaggedTensor)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct RaggedTensor {
    pub(super) tensor: tensor::RaggedTensor,
    flat_values: DenseTensor,
    row_splits: Levels,
}

impl RaggedTensor {
    pub(super) fn new(tensor: tensor::RaggedTensor, name: Option<&Arc<str>>) -> Self {
        let flat_values = DenseTensor::new(tensor.flat_values().clone()).named(name);
        Self { row_splits: Levels::new(), flat_values, tensor }
    }
}

/// Makes a tensor without the interpreter.
fn dense(
    py: Python<'_>,
    make: impl FnOnce() -> Result<tensor::DenseTensor, ConversionError> + Send,
) -> PyResult<DenseTensor> {
    let tensor = py.detach(make).map_err(|error| conversion_error(py, &error))?;
    Ok(DenseTensor::new(tensor))
}

#[doc = docs!(join_jagged)]
#[pyfunction]
pub(crate) fn join_jagged(tensors: &Bound<'_, PyAny>) -> PyResult<(DenseTensor, DenseTensor, Vec<usize>)> {
    let py = tensors.py();
    let tensors = named("tensors", "a dict of names to tensors of arrowfeed", tensors, unwrapped)?;
    let joined =
        py.detach(|| KeyedJagged::join(tensors.iter().map(|(name, tensor)| (name.as_str(), tensor))));
    let KeyedJagged { values, lengths, values_per_key } =
        joined.map_err(|error| conversion_error(py, &error))?;
    Ok((DenseTensor::new(values), DenseTensor::new(lengths), values_per_key))
}

/// Row splits as numpy arrays, created on first use.
pub(super) struct Levels(PyOnceLock<Py<PyTuple>>);

impl Levels {
    pub(super) fn new() -> Self {
        Self(PyOnceLock::new())
    }

    pub(super) fn arrays<'py>(&self, py: Python<'py>, splits: &[RowSplits]) -> PyResult<Bound<'py, PyTuple>> {
        let made = || {
            let arrays = splits.iter().map(|splits| view::row_splits(py, splits));
            Ok::<_, PyErr>(PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)?.unbind())
        };
        Ok(made_once(&self.0, py, made)?.bind(py).clone())
    }
}

#[pymethods]
impl RaggedTensor {
    #[new]
    #[pyo3(signature = (flat_values, row_splits))]
    fn of_parts(flat_values: &Bound<'_, PyAny>, row_splits: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = flat_values.py();
        let splits = build::row_splits(row_splits)?;
        let tensor = tensor::RaggedTensor::try_new(DenseTensor::given("flat_values", flat_values)?, splits);
        Ok(Self::new(tensor.map_err(|error| conversion_error(py, &error))?, None))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((self.flat_values(py)?, self.row_splits(py)?))
    }

    #[doc = docs!(RaggedTensor.flat_values)]
    #[getter]
    fn flat_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.flat_values.array(py)
    }

    #[doc = docs!(RaggedTensor.row_splits)]
    #[getter]
    fn row_splits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.row_splits.arrays(py, self.tensor.row_splits())
    }

    #[doc = docs!(RaggedTensor.ragged_rank)]
    #[getter]
    fn ragged_rank(&self) -> usize {
        self.tensor.row_splits().len()
    }

    #[doc = docs!(RaggedTensor.dtype)]
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_dtype(py, self.tensor.flat_values().values().dtype())
    }

    #[doc = docs!(RaggedTensor.arrow)]
    #[getter]
    fn arrow(&self) -> Array {
        self.flat_values.arrow_array()
    }

    #[doc = docs!(RaggedTensor.parts)]
    fn parts(&self, py: Python<'_>) -> PyResult<(Py<DenseTensor>, Vec<Py<DenseTensor>>)> {
        let levels = self.tensor.row_splits().iter();
        let row_splits = levels.map(|splits| Py::new(py, DenseTensor::row_splits(py, splits)?));
        Ok((self.flat_values.object(py)?, row_splits.collect::<PyResult<_>>()?))
    }

    #[doc = docs!(RaggedTensor.lengths)]
    fn lengths(&self, py: Python<'_>) -> PyResult<DenseTensor> {
        dense(py, || self.tensor.lengths())
    }

    #[doc = docs!(RaggedTensor.segment_ids)]
    fn segment_ids(&self, py: Python<'_>) -> PyResult<DenseTensor> {
        dense(py, || self.tensor.segment_ids())
    }

    #[doc = signed!(RaggedTensor.padded)]
    #[pyo3(signature = (pad_to=None, *, pad_value=None, truncate=false), text_signature = None)]
    fn padded(
        &self,
        py: Python<'_>,
        pad_to: Option<&Bound<'_, PyAny>>,
        pad_value: Option<&Bound<'_, PyAny>>,
        truncate: bool,
    ) -> PyResult<(DenseTensor, DenseTensor)> {
        let to = pad_to.map(pad_to_argument).transpose()?.unwrap_or_default();
        let value = pad_value.map(given_default).transpose()?;
        let values = tensor::Padding { to, value, truncate, ..tensor::Padding::default() };
        let mask = tensor::Padding { value: None, mask: true, ..values.clone() };
        Ok((dense(py, || self.tensor.padded(&values))?, dense(py, || self.tensor.padded(&mask))?))
    }

    #[doc = docs!(RaggedTensor.to_list)]
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut items: Bound<'py, PyList> = self.flat_values(py)?.call_method0("tolist")?.cast_into()?;
        for splits in self.tensor.row_splits().iter().rev() {
            let rows = (0..splits.rows()).filter_map(|row| splits.range(row)).enumerate();
            let lists = rows.map(|(item, row)| {
                check_at(py, item)?;
                Ok(items.get_slice(row.start, row.end))
            });
            items = PyList::new(py, lists.collect::<PyResult<Vec<_>>>()?)?;
        }
        Ok(items)
    }

    fn __len__(&self) -> usize {
        self.tensor.rows()
    }

    fn __repr__(&self) -> String {
        let flat = self.tensor.flat_values();
        let ragged = self.tensor.row_splits().iter().map(|_| "?".to_owned());
        let inner = flat.shape().iter().skip(1).map(ToString::to_string);
        let shape: Vec<String> =
            std::iter::once(self.tensor.rows().to_string()).chain(ragged).chain(inner).collect();
        let (dtype, values) = (flat.values().dtype(), counted(flat.values().len(), "value"));
        format!("<arrowfeed.RaggedTensor {dtype} [{}], {values}>", shape.join(", "))
    }

    fn _repr_html_(&self) -> String {
        let text = self.__repr__();
        html::ragged(text.trim_matches(['<', '>']), &self.tensor)
    }
}
