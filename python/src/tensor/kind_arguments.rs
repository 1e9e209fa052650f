//! Parsing of the arguments of representations and specs: names, sizes, partitions, defaults.

use arrowfeed::tensor::{ColumnPath, DefaultValue, PadTo, Padding, Partition};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyString};

use crate::argument::{self, integer, strings, wrong_type, wrong_value};

pub(super) fn name(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    let expected = match argument {
        "column" if argument::items(value).is_some() => {
            "the name of a column (str); the classes of arrowfeed.features take a shape"
        }
        _ => "the name of a column (str)",
    };
    Err(wrong_type(argument, expected, value))
}

pub(super) fn each<'py, T>(
    name: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
    item: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    argument::each(name, expected, value)?.iter().map(item).collect()
}

/// Parses the items of a dict with names as keys.
pub(super) fn named<T>(
    argument: &str,
    expected: &str,
    value: &Bound<'_, PyAny>,
    item: impl Fn(&Bound<'_, PyAny>) -> Option<T>,
) -> PyResult<Vec<(String, T)>> {
    let dict = value.cast::<PyDict>().map_err(|_| wrong_type(argument, expected, value))?;
    let items = dict.iter().map(|(name, value)| {
        let text = name.extract::<String>().map_err(|_| wrong_type(argument, expected, &name))?;
        Ok((text, item(&value).ok_or_else(|| wrong_type(argument, expected, &value))?))
    });
    items.collect()
}

pub(super) fn dimension(size: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if size.is_none() || size.extract::<i64>().is_ok_and(|size| size == -1) {
        return Ok(None);
    }
    integer("dense_shape", 0, size).map(Some)
}

pub(super) fn partition(value: &Bound<'_, PyAny>) -> PyResult<Partition> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(Partition::RowLength(name.to_str()?.to_owned()));
    }
    integer("partitions", 1, value).map(Partition::Uniform)
}

pub(super) fn column_path(value: &Bound<'_, PyAny>) -> PyResult<ColumnPath> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(ColumnPath::from(name.to_str()?));
    }
    strings("path", "a path (str, or a list or tuple of str)", value).map(ColumnPath::new)
}

/// Parses a length to pad to: "longest", an int, or "multiple of" an int.
pub(super) fn pad_to(value: &Bound<'_, PyAny>) -> PyResult<PadTo> {
    let expected = "\"longest\", a length (int) of 1 or more, or \"multiple of N\"";
    match value.cast::<PyString>() {
        Ok(text) => text.to_str()?.parse().map_err(|()| wrong_value("pad_to", expected, value)),
        Err(_) if value.hasattr("__index__")? => integer("pad_to", 1, value).map(PadTo::Length),
        Err(_) => Err(wrong_type("pad_to", expected, value)),
    }
}

/// The padding of these arguments. `None`: no length to pad to.
pub(super) fn padding(
    to: Option<&Bound<'_, PyAny>>,
    value: Option<&Bound<'_, PyAny>>,
    truncate: bool,
    mask: bool,
    pack: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Padding>> {
    let Some(to) = to else {
        if value.is_some() || truncate || mask || pack.is_some() {
            let message =
                "pad_to: expected a length to pad to, with pad_value=, truncate=, mask= or pack=, found None";
            return Err(PyValueError::new_err(message));
        }
        return Ok(None);
    };
    let pack = pack.map(|pack| {
        let parsed = pack.cast::<PyString>().ok().and_then(|text| text.to_str().ok()?.parse().ok());
        parsed.ok_or_else(|| wrong_value("pack", "\"values\", \"segment_ids\" or \"positions\"", pack))
    });
    let (value, pack) = (value.map(given_default).transpose()?, pack.transpose()?);
    Ok(Some(Padding { to: pad_to(to)?, value, truncate, mask, pack }))
}

/// Parses a default value. Accepts numpy numbers through `__index__` or `__float__`.
pub(super) fn given_default(value: &Bound<'_, PyAny>) -> PyResult<DefaultValue> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(DefaultValue::Bytes(text.to_str()?.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(DefaultValue::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(truth) = value.extract::<bool>() {
        return Ok(DefaultValue::Int(truth.into()));
    }
    if !value.is_instance_of::<PyFloat>() && value.hasattr("__index__")? {
        let signed = value.extract().map(DefaultValue::Int);
        let any = signed.or_else(|_| value.extract().map(DefaultValue::UInt));
        return any.map_err(|_| wrong_value("default", "an integer of 64 bits", value));
    }
    let expected = "an int, a float, a bool, bytes or a str";
    value.extract().map(DefaultValue::Float).map_err(|_| wrong_type("default", expected, value))
}
