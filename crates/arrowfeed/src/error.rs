//! What can go wrong between files and tensors.

use std::fmt;

use arrowfeed_source::{FeedError, printable};
use arrowfeed_tensor::{ConversionError, RepresentationError};

/// An error of a dataset: what it is depends on where in the pipeline it is found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Files cannot be read, or an option makes no sense.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// A tensor cannot be made of these columns.
    #[error(transparent)]
    Representation(#[from] RepresentationError),
    /// A batch does not fit its tensors.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// A state is not one of this iteration.
    #[error(transparent)]
    State(#[from] StateError),
    /// Of a source of another format, see [`of_source`](Self::of_source).
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}

impl DatasetError {
    /// Any error or message of a [`Tfxio`](crate::Tfxio) outside of this crate.
    pub fn of_source(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Source(error.into())
    }
}

/// In what a state differs from the iteration that it is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateErrorKind {
    /// It is no state, or one of another version.
    Invalid,
    /// The files: their number, order, names or sizes, or what is in one.
    Files,
    /// An option, or the seed.
    Options,
}

/// A state that is not one of this iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError {
    kind: StateErrorKind,
    message: String,
}

impl StateError {
    pub(crate) fn new(kind: StateErrorKind, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { kind, message: format!("state: expected {expected}, found {found}") }
    }

    /// In what it differs.
    pub fn kind(&self) -> StateErrorKind {
        self.kind
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message))
    }
}

impl std::error::Error for StateError {}
