//! The argument `features`: a dict of names to features of arrowfeed, TensorFlow, tensorflow-io or ATDS.
//!
//! `arrowfeed/_features/foreign.py` converts them to arrowfeed features, whose constructors check the fields.

use arrowfeed::tensor;
use arrowfeed::tensor::feature::{self, Casts, Feature, RowDefault};
use arrowfeed::tensor::{DType, Duplicates};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::kind_arguments::{given_default, padding};
use super::memory::dtype_argument;
use super::transform::Transform;
use crate::argument::wrong_type;
use crate::argument_types::{Argument, given};
use crate::once::imported;

choices! { Duplicates { "keep" = Keep, "error" = Error } }

/// Parses names and features, in the order of the dict.
pub(super) fn features(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Feature)>> {
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(wrong_type("features", "a dict of names to features", value));
    };
    let items = dict.iter().map(|(name, value)| {
        let text = name.cast::<PyString>();
        let text = text.map_err(|_| wrong_type("features", "names of tensors (str)", &name))?;
        Ok((text.to_str()?.to_owned(), feature(text, &value)?))
    });
    items.collect()
}

fn feature(name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<Feature> {
    static NORMALISED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let normalised = imported(&NORMALISED, value.py(), "arrowfeed._features.foreign", "normalised")?;
    let fields = Fields(normalised.call1((name, value))?);
    Ok(match fields.get::<String>("_kind")?.as_str() {
        "Dense" => Feature::Dense(fields.dense()?),
        "FixedLenSequence" => Feature::FixedLenSequence(fields.sequence()?),
        "VarLen" => Feature::VarLen(fields.varlen()?),
        "Sparse" => Feature::Sparse(fields.sparse()?),
        _ => Feature::Ragged(fields.ragged()?),
    })
}

/// A feature of `arrowfeed.features`.
struct Fields<'py>(Bound<'py, PyAny>);

impl<'py> Fields<'py> {
    fn get<T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(&self, name: &str) -> PyResult<T> {
        self.0.getattr(name)?.extract()
    }

    /// Returns a field that may be None.
    fn given(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(Some(self.0.getattr(name)?).filter(|value| !value.is_none()))
    }

    fn dtype(&self) -> PyResult<Option<DType>> {
        self.given("dtype")?.map(|dtype| dtype_argument(&dtype)).transpose()
    }

    fn transforms(&self) -> PyResult<Vec<tensor::Transform>> {
        let transforms: Vec<PyRef<'_, Transform>> = self.get("transform")?;
        Ok(transforms.iter().map(|transform| transform.0.clone()).collect())
    }

    /// The allowed conversions: `lossy` is True, False, or None for no conversions.
    fn casts(&self) -> PyResult<Casts> {
        Ok(match self.get::<Option<bool>>("lossy")? {
            Some(true) => Casts::Lossy,
            Some(false) => Casts::Exact,
            None => Casts::Refused,
        })
    }

    fn dense(&self) -> PyResult<feature::Dense> {
        let shape: Vec<usize> = self.get("shape")?;
        let default = self.given("default")?.map(|value| row_default(&shape, &value)).transpose()?;
        Ok(feature::Dense {
            key: self.get("key")?,
            shape,
            transforms: self.transforms()?,
            dtype: self.dtype()?,
            casts: self.casts()?,
            default,
            truncate: self.get("truncate")?,
        })
    }

    fn sequence(&self) -> PyResult<feature::FixedLenSequence> {
        Ok(feature::FixedLenSequence {
            key: self.get("key")?,
            shape: self.get("shape")?,
            transforms: self.transforms()?,
            dtype: self.dtype()?,
            casts: self.casts()?,
            truncate: self.get("truncate")?,
            default: self.given("default")?.map(|value| given_default(&value)).transpose()?,
        })
    }

    fn varlen(&self) -> PyResult<feature::VarLen> {
        Ok(feature::VarLen {
            key: self.get("key")?,
            shape: self.get("shape")?,
            transforms: self.transforms()?,
            dtype: self.dtype()?,
            casts: self.casts()?,
            truncate: self.get("truncate")?,
        })
    }

    fn sparse(&self) -> PyResult<feature::Sparse> {
        Ok(feature::Sparse {
            key: self.get("key")?,
            index_keys: self.get("index_key")?,
            value_key: self.get("value_key")?,
            size: self.get("size")?,
            transforms: self.transforms()?,
            dtype: self.dtype()?,
            casts: self.casts()?,
            already_sorted: self.get("already_sorted")?,
            duplicates: Duplicates::parse("duplicates", &self.0.getattr("duplicates")?)?,
        })
    }

    fn ragged(&self) -> PyResult<feature::Ragged> {
        Ok(feature::Ragged {
            key: self.get("key")?,
            inner_shape: self.get("inner_shape")?,
            transforms: self.transforms()?,
            dtype: self.dtype()?,
            casts: self.casts()?,
            row_splits_dtype: given("row_splits_dtype", self.given("row_splits_dtype")?.as_ref())?,
            padding: padding(
                self.given("pad_to")?.as_ref(),
                self.given("pad_value")?.as_ref(),
                self.get("truncate")?,
                self.get("mask")?,
                self.given("pack")?.as_ref(),
            )?,
        })
    }
}

/// Parses a scalar, or nested tuples of the shape.
fn row_default(shape: &[usize], value: &Bound<'_, PyAny>) -> PyResult<RowDefault> {
    if !value.is_instance_of::<PyTuple>() {
        return given_default(value).map(RowDefault::Scalar);
    }
    let mut items = vec![value.clone()];
    for _ in shape {
        let lists = items.iter().map(|item| item.cast::<PyTuple>().map(|tuple| tuple.iter()));
        items = lists.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    }
    let values = items.iter().map(given_default).collect::<PyResult<_>>()?;
    Ok(RowDefault::Row { shape: shape.to_vec(), values })
}
