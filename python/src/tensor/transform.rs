//! `arrowfeed.features.Transform`, and the functions that create transforms.

use std::sync::Arc;

use arrowfeed::tensor::{self, Hash, Lookup, RepresentationError, Token, Vocabulary};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyString, PyTuple};

use super::memory::dtype_argument;
use super::representation::bytes;
use crate::argument::{each, flag, integer, number, strings, wrong_type, wrong_value};
use crate::array::Array;
use crate::errors::representation_error;
use crate::once::imported;

#[doc = docs!(Transform)]
#[pyclass(module = "arrowfeed.features", frozen)]
#[derive(Debug)]
pub(crate) struct Transform(pub(super) tensor::Transform);

#[pymethods]
impl Transform {
    #[doc = docs!(Transform.from_proto)]
    #[staticmethod]
    fn from_proto(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = bytes("data", "bytes", data)?;
        made(data.py(), tensor::Transform::from_proto(&bytes))
    }

    #[doc = docs!(Transform.to_proto)]
    fn to_proto<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_proto())
    }

    #[doc = docs!(Transform.keys)]
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.with())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.to_string()).hash()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_proto")?, (self.to_proto(py),)))
    }
}

fn made(py: Python<'_>, transform: Result<tensor::Transform, RepresentationError>) -> PyResult<Transform> {
    let checked = transform.and_then(|transform| transform.validate().map(|()| transform));
    checked.map(Transform).map_err(|error| representation_error(py, &error))
}

/// The transforms of an argument: one, or several in order.
pub(super) fn transforms(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<tensor::Transform>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(Vec::new()) };
    let expected = "a Transform of arrowfeed.features, or a list of them";
    let one = |value: &Bound<'_, PyAny>| Some(value.cast::<Transform>().ok()?.get().0.clone());
    if let Some(transform) = one(value) {
        return Ok(vec![transform]);
    }
    let items = each("transform", expected, value)?;
    items.iter().map(|item| one(item).ok_or_else(|| wrong_type("transform", expected, item))).collect()
}

pub(super) fn transform_tuple<'py>(
    py: Python<'py>,
    transforms: &[tensor::Transform],
) -> PyResult<Bound<'py, PyTuple>> {
    let items = transforms.iter().map(|transform| Py::new(py, Transform(transform.clone())));
    PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

fn unsigned(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(name, 0, value)
}

#[doc = docs!(hashed)]
#[pyfunction]
#[pyo3(signature = (buckets, *, seed=None, key=None))]
pub(crate) fn hashed(
    buckets: &Bound<'_, PyAny>,
    seed: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
) -> PyResult<Transform> {
    let py = buckets.py();
    let hash = match (seed, key) {
        (seed, None) => Hash::Fingerprint64 { seed: seed.map(|seed| unsigned("seed", seed)).transpose()? },
        (None, Some(key)) => {
            let expected = "two integers of 64 bits";
            let parts = each("key", expected, key)?;
            let parts = parts.iter().map(|part| unsigned("key", part)).collect::<PyResult<Vec<u64>>>()?;
            Hash::SipHash { key: parts.try_into().map_err(|_| wrong_value("key", expected, key))? }
        }
        (Some(seed), Some(_)) => return Err(wrong_value("seed", "None with a key", seed)),
    };
    made(py, Ok(tensor::Transform::Hashed { buckets: integer("buckets", 1, buckets)?, hash }))
}

#[doc = docs!(vocabulary)]
#[pyfunction]
#[pyo3(signature = (tokens, *, oov=None, default=None, mask=None, integers=None))]
pub(crate) fn vocabulary(
    tokens: &Bound<'_, PyAny>,
    oov: Option<&Bound<'_, PyAny>>,
    default: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
    integers: Option<&Bound<'_, PyAny>>,
) -> PyResult<Transform> {
    let py = tokens.py();
    let integers = integers.map_or(Ok(false), |integers| flag("integers", integers))?;
    let vocabulary = made_vocabulary(tokens, integers)?.map_err(|error| representation_error(py, &error))?;
    let default = default.map(|default| {
        default.extract().map_err(|_| wrong_type("default", "an integer of 64 bits", default))
    });
    let mask = mask.map(|mask| token("mask", mask)).transpose()?;
    let lookup = Lookup {
        vocabulary: Arc::new(vocabulary),
        oov: oov.map_or(Ok(1), |oov| unsigned("oov", oov))?,
        default: default.transpose()?,
        mask,
    };
    made(py, Ok(tensor::Transform::Lookup(lookup)))
}

