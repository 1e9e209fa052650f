//! The error type of imports.

use std::error::Error;
use std::fmt;

use arrow_schema::ArrowError;

/// Data that violates Arrow's columnar format or its C data interface: the column, and a description of the fault.
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

    /// The error for a capsule whose struct has already been moved out of it.
    pub fn released() -> Self {
        Self::new("a capsule that was already consumed")
    }

    /// Path of the column, with dots between names. `None` if the fault is not in a column.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Finds the `Invalid` that a [`ForeignStream`](crate::ForeignStream) has wrapped in an Arrow error.
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
