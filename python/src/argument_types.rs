//! Types of arguments: each checks the value that the caller passes, and names the argument in messages.
//!
//! The types are those of the library where it has one, so that an argument sets a field of the options of the library. PyO3's
//! own trait, `FromPyObject`, does not know the name of the argument.

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use arrowfeed::dataset::FileMatch;
use arrowfeed::source::OnError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMapping, PyString};

use crate::argument::{FITTING, flag, integer, path, strings, wrong_type, wrong_value};

/// A type of arguments.
pub(crate) trait Argument: Sized {
    /// Whether None is an error where it may differ from a missing argument.
    const REFUSES_NONE: bool = false;

    /// Converts a value other than None. `name`: the argument, for messages.
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self>;

    /// The value that pickles of a dataset keep: later changes of the value of the caller have no effect on it.
    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(given)
    }
}

/// The value of an argument that may differ from None. `None`: the caller leaves it out.
pub(crate) struct Given<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(Some(value.to_owned())))
    }
}

/// Sets a field to the value of an argument, unless the caller leaves it out.
pub(crate) fn set<T: Argument>(field: &mut T, name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    if let Some(value) = value.filter(|value| T::REFUSES_NONE || !value.is_none()) {
        *field = T::parse(name, value)?;
    }
    Ok(())
}

/// Converts the value of an argument with a default.
pub(crate) fn given<T: Argument + Default>(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<T> {
    let mut converted = T::default();
    set(&mut converted, name, value)?;
    Ok(converted)
}

/// Converts variables of type `Option<&Bound<PyAny>>` to a struct with fields of these names. The other fields have their
/// defaults. `name in part`: the field is that of a part of the struct.
macro_rules! parsed {
    ($arguments:ty { $($name:ident $(in $($part:ident).+)?),* $(,)? }) => {{
        let mut arguments = <$arguments>::default();
        $($crate::argument_types::set(&mut arguments.$($($part.)+)?$name, stringify!($name), $name)?;)*
        arguments
    }};
}

impl<T: Argument> Argument for Option<T> {
    const REFUSES_NONE: bool = T::REFUSES_NONE;

    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        T::parse(name, value).map(Some)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Some(value) => value.picklable(given),
            None => Ok(given),
        }
    }
}

/// A type whose values have words.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    /// The first word of a value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

impl<T: Choice> Argument for T {
    const REFUSES_NONE: bool = true;

    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let words: Vec<String> = T::WORDS.iter().map(|(word, _)| format!("{word:?}")).collect();
        let expected = match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.concat(),
        };
        let text = value.cast::<PyString>().map_err(|_| wrong_type(name, &expected, value))?.to_cow()?;
        let found = T::WORDS.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| wrong_value(name, &expected, value))
    }
}

/// Defines the words of types.
macro_rules! choices {
    ($($type:ty { $($word:literal = $value:ident),* $(,)? })*) => {
        $(impl $crate::argument_types::Choice for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),*];
        })*
    };
}

choices! { FileMatch { "names" = Names, "contents" = Contents } }

choices! { OnError { "raise" = Raise, "skip_block" = SkipBlock, "skip_file" = SkipFile } }

/// Converts values of a type with a function.
macro_rules! arguments {
    ($($type:ty = $parse:expr;)*) => {
        $(impl Argument for $type {
            fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
                $parse(name, value)
            }
        })*
    };
}

arguments! {
    bool = flag;
    i32 = |name, value: &Bound<'_, PyAny>| value.extract().map_err(|_| wrong_type(name, "an integer", value));
    u64 = |name, value| integer(name, 1, value);
    // The number of lines to skip may be 0.
    usize = |name, value| integer(name, u64::from(name != "skip_lines"), value);
    // The value is converted later, together with others.
    Py<PyAny> = |_, value: &Bound<'_, PyAny>| Ok(value.clone().unbind());
}

impl Argument for NonZeroUsize {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number: NonZeroU64 = integer(name, 1, value)?;
        number.try_into().map_err(|_| wrong_value(name, FITTING, value))
    }
}

impl Argument for PathBuf {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        path(name, value)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_pyobject(given.py())?.into_any())
    }
}

/// What a text or a list of texts is, by the name of the argument.
fn text(name: &str) -> &'static str {
    match name {
        "column" | "sequence_column" | "file_column" | "row_column" => "the name of a column (str)",
        "name" => "a str",
        "names" | "multivalent_columns" => "a list of names of columns (str)",
        "nulls" | "true_values" | "false_values" => "a list of texts (str)",
        "generic_sparse" => "a list or tuple of names of tensors (str)",
        "sparse_value_column" | "sparse_index_column" => "a template (str)",
        _ => "a list of field paths (str)",
    }
}

impl Argument for String {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        value.extract().map_err(|_| wrong_type(name, text(name), value))
    }
}

/// The texts in an iterable.
impl Argument for Vec<String> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        strings(name, text(name), value)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(given.py(), self)?.into_any())
    }
}

/// The keys and values of a mapping.
impl Argument for BTreeMap<String, Vec<u8>> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong = |value: &Bound<'_, PyAny>| wrong_type(name, "a dict of str to bytes", value);
        let mut entries = Self::new();
        for pair in value.cast::<PyMapping>().map_err(|_| wrong(value))?.items()? {
            let (key, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let key = key.extract().map_err(|_| wrong(&key))?;
            let value = value.cast::<PyBytes>().map_err(|_| wrong(&value))?;
            entries.insert(key, value.as_bytes().to_vec());
        }
        Ok(entries)
    }
}
