//! `arrowfeed.StructuredTensor`.

use std::sync::Arc;

use arrowfeed::printable;
use arrowfeed::tensor::{self, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::dense::DenseTensor;
use super::kind_arguments::named;
use super::ragged::{Levels, RaggedTensor};
use super::sparse::SparseTensor;
use super::{build, html};
use crate::argument::integer;
use crate::arrow_schema::{SHOWN, counted};
use crate::errors::conversion_error;

#[doc = signed!(StructuredTensor)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct StructuredTensor {
    pub(super) tensor: tensor::StructuredTensor,
    fields: Vec<(String, Py<PyAny>)>,
    row_splits: Levels,
}

impl StructuredTensor {
    /// `name`: the name of the enclosing tensor.
    pub(super) fn new(
        py: Python<'_>,
        tensor: tensor::StructuredTensor,
        name: Option<&Arc<str>>,
    ) -> PyResult<Self> {
        let fields = tensor.fields().iter().map(|(field, tensor)| {
            let name = name.map_or_else(|| field.as_str().into(), Arc::clone);
            Ok((field.clone(), wrapped(py, tensor.clone(), &name)?))
        });
        Ok(Self { fields: fields.collect::<PyResult<_>>()?, row_splits: Levels::new(), tensor })
    }
}

type NewArguments<'py> = ((Bound<'py, PyDict>, Bound<'py, PyTuple>), Bound<'py, PyDict>);

#[pymethods]
impl StructuredTensor {
    #[new]
    #[pyo3(signature = (fields, row_splits=None, *, rows=None), text_signature = None)]
    fn of_parts(
        fields: &Bound<'_, PyAny>,
        row_splits: Option<&Bound<'_, PyAny>>,
        rows: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = fields.py();
        let fields = named("fields", "a dict of names to tensors of arrowfeed", fields, unwrapped)?;
        let row_splits = row_splits.map_or(Ok(Vec::new()), build::row_splits)?;
        let rows = match rows {
            Some(rows) => integer("rows", 0, rows)?,
            None => match (row_splits.first(), fields.first()) {
                (Some(splits), _) => splits.rows(),
                (None, Some((_, tensor))) => tensor.rows(),
                (None, None) => {
                    return Err(PyTypeError::new_err(
                        "rows: expected the number of rows, because there are neither fields nor row_splits",
                    ));
                }
            },
        };
        let tensor = tensor::StructuredTensor::try_new(rows, row_splits, fields);
        Self::new(py, tensor.map_err(|error| conversion_error(py, &error))?, None)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py>> {
        let keywords = PyDict::new(py);
        keywords.set_item("rows", self.tensor.rows())?;
        Ok(((self.fields(py)?, self.row_splits(py)?), keywords))
    }

    #[doc = docs!(StructuredTensor.fields)]
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (name, tensor) in &self.fields {
            fields.set_item(name, tensor)?;
        }
        Ok(fields)
    }

    #[doc = docs!(StructuredTensor.row_splits)]
    #[getter]
    fn row_splits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.row_splits.arrays(py, self.tensor.row_splits())
    }

    fn __len__(&self) -> usize {
        self.tensor.rows()
    }

    fn __repr__(&self) -> String {
        let rows = counted(self.tensor.rows(), "row");
        let names: Vec<String> = self.fields.iter().map(|(name, _)| printable(name)).collect();
        format!("<arrowfeed.StructuredTensor of {rows}, fields {}>", names.join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let texts = self.fields.iter().take(SHOWN).map(|(_, tensor)| tensor.bind(py).repr()?.extract());
        let texts: Vec<String> = texts.collect::<PyResult<_>>()?;
        Ok(html::structured(&self.tensor, texts.iter().map(|text| text.trim_matches(['<', '>']).to_owned())))
    }
}

/// Wraps a tensor in an object of its Python class.
pub(super) fn wrapped(py: Python<'_>, tensor: Tensor, name: &Arc<str>) -> PyResult<Py<PyAny>> {
    let name = Some(name);
    Ok(match tensor {
        Tensor::Dense(tensor) => Py::new(py, DenseTensor::new(tensor).named(name))?.into_any(),
        Tensor::Sparse(tensor) => Py::new(py, SparseTensor::new(py, tensor, name)?)?.into_any(),
        Tensor::Ragged(tensor) => Py::new(py, RaggedTensor::new(tensor, name))?.into_any(),
        Tensor::Structured(tensor) => Py::new(py, StructuredTensor::new(py, tensor, name)?)?.into_any(),
    })
}

/// Extracts a tensor of any arrowfeed class.
pub(super) fn unwrapped(value: &Bound<'_, PyAny>) -> Option<Tensor> {
    if let Ok(dense) = value.cast::<DenseTensor>() {
        return Some(Tensor::Dense(dense.get().tensor.clone()));
    }
    if let Ok(sparse) = value.cast::<SparseTensor>() {
        return Some(Tensor::Sparse(sparse.get().tensor.clone()));
    }
    if let Ok(ragged) = value.cast::<RaggedTensor>() {
        return Some(Tensor::Ragged(ragged.get().tensor.clone()));
    }
    let structured = value.cast::<StructuredTensor>().ok()?;
    Some(Tensor::Structured(structured.get().tensor.clone()))
}
