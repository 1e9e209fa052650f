//! Types of arguments: each checks the value that the caller passes, and names the argument in messages.
//!
//! The types are those of the library where it has one, so that an argument sets a field of the options of the library. PyO3's
//! own trait, `FromPyObject`, does not know the name of the argument.

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use arrowfeed::avro::{ColumnEncoding, StringType, Unions};
use arrowfeed::dataset::FileMatch;
use arrowfeed::source::OnError;
use arrowfeed::source::options::Words;
use arrowfeed::tfrecord::example::FeatureKind;
use arrowfeed::tfrecord::{Compression, FeatureEncoding};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::argument::{FITTING, entries, flag, integer, path, strings, wrong_type, wrong_value};

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

/// A type whose values have words in Python alone.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    /// The first word of a value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// The place of a word among those that an argument may have.
pub(crate) fn place_of_word(name: &str, value: &Bound<'_, PyAny>, words: &[&str]) -> PyResult<usize> {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    let expected = match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    };
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, &expected, value))?.to_cow()?;
    words.iter().position(|word| *word == text).ok_or_else(|| wrong_value(name, &expected, value))
}

/// Defines the words of types.
macro_rules! choices {
    ($($type:ty { $($word:literal = $value:ident),* $(,)? })*) => {
        $(
            impl $crate::argument_types::Choice for $type {
                const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),*];
            }

            impl $crate::argument_types::Argument for $type {
                const REFUSES_NONE: bool = true;

                fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let place = $crate::argument_types::place_of_word(name, value, &[$($word),*])?;
                    Ok([$(Self::$value),*][place])
                }
            }
        )*
    };
}

/// Converts words to types of the library, which has the words.
macro_rules! words {
    ($($type:ty),* $(,)?) => {
        $(impl Argument for $type {
            const REFUSES_NONE: bool = true;

            fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
                Ok(Self::VALUES[place_of_word(name, value, Self::NAMES)?])
            }
        })*
    };
}

words! { ColumnEncoding, Compression, FeatureEncoding, FeatureKind, FileMatch, OnError, StringType, Unions }

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
impl Argument for BTreeMap<String, i32> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let entry = |(key, length): (String, Bound<'_, PyAny>)| {
            let length = i32::parse(&format!("{name}[{key:?}]"), &length)?;
            Ok((key, length))
        };
        entries(name, "a dict of str to int", value)?.into_iter().map(entry).collect()
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.clone().into_pyobject(given.py())?.into_any())
    }
}

/// The keys and values of a mapping.
impl Argument for BTreeMap<String, Vec<u8>> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a dict of str to bytes";
        let entry = |(key, value): (String, Bound<'_, PyAny>)| {
            let value = value.cast::<PyBytes>().map_err(|_| wrong_type(name, EXPECTED, &value))?;
            Ok((key, value.as_bytes().to_vec()))
        };
        entries(name, EXPECTED, value)?.into_iter().map(entry).collect()
    }
}
