//! What a format of files implements, so that the engine in [`run`](crate::run) can read it.
//!
//! ```text
//! Opened ──FileFormat::open──> FormatFile ─┬─chunks──> Chunk, Chunk, ...      where rows are, without decoding them
//!                                          └─decoder──> LocatedBatch, ...     the rows of a unit of chunks
//! ```
//! | call | when | by which thread |
//! |---|---|---|
//! | [`FileFormat::open`] | for the schema; for the index of a shuffle or of shards; for each file of each epoch, several times where a shuffle goes over more than 64 files | any, several files at once |
//! | [`FormatFile::chunks`] | for the index, and where threads share a file | the caller's |
//! | [`FormatFile::decoder`], [`UnitDecoder::next`] | for each unit | one at a time for a unit, not always the same |
//! | [`UnitDecoder::recycle`] | after the last batch of a unit without an error | as above |
//!
//! A chunk is what messages and options call a block (`block 5 at byte 1,120`, `skip_block`).
//!
//! A format whose chunks can be read from any row on implements [`ReadChunks`] and has its decoder from [`ChunkDecoder`].
//! Rows that are no file at all are a [`ChunkSource`].
//!
//! A virtual call happens once for each file, chunk or batch, never for each value.

mod chunk_decoder;
mod chunk_source;
mod known_chunks;

use std::collections::VecDeque;
use std::error::Error;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use crate::io::{Fingerprint, Opened};
use crate::{Check, FeedError, Limits, OnError, Report, quoted};

pub use chunk_decoder::{ChunkDecoder, ReadChunks};
pub use chunk_source::{ChunkFormat, ChunkSource, named_columns};
pub use known_chunks::KnownChunks;

/// Bytes at the start of a file that most formats open it with.
pub const FIRST_BYTES: u64 = 64 << 10;

/// A format, its options, and the columns that are read: files of one Arrow schema.
pub trait FileFormat: Send + Sync + Debug {
    /// The schema of every batch.
    fn schema(&self) -> &SchemaRef;

    /// What a file may ask for.
    fn limits(&self) -> &Limits;

    /// The same format with other columns, as field paths, in this order.
    ///
    /// # Errors
    /// A column is not there.
    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError>;

    /// Reads what stands beside the rows of a file, such as a header or a footer, and prepares decoding.
    ///
    /// # Errors
    /// The file is not of this format, or its columns have another schema; it is a stream, and the format needs files
    /// that can be read at any offset; the caller wants to stop.
    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError>;

    /// The ranges of a file of `len` bytes that [`open`](Self::open) reads. Files of stores are asked for them ahead. `None`:
    /// the length is not known. Default: the first 64 KiB.
    fn opening_ranges(&self, _len: Option<u64>) -> Vec<Range<u64>> {
        std::iter::once(0..FIRST_BYTES).collect()
    }

    /// Whether decoding a run of chunks reads all of its bytes. If not, [`FormatFile::unit_ranges`] says which.
    /// Default: yes.
    fn reads_whole_chunks(&self) -> bool {
        true
    }

    /// Whether only the thread that asks for batches may decode, as where an interpreter gives the rows. Default: any may.
    fn is_decoded_by_caller(&self) -> bool {
        false
    }
}

/// An open file of a format. Any number of threads decode parts of it.
pub trait FormatFile: Send + Sync + Debug {
    /// What tells the file from another one of the same length; none for a stream.
    fn fingerprint(&self) -> Option<Fingerprint>;

    /// The bytes that its chunks take; an empty range where it has none.
    fn body(&self) -> Range<u64>;

    /// A scan of its chunks from the first one on; none for a stream.
    fn chunks(&self) -> Option<Box<dyn ChunkScan>>;

    /// Whether the file is one chunk that is dear to find, as where all of it is compressed: then one thread decodes it, and
    /// [`chunks`](Self::chunks) is asked only for an index. Default: no.
    fn is_one_chunk(&self) -> bool {
        false
    }

    /// The ranges of the file that decoding a unit reads, in this order. Default: its runs.
    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        unit.runs.iter().map(|run| run.range.clone()).collect()
    }

    /// Frees memory that only speeds up the next decoder: the file stays open, and is not read soon. Default: does nothing.
    fn free_spare_memory(&self) {}

    /// Decodes the rows of a unit. `claim` is asked before each chunk.
    ///
    /// # Errors
    /// The system refuses.
    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError>;
}

