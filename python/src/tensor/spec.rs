//! `arrowfeed.TensorSpec`.

use std::hash::{DefaultHasher, Hash, Hasher};

use arrowfeed::printable;
use arrowfeed::tensor::{self, SplitsDType, TensorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::kind_arguments::named;
use super::memory::{dtype_argument, numpy_dtype};
use crate::argument::{each, integer, wrong_type, wrong_value};
use crate::argument_types::{Argument, given};

choices! {
    TensorKind { "dense" = Dense, "sparse" = Sparse, "ragged" = Ragged, "structured" = Structured }
    SplitsDType { "int32" = Int32, "int64" = Int64 }
}

#[doc = signed!(TensorSpec)]
#[pyclass(module = "arrowfeed", frozen, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TensorSpec(pub(crate) tensor::TensorSpec);

/// Converts specs to a dict by tensor name.
pub(crate) fn specs_by_name<'py>(
    py: Python<'py>,
    specs: &[(String, tensor::TensorSpec)],
) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(py);
    for (name, spec) in specs {
        named.set_item(name, TensorSpec(spec.clone()))?;
    }
    Ok(named)
}

#[pymethods]
impl TensorSpec {
    #[new]
    #[pyo3(signature = (kind, dtype, shape, *, ragged_rank=None, row_splits_dtype=None, fields=None), text_signature = None)]
    fn new(
        kind: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        ragged_rank: Option<&Bound<'_, PyAny>>,
        row_splits_dtype: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let kind = TensorKind::parse("kind", kind)?;
        let structured = kind == TensorKind::Structured;
        let sizes = sizes(shape)?;
        let ragged = kind == TensorKind::Ragged;
        let rank = ragged_rank.map_or(Ok(0), |rank| integer("ragged_rank", 0, rank))?;
        if (!structured && ragged != (rank > 0)) || rank >= sizes.len().max(1) {
            let found = ragged_rank
                .map_or_else(|| 0.into_pyobject(shape.py()).map(Bound::into_any), |rank| Ok(rank.clone()))?;
            let expected = if structured {
                "less than the number of sizes in the shape"
            } else if ragged {
                "at least 1, and less than the number of sizes in the shape"
            } else {
                "0 unless the kind is ragged"
            };
            return Err(wrong_value("ragged_rank", expected, &found));
        }
        let splits: SplitsDType = given("row_splits_dtype", row_splits_dtype)?;
        if structured && !dtype.is_none() {
            return Err(wrong_value("dtype", "None for the kind structured", dtype));
        }
        let expected = "a dict of names to TensorSpec for the kind structured";
        let fields = match fields {
            None if structured => {
                return Err(wrong_type("fields", expected, &dtype.py().None().into_bound(dtype.py())));
            }
            Some(fields) if !structured => return Err(wrong_type("fields", expected, fields)),
            fields => fields.map_or(Ok(Vec::new()), |fields| {
                named("fields", expected, fields, |spec| Some(spec.cast::<Self>().ok()?.get().0.clone()))
            })?,
        };
        Ok(Self(tensor::TensorSpec {
            kind,
            dtype: if structured { None } else { Some(dtype_argument(dtype)?) },
            shape: sizes,
            ragged_rank: rank,
            row_splits_dtype: (rank > 0).then_some(splits),
            fields,
        }))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py>> {
        let keywords = PyDict::new(py);
        if let Some(dtype) = self.row_splits_dtype() {
            keywords.set_item("ragged_rank", self.0.ragged_rank)?;
            keywords.set_item("row_splits_dtype", dtype)?;
        }
        if self.0.kind == TensorKind::Structured {
            keywords.set_item("fields", self.fields(py)?)?;
        }
        Ok(((self.kind(), self.dtype(py)?, self.shape(py)?), keywords))
    }

    #[doc = docs!(TensorSpec.kind)]
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[doc = docs!(TensorSpec.dtype)]
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.dtype.map(|dtype| numpy_dtype(py, dtype)).transpose()
    }

    #[doc = docs!(TensorSpec.shape)]
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }

    #[doc = docs!(TensorSpec.ragged_rank)]
    #[getter]
    fn ragged_rank(&self) -> usize {
        self.0.ragged_rank
    }

    #[doc = docs!(TensorSpec.row_splits_dtype)]
    #[getter]
    fn row_splits_dtype(&self) -> Option<&'static str> {
        self.0.row_splits_dtype.map(SplitsDType::name)
    }

    #[doc = docs!(TensorSpec.fields)]
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (name, spec) in &self.0.fields {
            fields.set_item(name, Self(spec.clone()))?;
        }
        Ok(fields)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.TensorSpec {}>", printable(&self.0.to_string()))
    }
}

type NewArguments<'py> = ((&'static str, Option<Bound<'py, PyAny>>, Bound<'py, PyTuple>), Bound<'py, PyDict>);

fn sizes(shape: &Bound<'_, PyAny>) -> PyResult<Vec<Option<usize>>> {
    let expected = "a list or tuple of sizes (int, or None if unknown), the batch first";
    let items = each("shape", expected, shape)?;
    if items.is_empty() {
        return Err(wrong_value("shape", expected, shape));
    }
    let sizes =
        items.iter().map(|size| if size.is_none() { Ok(None) } else { integer("shape", 0, size).map(Some) });
    sizes.collect()
}
