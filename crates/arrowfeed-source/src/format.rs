//! Traits that a file format implements so that the engine in [`run`](crate::run) can read it.
//!
//! ```text
//! Opened ──FileFormat::open──> FormatFile ─┬─chunks──> Chunk, Chunk, ...      row locations, without decoding
//!                                          └─decoder──> LocatedBatch, ...     the rows of a unit
//! ```
//! | call | when | by which thread |
//! |---|---|---|
//! | [`FileFormat::open`] | for the schema; for the index of a shuffle or of shards; for each file of each epoch, repeatedly if a shuffle covers more than 64 files | any, several files concurrently |
//! | [`FormatFile::chunks`] | for the index, and when threads share a file | the caller's |
//! | [`FormatFile::decoder`], [`UnitDecoder::next`] | for each unit | one at a time per unit, not always the same one |
//! | [`FormatFile::selective_decoder`] | for each unit of filtered files, if the format has one | as for `decoder` |
//! | [`UnitDecoder::recycle`] | after the last batch of a unit that ended without an error | as above |
//!
//! Messages and options call a chunk a block (`block 5 at byte 1,120`, `skip_block`).
//!
//! A format whose chunks can be read from any row implements [`ReadChunks`] and uses [`ChunkDecoder`] as its decoder. A
//! format whose files are sequences of records uses the layer in [`records`]. A source of rows that is not a file implements
//! [`ChunkSource`].
//!
//! The engine makes one virtual call per file, chunk or batch, never per value.

mod batch_countdown;
mod chunk_decoder;
mod chunk_source;
mod claims;
mod column_bounds;
mod column_difference;
mod excluded_columns;
mod known_chunks;
mod named_columns;
mod passing;
pub mod records;
mod valid_values;

use std::collections::VecDeque;
use std::error::Error;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;

use crate::io::{Fingerprint, Opened};
use crate::{Check, FeedError, Limits, OnError, Report};

pub use batch_countdown::BatchCountdown;
pub use chunk_decoder::{ChunkDecoder, ReadChunks, Selection};
pub use chunk_source::{ChunkFormat, ChunkOptions, ChunkSource};
pub use claims::Claims;
pub use column_bounds::ColumnBounds;
pub use column_difference::column_difference;
pub use excluded_columns::{check_selection, remaining_columns};
pub use known_chunks::KnownChunks;
pub use named_columns::{each_named_column, named_columns, project};
pub use passing::{Incomparable, PassingShare, compiled, passing_rows, predicate_error};
pub use valid_values::check_values;

/// Number of bytes at the start of a file that most formats read to open it.
pub const FIRST_BYTES: u64 = 64 << 10;

/// A format with its options and its projection. All its files have the same Arrow schema.
pub trait FileFormat: Send + Sync + Debug {
    /// The name of the format in [`Stats`](crate::stats::Stats).
    fn name(&self) -> &'static str;

    /// The schema of all batches.
    fn schema(&self) -> &SchemaRef;

    /// The resource limits for files.
    fn limits(&self) -> &Limits;

    /// Returns the same format with another projection: field paths, in this order. Without any, batches have only a number of
    /// rows.
    ///
    /// # Errors
    /// A column does not exist.
    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError>;