/// The smallest run of rows that can be decoded alone: an Avro block, a Parquet row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Its number in the file. Numbers grow, and may have gaps. Behind a chunk that cannot be read, it is a lower bound.
    pub number: u64,
    /// Where it starts. Offsets grow.
    pub offset: u64,
    /// Where it ends: the next one starts there, and the last one ends with the body of the file.
    pub end: u64,
    /// Rows that it declares. A chunk may have none, if it takes bytes.
    pub rows: u64,
}

/// Gives the chunks of a file in order, from what stands around them alone.
pub trait ChunkScan: Send + Debug {
    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// A chunk cannot be read; every later call gives that error again, until [`seek`](Self::seek). Or the caller wants to
    /// stop.
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError>;

    /// Goes on at the start of a chunk, which has this number.
    fn seek(&mut self, offset: u64, number: u64);

    /// Where the first chunk at or behind an offset starts; `None` where none follows.
    ///
    /// # Errors
    /// The system refuses, or the caller wants to stop.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError>;
}

/// Chunks that follow each other in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRun {
    /// From the start of a chunk to the end of one.
    pub range: Range<u64>,
    /// Number of the first chunk.
    pub first_number: u64,
}

/// Rows of a file that are decoded together, in order. Where a unit starts or ends inside of a chunk, its neighbour
/// decodes that chunk too, and each keeps its own rows.
#[derive(Debug, Clone)]
pub struct Unit {
    /// One after the other; at least one.
    pub runs: VecDeque<ChunkRun>,
    /// Rows of the first chunk that are another unit's.
    pub dropped: u64,
    /// Rows to keep; the runs may hold more.
    pub kept: u64,
    /// Rows that it has, as its chunks declare them, where that is known.
    pub rows: Option<u64>,
    /// Rows of the first batch, where they are not `batch_size`.
    pub first_batch: Option<u64>,
}

/// What one reading chooses.
#[derive(Debug, Clone)]
pub struct DecodeOptions {
    /// Rows of a batch. Batches end at multiples of this many rows of a unit, as its chunks declare them: rows that are
    /// left out are not made up for.
    pub batch_size: usize,
    /// With [`OnError::SkipBlock`], a decoder leaves out chunks that it cannot decode.
    pub on_error: OnError,
}

/// Asked before each chunk, with its offset; false or an error ends the reading.
pub type Claim = Box<dyn FnMut(u64) -> Result<bool, Box<dyn Error + Send + Sync>> + Send>;

/// Decodes one unit, batch after batch.
pub trait UnitDecoder: Send {
    /// The next batch; `None` at the end and after an error. Rows before a fault are given before its error.
    /// `check` is asked before each chunk and inside of long ones.
    ///
    /// # Errors
    /// A chunk cannot be decoded and may not be left out; or the caller wants to stop.
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError>;

    /// What has been read and left out since this was asked last.
    fn take_report(&mut self) -> Report;

    /// Gives memory to the decoder of another unit.
    fn recycle(self: Box<Self>);
}

/// A batch, and where its rows come from.
#[derive(Debug)]
pub struct LocatedBatch {
    /// The rows.
    pub batch: RecordBatch,
    /// By row; the first is of row 0.
    pub origins: Vec<RowOrigin>,
}

/// From `row` of a batch on, rows are those of a chunk, after its first `before` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrigin {
    /// Row of the batch.
    pub row: usize,
    /// Number of the chunk in its file.
    pub chunk: u64,
    /// Where the chunk starts in its file.
    pub offset: u64,
    /// Rows of the chunk that are not in this batch, because they come before.
    pub before: u64,
}

impl LocatedBatch {
    /// Bytes of memory that it takes, its own structs included: a batch without columns takes some too.
    pub fn memory_size(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.origins[..]) + self.batch.get_array_memory_size()
    }

    /// The batch of the first `rows` rows.
    pub fn first_rows(mut self, rows: usize) -> Self {
        self.origins.retain(|origin| origin.row < rows);
        Self { batch: self.batch.slice(0, rows), origins: self.origins }
    }
}

/// For messages: the first column of `found` that is not the one expected there, `column "id" to be Int64, found "id" as Utf8`;
/// or the numbers of columns, where one has more.
#[cold]
pub fn column_difference(expected: &Schema, found: &Schema) -> String {
    match expected.fields().iter().zip(found.fields()).find(|(a, b)| a != b) {
        Some((a, b)) => {
            let (wanted, name) = (quoted(a.name()), quoted(b.name()));
            format!("column {wanted} to be {}, found {name} as {}", a.data_type(), b.data_type())
        }
        None => format!("{} columns, found {}", expected.fields().len(), found.fields().len()),
    }
}
