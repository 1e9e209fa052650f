//! Errors of datasets.

use std::fmt;

use arrowfeed_source::{FeedError, printable};
use arrowfeed_tensor::{ConversionError, RepresentationError};

/// An error of a dataset. The variant states which stage of the pipeline found the error.
///
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed::avro::{AvroFormat, AvroOptions};
/// use arrowfeed::{Dataset, DatasetError, DatasetOptions, IterationOptions, StateErrorKind};
///
/// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
/// let dataset = Dataset::open(files, DatasetOptions::default())?;
/// let state = dataset.record_batches(IterationOptions { batch_size: 2, ..Default::default() })?.state()?;
/// let mut batches = dataset.record_batches(IterationOptions { batch_size: 1, ..Default::default() })?;
/// match batches.load_state(&state) {
///     Err(DatasetError::State(error)) => assert_eq!(error.kind(), StateErrorKind::Options),
///     other => panic!("expected the error of another batch size, found {other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file cannot be read, or an option is invalid.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// A tensor cannot be made from these columns.
    #[error(transparent)]
    Representation(#[from] RepresentationError),
    /// The values of a batch do not fit a tensor.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// A state does not belong to this iteration.
    #[error(transparent)]
    State(#[from] StateError),
    /// The dataset has no row of this number.
    #[error("{}", row_number(*number, *rows))]
    RowNumber {
        /// The number. A negative one counts from the end.
        number: i128,
        /// Number of rows of the dataset.
        rows: u64,
    },
}

fn row_number(number: i128, rows: u64) -> String {
    match rows.checked_sub(1) {
        Some(last) => {
            format!(
                "expected the number of a row, from -{rows} to {last} in a dataset of {rows} rows, found {number}"
            )
        }
        None => format!("expected no number in a dataset of 0 rows, found {number}"),
    }
}

/// The difference between a state and the iteration that should load it.
///
/// [`DatasetError`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateErrorKind {
    /// The text is not a state, or the state has another version.
    Invalid,
    /// The files differ: in number, order, names, sizes or contents.
    Files,
    /// An option or the seed differs.
    Options,
}

/// A state that does not belong to this iteration.
///
/// [`DatasetError`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError {
    kind: StateErrorKind,
    message: String,
}

impl StateError {
    pub(crate) fn new(kind: StateErrorKind, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { kind, message: format!("state: expected {expected}, found {found}") }
    }

    /// Adds what the user can do.
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        Self { message: format!("{}: {advice}", self.message), ..self }
    }

    /// The kind of the difference.
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
