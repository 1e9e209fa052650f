//! A layer for formats whose files are sequences of records without blocks, such as lines or TFRecord frames.
//!
//! ```text
//!                                     ┌─chunks───> scan of records ──> chunks
//! FramedFormat ──open──> FramedFile ──┤
//!                                     └─decoder──> RecordReader ──record──> RowBuilder ──> batches
//! ```
//! A format implements three traits: [`FramedFormat`] has the options, [`RecordReader`] finds and reads records, and
//! [`RowBuilder`] converts records to batches. [`FramedFile`] is the open file, and implements
//! [`FormatFile`](super::FormatFile).
//!
//! # Chunks
//!
//! A file is divided into cells of [`chunk_bytes`](FramedFormat::chunk_bytes). A record belongs to the cell in which it
//! starts. The contiguous records of one cell form a chunk. Chunk boundaries are therefore a property of the file: every
//! reader finds the same ones, from any offset.
//!
//! A compressed file is one chunk, because no part of it can be read without the bytes before it.

mod decoder;
mod file;
mod scan;

use std::fmt::Debug;
use std::ops::Range;

use arrow_array::RecordBatch;

use super::FileFormat;
use crate::{Check, FeedError};

pub use file::FramedFile;

/// A format of files that are sequences of records. Its [`open`](FileFormat::open) returns a [`FramedFile`].
pub trait FramedFormat: FileFormat + Sized + 'static {
    /// The compression of a whole file. The default value is no compression.
    type Compression: Copy + Default + PartialEq + Debug + Send + Sync;
    /// A reader of the records of a file.
    type Reader: RecordReader + 'static;
    /// The rows of a batch.
    type Rows: RowBuilder;

    /// Number of file bytes whose records form a chunk, at least 1.
    fn chunk_bytes(&self) -> u64;

    /// Maximum size of a batch in bytes, as [`RowBuilder::bytes`] estimates it. Default: the limit `batch_bytes`.
    fn batch_bytes(&self) -> usize {
        self.limits().batch_bytes
    }

    /// Creates a reader that starts at the first record.
    fn reader(&self, file: &FramedFile<Self>) -> Self::Reader;

    /// Creates a reader of which only the ends of records are needed. Default: as [`reader`](Self::reader).
    fn scanner(&self, file: &FramedFile<Self>) -> Self::Reader {
        self.reader(file)
    }

    /// Creates an empty row builder, or takes one from a pool.
    fn rows(&self) -> Self::Rows;

    /// Returns an empty row builder to the pool. Default: drops it.
    fn give_back(&self, _rows: Self::Rows) {}
}

/// The extent of a record. Its bytes are [`RecordReader::record`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Length of the record with its frame, in bytes.
    pub bytes: usize,
    /// Whether the record is a row. Others, such as empty lines, are passed over.
    pub is_row: bool,
}

/// Reads the records of one file in order.
///
/// Offsets count the bytes of the file. In a compressed file, [`begin`](Self::begin) and [`find`](Self::find) are not called, and
/// [`offset`](Self::offset) may return any value below `u64::MAX`.
pub trait RecordReader: Send + Debug {
    /// Whether records can be found after corrupt bytes, at which a chunk then ends. If not, a file ends at corrupt bytes.
    const FINDS_AFTER_DAMAGE: bool;

    /// Offset of the next record. After an error of [`advance`](Self::advance), it is still the offset of that record.
    fn offset(&self) -> u64;

    /// Continues at the record at `run.start`. Bytes from `run.end` on are read only if a record needs them.
    fn begin(&mut self, run: Range<u64>);

    /// Advances to the next record. Returns `None` at the end of the file.
    ///
    /// # Errors
    /// No record starts there; the compressed data is invalid; the system reports an error; the caller cancels.
    fn advance(&mut self, check: &Check<'_>) -> Result<Option<Record>, FeedError>;

    /// The bytes of the current record, without its frame.
    ///
    /// # Errors
    /// The bytes are not valid; the record exceeds a limit; the system reports an error.
    fn record(&mut self) -> Result<&[u8], FeedError>;

    /// Returns the offset of the first record that starts at or after `from`; `None` if there is none. The reader may then
    /// be anywhere.
    ///
    /// # Errors
    /// The system reports an error, or the caller cancels.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError>;
}

/// Converts records to the rows of a batch.
///
/// A builder decodes each record when it is pushed, or, if [`IS_DEFERRED`](Self::IS_DEFERRED) is true, several records
/// together in [`decode`](Self::decode).
pub trait RowBuilder: Send {
    /// Whether [`push`](Self::push) only stores a record. Default: no.
    const IS_DEFERRED: bool = false;

    /// Adds a record. After an error, the rows are unchanged.
    ///
    /// # Errors
    /// The record is not valid, or exceeds a limit.
    fn push(&mut self, record: &[u8]) -> Result<(), FeedError>;

    /// Whether enough records are stored to decode them. Default: no.
    fn is_full(&self) -> bool {
        false
    }

    /// Decodes the stored records, in order. `Ok` is a number of records that became rows, `Err` the error of one record. If
    /// `ends_at_error` is true, decoding ends at the first error.
    fn decode(&mut self, _ends_at_error: bool) -> Vec<Result<usize, FeedError>> {
        Vec::new()
    }

    /// Number of rows so far, without stored records.
    fn rows(&self) -> usize;

    /// Upper bound of the memory that the batch takes, in bytes, with stored records.
    fn bytes(&self) -> usize;

    /// Takes the rows as a batch, `None` if there are none, and starts the next batch.
    ///
    /// # Errors
    /// The rows cannot form a batch.
    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError>;
}