fn made_vocabulary(
    tokens: &Bound<'_, PyAny>,
    integers: bool,
) -> PyResult<Result<Vocabulary, RepresentationError>> {
    static LINES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static VALUES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = tokens.py();
    if let Ok(array) = tokens.cast::<Array>() {
        let array = &array.get().array;
        return Ok(py.detach(|| Vocabulary::from_array(array)));
    }
    if tokens.is_instance_of::<PyString>() || tokens.hasattr("__fspath__")? {
        let text = imported(&LINES, py, "arrowfeed._features.tokens", "file_content")?.call1((tokens,))?;
        let text = text.cast::<PyBytes>()?.as_bytes();
        return Ok(py.detach(|| match integers {
            true => Vocabulary::integers_from_lines(text),
            false => Vocabulary::from_lines(text),
        }));
    }
    let values = imported(&VALUES, py, "arrowfeed._features.tokens", "values")?.call1((tokens,))?;
    let expected = "a file (str or os.PathLike), or a list or column of str, bytes or int";
    let items = each("tokens", expected, &values)?;
    let all = items.iter().map(|item| token("tokens", item)).collect::<PyResult<Vec<Token>>>()?;
    let is_integer = |token: &Token| matches!(token, Token::Integer(_));
    let first = all.first().is_some_and(is_integer);
    if let Some(other) = all.iter().position(|token| is_integer(token) != first) {
        return Err(wrong_type("tokens", "tokens of one type", &items[other]));
    }
    let numbers = all.iter().filter_map(|token| match token {
        Token::Integer(number) => Some(*number),
        Token::Bytes(_) => None,
    });
    Ok(match first {
        true => Vocabulary::from_integers(numbers),
        false => Vocabulary::from_tokens(all.iter().filter_map(|token| match token {
            Token::Bytes(bytes) => Some(bytes),
            Token::Integer(_) => None,
        })),
    })
}

fn token(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Token> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Token::Bytes(text.to_str()?.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Token::Bytes(bytes.as_bytes().to_vec()));
    }
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
    number.map(Token::Integer).ok_or_else(|| wrong_type(name, "a str, bytes or an integer of 64 bits", value))
}

#[doc = docs!(bucketized)]
#[pyfunction]
pub(crate) fn bucketized(boundaries: &Bound<'_, PyAny>) -> PyResult<Transform> {
    let items = each("boundaries", "a list or array of numbers", boundaries)?;
    let boundaries_of = items.iter().map(|item| number("boundaries", item)).collect::<PyResult<_>>()?;
    made(boundaries.py(), Ok(tensor::Transform::Bucketized { boundaries: boundaries_of }))
}

#[doc = docs!(clipped)]
#[pyfunction]
#[pyo3(signature = (low=None, high=None))]
pub(crate) fn clipped(
    py: Python<'_>,
    low: Option<&Bound<'_, PyAny>>,
    high: Option<&Bound<'_, PyAny>>,
) -> PyResult<Transform> {
    let low = low.map(|low| number("low", low)).transpose()?;
    let high = high.map(|high| number("high", high)).transpose()?;
    made(py, Ok(tensor::Transform::Clipped { low, high }))
}

#[doc = docs!(normalised)]
#[pyfunction]
pub(crate) fn normalised(mean: &Bound<'_, PyAny>, std: &Bound<'_, PyAny>) -> PyResult<Transform> {
    let transform = tensor::Transform::Normalised { mean: number("mean", mean)?, std: number("std", std)? };
    made(mean.py(), Ok(transform))
}

#[doc = docs!(cast)]
#[pyfunction]
#[pyo3(signature = (dtype, *, lossy=None))]
pub(crate) fn cast(dtype: &Bound<'_, PyAny>, lossy: Option<&Bound<'_, PyAny>>) -> PyResult<Transform> {
    let lossy = lossy.map_or(Ok(false), |lossy| flag("lossy", lossy))?;
    made(dtype.py(), Ok(tensor::Transform::Cast { dtype: dtype_argument(dtype)?, lossy }))
}

#[doc = docs!(crossed)]
#[pyfunction]
#[pyo3(signature = (keys, buckets, *, seed=None))]
pub(crate) fn crossed(
    keys: &Bound<'_, PyAny>,
    buckets: &Bound<'_, PyAny>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Transform> {
    let with = match keys.cast::<PyString>() {
        Ok(key) => vec![key.to_str()?.to_owned()],
        Err(_) => strings("keys", "a column or key (str), or a list of them", keys)?,
    };
    let buckets = integer("buckets", 1, buckets)?;
    let seed = seed.map_or(Ok(tensor::Transform::CROSS_SEED), |seed| unsigned("seed", seed))?;
    made(keys.py(), Ok(tensor::Transform::Crossed { with, buckets, seed }))
}
