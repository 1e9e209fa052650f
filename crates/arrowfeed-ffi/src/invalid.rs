//! The error of an import.

use std::error::Error;
use std::fmt;

use arrow_schema::ArrowError;

/// Data that breaks Arrow's columnar format or its C data interface: the column, and what was found.
#[derive(Debug)]
pub struct Invalid {
    field: Option<String>,
    found: String,
}

pub(crate) type Checked<T> = Result<T, Invalid>;

impl Invalid {
    pub(crate) fn new(found: impl Into<String>) -> Self {
        Self { field: None, found: found.into() }
    }

    /// The error for a capsule whose struct was moved out of it before.
    pub fn released() -> Self {
        Self::new("a capsule that was used before")
    }

    /// Path of the column, with dots between names. `None` where the fault is not inside of a column.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Finds the `Invalid` that a [`ForeignStream`](crate::ForeignStream) has wrapped into an error of Arrow.
    pub fn of(error: &ArrowError) -> Option<&Self> {
        if let ArrowError::ExternalError(error) = error { error.downcast_ref() } else { None }
    }

    pub(crate) fn inside(mut self, name: &str) -> Self {
        self.field = Some(self.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}")));
        self
    }
}

impl From<ArrowError> for Invalid {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::CDataInterface(text) => Self::new(text),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<Invalid> for ArrowError {
    fn from(invalid: Invalid) -> Self {
        Self::ExternalError(Box::new(invalid))
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "column {field:?}: ")?;
        }
        write!(f, "expected valid Arrow data, found {}", self.found)
    }
}

impl Error for Invalid {}
