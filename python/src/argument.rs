//! Checks of arguments: the message names the argument, what was expected and what was found.

use std::path::PathBuf;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple};

use crate::shutdown::call_method;

/// Characters of a value's text in a message.
const SHOWN: usize = 60;

/// Type and text of a value, in one line: `int -3`, `str 'nativ'`.
pub(crate) fn found(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    let name = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    match shown(value) {
        Ok(text) => format!("{name} {text}"),
        Err(_) => name,
    }
}

/// The start of a value's `repr`, in one line.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.repr()?.to_string();
    let text = text.lines().collect::<Vec<_>>().join(" ");
    let cut: String = text.chars().take(SHOWN).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    Ok(format!("{cut}{dots}"))
}

/// A `TypeError` about an argument.
pub(crate) fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected {expected}, found {}", found(value)))
}

/// A `ValueError` about an argument.
pub(crate) fn wrong_value(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{name}: expected {expected}, found {}", found(value)))
}

pub(crate) const FITTING: &str = "an integer of 64 bits";

/// An integer of `least` or more.
pub(crate) fn integer<N: TryFrom<u64>>(name: &str, least: u64, value: &Bound<'_, PyAny>) -> PyResult<N> {
    let expected = format!("an integer of {least} or more");
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, &expected, value));
    }
    match value.extract::<u64>() {
        Ok(number) if number >= least => N::try_from(number).map_err(|_| wrong_value(name, FITTING, value)),
        Ok(_) => Err(wrong_value(name, &expected, value)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            let expected = if value.gt(0)? { FITTING } else { &expected };
            Err(wrong_value(name, expected, value))
        }
        Err(_) => Err(wrong_type(name, &expected, value)),
    }
}

/// Converts a value to a float. Integers are accepted, booleans and texts are not.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyString>() {
        return Err(wrong_type(name, "a number", value));
    }
    value.extract().map_err(|_| wrong_type(name, "a number", value))
}

/// True or False.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.cast::<PyBool>().map(|flag| flag.is_true()).map_err(|_| wrong_type(name, "True or False", value))
}

/// A path: `str` or `os.PathLike`. A leading `~` stands for the home directory.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path = value.extract().map_err(|_| wrong_type(name, "a path (str or os.PathLike)", value))?;
    with_home(value.py(), path)
}

/// The path with the home directory in place of a leading `~` or `~user`, by the rules of `os.path.expanduser`.
pub(crate) fn with_home(py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
    if !path.as_os_str().as_encoded_bytes().starts_with(b"~") {
        return Ok(path);
    }
    call_method(py.import("os.path")?.as_any(), "expanduser", (path,))?.extract()
}

/// The strings of an iterable, see [`each`].
pub(crate) fn strings(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let items = each(name, expected, value)?;
    items.iter().map(|item| item.extract::<String>().map_err(|_| wrong_type(name, expected, item))).collect()
}

/// The entries of a mapping from strings.
pub(crate) fn entries<'py>(
    name: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let items = value.cast::<PyMapping>().map_err(|_| wrong_type(name, expected, value))?.items()?;
    let entry = |pair: Bound<'py, PyAny>| {
        let (key, value) = pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
        Ok((key.extract().map_err(|_| wrong_type(name, expected, &key))?, value))
    };
    items.iter().map(entry).collect()
}

/// The items of an iterable, such as a list, a tuple, a numpy array or a generator. Strings and dicts are refused,
/// because they are mistakes.
pub(crate) fn each<'py>(
    name: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Some(items) = items(value) {
        return Ok(items);
    }
    let is_one = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyDict>();
    let items = if is_one { None } else { value.try_iter().ok() };
    items.ok_or_else(|| wrong_type(name, expected, value))?.collect()
}

/// The items of a list or tuple. `None`: the value is neither.
pub(crate) fn items<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = value.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    value.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

/// The name of the method in the lists of the arguments that a dataset has.
pub(crate) const FILTER: &str = "filter()";

/// The argument of batches by length, which has arguments of its own.
pub(crate) const BY_LENGTH: &str = "batches";

/// Names of arguments in other functions and libraries, and the argument here.
const OTHER_NAMES: [(&str, &str); 27] = [
    ("shuffle", "shuffle_buffer_size"),
    ("buffer_size", "shuffle_buffer_size"),
    ("drop_last", "drop_remainder"),
    ("num_epochs", "epochs"),
    ("length", BY_LENGTH),
    ("max_tokens", BY_LENGTH),
    ("bucket_boundaries", BY_LENGTH),
    ("pack_to", BY_LENGTH),
    ("filter", "where"),
    ("filters", "where"),
    ("filter", FILTER),
    ("filters", FILTER),
    ("where", FILTER),
    ("reader_schema", "schema"),
    ("schema", "reader_schema"),
    ("compression", "codec"),
    ("codec", "compression"),
    ("compression_level", "level"),
    ("sep", "delimiter"),
    ("usecols", "columns"),
    ("include_columns", "columns"),
    ("dtype", "types"),
    ("column_types", "types"),
    ("na_values", "nulls"),
    ("null_values", "nulls"),
    ("skiprows", "skip_lines"),
    ("chunksize", "batch_size"),
];

/// The error that Python raises if a function does not have the keyword, and the name of the argument here. `has`: whether the
/// function has an argument.
pub(crate) fn unexpected_keyword(function: &str, keyword: &str, has: impl Fn(&str) -> bool) -> PyErr {
    let name = OTHER_NAMES.iter().find(|(other, name)| *other == keyword && has(name));
    let advice = match name {
        Some((_, BY_LENGTH)) => ": use batches=ByLength(...)".to_owned(),
        Some((_, FILTER)) => ": use the method filter() of the dataset".to_owned(),
        Some((_, name)) => format!(": use {name}="),
        None => String::new(),
    };
    PyTypeError::new_err(format!("{function}() got an unexpected keyword argument '{keyword}'{advice}"))
}

/// Raises for the first of the keywords that a function does not have. `names`: the names of its arguments.
pub(crate) fn refuse_others(
    function: &str,
    others: Option<&Bound<'_, PyDict>>,
    names: &[&str],
) -> PyResult<()> {
    let Some((other, _)) = others.and_then(|others| others.iter().next()) else { return Ok(()) };
    Err(unexpected_keyword(function, &other.to_string(), |name| names.contains(&name)))
}