    /// Returns the schema of all columns that [`with_columns`](Self::with_columns) can select, whichever are selected now.
    /// Default: [`schema`](Self::schema), which is wrong for a format whose columns can be selected.
    ///
    /// # Errors
    /// The columns form no schema.
    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(self.schema().clone())
    }

    /// Returns the names of all columns, also of those that cannot be read as a whole, in the order of the files. Default: those
    /// of [`all_columns`](Self::all_columns).
    ///
    /// # Errors
    /// The columns form no schema.
    fn column_names(&self) -> Result<Vec<String>, FeedError> {
        Ok(self.all_columns()?.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Checks that [`schema`](Self::schema) has all columns that the caller asked for. A reading fails with the error,
    /// unless [`with_columns`](Self::with_columns) selects columns first. Default: `Ok`.
    ///
    /// # Errors
    /// The files have columns that cannot be read, and the caller asked for all columns.
    fn check_complete(&self) -> Result<(), FeedError> {
        Ok(())
    }

    /// Reads the metadata of a file, such as a header or a footer, and prepares decoding.
    ///
    /// # Errors
    /// The file is not of this format, or its columns have another schema; the file is a stream, but the format needs
    /// random access; the caller cancels.
    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError>;

    /// The ranges that [`open`](Self::open) reads in a file of `len` bytes. They are prefetched for remote files. `len`
    /// is `None` if it is unknown. Default: the first 64 KiB.
    fn opening_ranges(&self, _len: Option<u64>) -> Vec<Range<u64>> {
        std::iter::once(0..FIRST_BYTES).collect()
    }

    /// Whether decoding a run of chunks reads all of its bytes. If not, [`FormatFile::unit_ranges`] returns the ranges
    /// that it reads. Default: yes.
    fn reads_whole_chunks(&self) -> bool {
        true
    }

    /// Whether [`open`](Self::open) reads the positions and row counts of all chunks, so that a scan of the chunks reads
    /// nothing else. Default: no.
    fn opening_finds_chunks(&self) -> bool {
        false
    }

    /// Whether a list column has one value where the file has a value, so that a predicate compares this value. Default: no.
    fn lists_hold_one_value(&self) -> bool {
        false
    }

    /// Returns the same format, whose files have a [`selective_decoder`](FormatFile::selective_decoder) of the rows that pass
    /// `predicate`. The format has the columns of the predicate. Default: `None`, there is none.
    ///
    /// # Errors
    /// The predicate cannot be compiled for the columns.
    fn selecting(&self, _predicate: &Predicate) -> Result<Option<Arc<dyn FileFormat>>, FeedError> {
        Ok(None)
    }

    /// Whether only the consumer's thread may decode, for example because an interpreter produces the rows. Default: no.
    fn is_decoded_by_caller(&self) -> bool {
        false
    }
}

/// An open file of a format. Any number of threads decode parts of it concurrently.
pub trait FormatFile: Send + Sync + Debug {
    /// A fingerprint that distinguishes the file from another one of the same length; `None` for a stream.
    fn fingerprint(&self) -> Option<Fingerprint>;

    /// The byte range that contains all chunks; empty if there are none.
    fn body(&self) -> Range<u64>;

    /// Returns a scan that starts at the first chunk; `None` for a stream.
    fn chunks(&self) -> Option<Box<dyn ChunkScan>>;

    /// Whether the file is a single chunk that is expensive to scan, for example because the whole file is compressed.
    /// If so, one thread decodes it, and [`chunks`](Self::chunks) is called only to build an index. Default: no.
    fn is_one_chunk(&self) -> bool {
        false
    }

    /// The ranges of the file that decoding a unit reads, in reading order. Default: the ranges of its runs.
    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        unit.runs.iter().map(|run| run.range.clone()).collect()
    }

    /// Estimates the bytes of a row after decompression, without the columns that are not read. It determines the number of
    /// rows of a batch if the caller does not. The estimate must be the same each time the file is opened. Called before the
    /// first unit is decoded. Default: `None`, unknown.
    fn row_bytes(&self, _check: &Check<'_>) -> Option<u64> {
        None
    }

    /// What the file states about the values of each column of the format's schema, without reading rows. `None` for a column:
    /// nothing. Default: nothing for any column, an empty list.
    fn column_bounds(&self) -> Vec<Option<ColumnBounds>> {
        Vec::new()
    }

    /// Frees memory that only speeds up the next decoder. Called when the file stays open but will not be read soon.
    /// Default: does nothing.
    fn free_spare_memory(&self) {}

    /// Creates a decoder for the rows of a unit. The decoder calls `claim` before each chunk.
    ///
    /// # Errors
    /// The system reports an error.
    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError>;

    /// Creates a decoder that may leave out rows of a unit that do not pass the predicate of the format, see
    /// [`FileFormat::selecting`]. The unit has whole chunks: it drops no rows and keeps all. The decoder returns the columns that
    /// [`decoder`](Self::decoder) returns. The engine filters the rows, and numbers those that pass: [`RowOrigin::before`] only
    /// locates errors. The report counts the rows that are left out, and `share` tells how many pass. Which rows are left out must
    /// change neither the rows that pass nor the errors. Default: `None`; the engine decodes all rows.
    ///
    /// # Errors
    /// The system reports an error.
    fn selective_decoder(
        self: Arc<Self>,
        _unit: &Unit,
        _options: &DecodeOptions,
        _claim: &mut Option<Claim>,
        _share: &Arc<PassingShare>,
    ) -> Result<Option<Box<dyn UnitDecoder>>, FeedError> {
        Ok(None)
    }
}

/// The smallest run of rows that can be decoded independently: an Avro block, a Parquet row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the chunk in the file. Numbers increase and may have gaps. After an unreadable chunk,
    /// the number is a lower bound.
    pub number: u64,
    /// Byte offset of its start. Offsets increase.
    pub offset: u64,
    /// Byte offset of its end. The next chunk starts there; the last one ends at the end of the body of the file.
    pub end: u64,
    /// Number of rows that it declares. A chunk that takes bytes may have no rows.
    pub rows: u64,
}

