//! The batches of a reader of parts, with the location of their rows.

use arrow_array::RecordBatch;

use super::parts::OpenPart;
use crate::format::{LocatedBatch, RowOrigin};

/// A batch, and the location of its rows.
#[derive(Debug)]
pub struct FileBatch {
    /// The rows.
    pub batch: RecordBatch,
    /// Index of the file.
    pub file: usize,
    /// Number of the part among those that the reader was given, from 0.
    pub part: u64,
    /// Row origins, ordered by row. The first one is for row 0.
    pub origins: Vec<RowOrigin>,
}

/// The result of polling a reader.
#[derive(Debug)]
pub enum Polled<B = FileBatch> {
    /// A batch.
    Batch(B),
    /// Nothing yet: worker threads are still decoding, or bytes have not arrived.
    Pending,
    /// The end of the data.
    End,
}

impl<B> Polled<B> {
    /// Applies a function to the batch.
    pub(super) fn map<T>(self, function: impl FnOnce(B) -> T) -> Polled<T> {
        match self {
            Self::Batch(batch) => Polled::Batch(function(batch)),
            Self::Pending => Polled::Pending,
            Self::End => Polled::End,
        }
    }
}

impl FileBatch {
    pub(super) fn new(part: &OpenPart, located: LocatedBatch) -> Self {
        let LocatedBatch { batch, origins } = located;
        Self { batch, file: part.numbered.number, part: part.number, origins }
    }
}
