//! Types of arguments: each checks the value that the caller passes, and names the argument in messages.
//!
//! PyO3 has `FromPyObject` for this purpose, which does not know the name of the argument.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use arrowfeed::source::{Limits, OnError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::argument::{FITTING, choice, flag, integer, path, strings, wrong_type, wrong_value};
use crate::arrow_schema::Schema;
use crate::limits;
use crate::tensor::schema;

/// A type of arguments.
pub(crate) trait Argument: Sized {
    /// Converts a value. `name`: the argument, for messages.
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self>;

    /// The value that pickles of a dataset keep: later changes of the value of the caller have no effect on it.
    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(given)
    }
}

/// The value of an argument, if the caller passes one. It may be None, which not every type accepts.
#[derive(Default)]
pub(crate) struct Given<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(Some(value.to_owned())))
    }
}

impl Given<'_> {
    /// Converts the value. `name`: the argument.
    pub(crate) fn parse<T: Argument + Default>(&self, name: &str) -> PyResult<T> {
        given(name, self.0.as_ref())
    }
}

/// Converts the value of an argument with a default.
pub(crate) fn given<T: Argument + Default>(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<T> {
    value.map_or_else(|| Ok(T::default()), |value| T::parse(name, value))
}

/// Converts variables of type `Option<&Bound<PyAny>>` to the fields of these names.
macro_rules! parsed {
    ($arguments:ident { $($name:ident),* $(,)? }) => {
        $arguments { $($name: $crate::argument_types::given(stringify!($name), $name)?),* }
    };
}

/// An argument that may be None.
impl<T: Argument> Argument for Option<T> {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_none() { Ok(None) } else { T::parse(name, value).map(Some) }
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
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        choice(name, T::WORDS, value)
    }
}

impl Choice for OnError {
    const WORDS: &'static [(&'static str, Self)] =
        &[("raise", Self::Raise), ("skip_block", Self::SkipBlock), ("skip_file", Self::SkipFile)];
}

impl Argument for bool {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        flag(name, value)
    }
}

impl Argument for usize {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        integer(name, 0, value)
    }
}

impl Argument for u64 {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        integer(name, 0, value)
    }
}

impl Argument for NonZeroU64 {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        integer(name, 1, value)
    }
}

impl Argument for NonZeroUsize {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number = NonZeroU64::parse(name, value)?;
        number.try_into().map_err(|_| wrong_value(name, FITTING, value))
    }
}

/// None stands for the default limits.
impl Argument for Limits {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::default());
        }
        let limits = value.cast::<limits::Limits>().map_err(|_| wrong_type(name, "a Limits", value))?;
        Ok(limits.get().0.clone())
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

/// The columns of files.
impl Argument for Schema {
    fn parse(_: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        schema(value).map(Self)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Self(self.0.clone()).into_pyobject(given.py())?.into_any())
    }
}

/// A value that is checked later, together with other arguments.
impl Argument for Py<PyAny> {
    fn parse(_: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(value.clone().unbind())
    }
}

/// Defines types of texts in any iterable.
macro_rules! lists_of_texts {
    ($($(#[$doc:meta])* $type:ident = $expected:literal)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $type(pub(crate) Vec<String>);

            impl From<$type> for Vec<String> {
                fn from($type(texts): $type) -> Self {
                    texts
                }
            }

            impl Argument for $type {
                fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
                    strings(name, $expected, value).map(Self)
                }

                fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    Ok(PyList::new(given.py(), &self.0)?.into_any())
                }
            }
        )*
    };
}

lists_of_texts! {
    /// Paths of the columns to read.
    Columns = "a list of field paths (str)"
    /// Names of columns.
    Names = "a list of names of columns (str)"
    /// Texts of any kind.
    Texts = "a list of texts (str)"
}