/// Iterates over the chunks of a file in order, reading only their framing.
pub trait ChunkScan: Send + Debug {
    /// Returns the next chunk; `None` at the end.
    ///
    /// # Errors
    /// A chunk cannot be read: every later call returns the same error, until [`seek`](Self::seek) is
    /// called. Or the caller cancels.
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError>;

    /// Continues at `offset`, the start of the chunk with this number.
    fn seek(&mut self, offset: u64, number: u64);

    /// Returns the offset of the first chunk that starts at or after `from`; `None` if there is none.
    ///
    /// # Errors
    /// The system reports an error, or the caller cancels.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError>;
}

/// Consecutive chunks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRun {
    /// Byte range from the start of a chunk to the end of a chunk.
    pub range: Range<u64>,
    /// Number of the first chunk in the run.
    pub first_number: u64,
    /// Leading rows of the first chunk that belong to another run.
    pub dropped: u64,
    /// Number of rows to keep after `dropped`; the chunks may contain more.
    pub kept: u64,
}

impl ChunkRun {
    /// All rows of consecutive chunks.
    pub fn new(range: Range<u64>, first_number: u64) -> Self {
        Self { range, first_number, dropped: 0, kept: u64::MAX }
    }
}

/// Rows of a file that are decoded together, in order. If a run starts or ends inside a chunk, the run with the other rows of
/// that chunk decodes it too, in this unit or in another one, and each run keeps its own rows.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The runs in decoding order; at least one.
    pub runs: VecDeque<ChunkRun>,
    /// Number of rows in the unit as its chunks declare them, if known.
    pub rows: Option<u64>,
    /// Rows of the first batch, if not `batch_size`.
    pub first_batch: Option<u64>,
}

/// Options of a decoder.
#[derive(Debug, Clone)]
pub struct DecodeOptions {
    /// Rows per batch. Batches end at multiples of this number of rows of the unit, as its chunks declare them. Skipped
    /// rows are not replaced by later ones.
    pub batch_size: usize,
    /// With [`OnError::SkipBlock`], a decoder skips chunks that it cannot decode.
    pub on_error: OnError,
}

/// A function that is called with the offset of each chunk before it is decoded. False or an error ends the reading.
pub type Claim = Box<dyn FnMut(u64) -> Result<bool, Box<dyn Error + Send + Sync>> + Send>;

/// A decoder of one unit that returns its batches one by one.
pub trait UnitDecoder: Send {
    /// Returns the next batch; `None` at the end and after an error. Rows before an error are returned first. Checks
    /// for cancellation before each chunk and inside long ones.
    ///
    /// # Errors
    /// A chunk cannot be decoded and may not be skipped, or the caller cancels.
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError>;

    /// Returns and resets the counts of the data that was read and skipped since the last call.
    fn take_report(&mut self) -> Report;

    /// Releases buffers for reuse by the decoder of another unit.
    fn recycle(self: Box<Self>);
}

/// A batch with the origin of its rows.
#[derive(Debug)]
pub struct LocatedBatch {
    /// The rows.
    pub batch: RecordBatch,
    /// Row origins, ordered by row. The first one is for row 0.
    pub origins: Vec<RowOrigin>,
}

/// The origin of the rows of a batch from `row` up to the next origin. They are rows of one chunk,
/// after its first `before` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrigin {
    /// First row in the batch.
    pub row: usize,
    /// Number of the chunk in its file.
    pub chunk: u64,
    /// Byte offset of the chunk in its file.
    pub offset: u64,
    /// Number of rows of the chunk that precede this row.
    pub before: u64,
}

/// The rows of a batch of `rows` rows by their origin.
pub fn stretches(origins: &[RowOrigin], rows: usize) -> impl Iterator<Item = (&RowOrigin, Range<usize>)> {
    let ends = origins.iter().skip(1).map(|next| next.row).chain([rows]);
    origins.iter().zip(ends).map(|(origin, end)| (origin, origin.row..end))
}

impl LocatedBatch {
    /// Memory size in bytes, including the structs: a batch without columns takes memory too.
    pub fn memory_size(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.origins[..]) + self.batch.get_array_memory_size()
    }

    /// Returns the batch truncated to the first `rows` rows.
    pub fn first_rows(mut self, rows: usize) -> Self {
        self.origins.retain(|origin| origin.row < rows);
        Self { batch: self.batch.slice(0, rows), origins: self.origins }
    }
}
