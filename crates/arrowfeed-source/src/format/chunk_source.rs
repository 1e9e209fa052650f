//! Row sources that are not files: a source knows its chunks and returns each of them as a batch.

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::{
    Chunk, ChunkDecoder, ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, KnownChunks, ReadChunks,
    Unit, UnitDecoder, check_selection, named_columns,
};
use crate::io::{ByteSource, FileSource, FileVersion, Fingerprint, OpenFile, Opened, checked_read_at};
use crate::run::{FileSet, Files};
use crate::{Check, FeedError, FeedErrorKind, Limits, quoted, thousands};

/// Rows in chunks that can be read in any order, for example a database table, a service, or a format without its own crate.
///
/// The engine treats a source as a file in which each row takes one byte. A chunk without rows takes one byte too,
/// since every chunk of a file takes at least one.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrow_schema::{DataType, Field, Schema, SchemaRef};
/// use arrowfeed_source::format::{ChunkFormat, ChunkOptions, ChunkSource};
/// use arrowfeed_source::run::ReadOptions;
/// use arrowfeed_source::{FeedError, FeedErrorKind, OnError};
///
/// /// Three chunks of four squares. The second one is lost.
/// #[derive(Debug)]
/// struct Squares(SchemaRef);
///
/// impl ChunkSource for Squares {
///     fn name(&self) -> &str {
///         "squares"
///     }
///
///     fn schema(&self) -> &SchemaRef {
///         &self.0
///     }
///
///     fn chunk_rows(&self) -> &[u64] {
///         &[4, 4, 4]
///     }
///
///     fn fingerprint(&self) -> [u8; 16] {
///         [1; 16]
///     }
///
///     fn read(&self, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError> {
///         if chunk == 1 {
///             return Err(FeedError::new(FeedErrorKind::CorruptBlock, "expected squares, found none"));
///         }
///         let first = 4 * chunk as i64;
///         let squares = Int64Array::from_iter_values((first..first + 4).map(|root| root * root));
///         let batch = RecordBatch::try_new(self.0.clone(), vec![Arc::new(squares)]);
///         let batch = batch.and_then(|batch| batch.project(columns));
///         batch.map_err(|error| FeedError::new(FeedErrorKind::Internal, error.to_string()))
///     }
/// }
///
/// # fn main() -> Result<(), FeedError> {
/// let schema = Arc::new(Schema::new(vec![Field::new("square", DataType::Int64, false)]));
/// let source: Arc<dyn ChunkSource> = Arc::new(Squares(schema));
/// let files = ChunkFormat::files([source], ChunkOptions::default())?;
/// let options = ReadOptions { batch_size: Some(3), on_error: OnError::SkipBlock, ..ReadOptions::default() };
/// let mut reader = files.read_files(options)?;
/// let mut rows = 0;
/// while let Some(batch) = reader.next() {
///     rows += batch?.num_rows();
/// }
/// let report = reader.report();
/// assert_eq!((rows, report.rows), (8, 8));
/// assert_eq!((report.skipped[0].path.as_str(), report.skipped[0].block), ("squares", Some(1)));
/// # Ok(())
/// # }
/// ```
pub trait ChunkSource: Send + Sync + Debug {
    /// The name of the source in messages and checkpoints.
    fn name(&self) -> &str;

    /// The schema of all columns.
    fn schema(&self) -> &SchemaRef;

    /// Number of rows of each chunk, in order.
    fn chunk_rows(&self) -> &[u64];

    /// Sixteen bytes that differ if the rows differ. A checkpoint of other rows is rejected.
    fn fingerprint(&self) -> [u8; 16];

    /// Reads a chunk. `columns` are column indices, in the order of the batch.
    ///
    /// # Errors
    /// Return [`CorruptBlock`](FeedErrorKind::CorruptBlock) if `on_error` may skip the chunk, and
    /// [`Io`](FeedErrorKind::Io) otherwise.
    fn read(&self, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError>;
}

/// Options for reading [`ChunkSource`]s.
///
/// [`ChunkSource`] has an example.
#[derive(Debug, Clone, Default)]
pub struct ChunkOptions {
    /// Names of columns to read, in the order of the batches. `None`: all columns.
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read. `None`: no column is excluded.
    pub exclude: Option<Vec<String>>,
    /// `batch_bytes` limits the size of a batch, `zero_byte_rows` the number of rows in a chunk.
    pub limits: Limits,
    /// Whether only the thread that requests batches may call [`ChunkSource::read`]. Default: any thread may call it.
    pub read_by_caller: bool,
}

/// A [`FileFormat`] over chunk sources of one schema.
///
/// [`ChunkSource`] has an example.
#[derive(Debug)]
pub struct ChunkFormat {
    sources: Arc<[Arc<dyn ChunkSource>]>,
    /// Indices of the projected columns, in output order.
    columns: Arc<[usize]>,
    schema: SchemaRef,
    limits: Limits,
    by_caller: bool,
}

impl ChunkFormat {
    /// Creates a file set of the sources in order.
    ///
    /// # Errors
    /// There is no source; a source has a different schema than the first one; a path of a column does not exist.
    pub fn files(
        sources: impl IntoIterator<Item = Arc<dyn ChunkSource>>,
        options: ChunkOptions,
    ) -> Result<FileSet, FeedError> {
        check_selection(options.columns.as_deref(), options.exclude.as_deref())?;
        let ChunkOptions { columns, exclude, limits, read_by_caller } = options;
        let sources: Arc<[Arc<dyn ChunkSource>]> = sources.into_iter().collect();
        let Some(first) = sources.first() else {
            let message = "expected at least one source, found an empty list";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        };
        let whole = first.schema().clone();
        for other in &sources[1..] {
            if other.schema().fields() != whole.fields() {
                let difference = super::column_difference(&whole, other.schema());
                let message = format!("expected the columns of {}: {difference}", quoted(first.name()));
                return Err(FeedError::new(FeedErrorKind::Schema, message).in_file(other.name()));
            }
        }
        let name = first.name().to_owned();
        let files = sources.iter().enumerate().map(|(number, source)| {
            let len = source.chunk_rows().iter().fold(0_u64, |sum, rows| sum.saturating_add(len(*rows)));
            FileSource::from_source(source.name(), SourcePlaceholder { number: number as u64, len })
        });
        let files = Files::new(files.collect::<Vec<_>>());
        let format = Self::new(sources, (0..whole.fields().len()).collect(), limits, read_by_caller);
        let set = FileSet::new(files, Arc::new(format));
        set.selecting(columns.as_deref(), exclude.as_deref()).map_err(|error| error.in_file(&name))
    }

    /// `sources` is not empty.
    fn new(
        sources: Arc<[Arc<dyn ChunkSource>]>,
        columns: Vec<usize>,
        limits: Limits,
        by_caller: bool,
    ) -> Self {
        let whole = sources[0].schema();
        let fields = columns.iter().map(|column| whole.fields()[*column].clone());
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Self { columns: columns.into(), schema, limits, by_caller, sources }
    }
}

impl FileFormat for ChunkFormat {
    fn name(&self) -> &'static str {
        "source"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let columns = named_columns(self.sources[0].schema(), columns)?;
        Ok(Arc::new(Self::new(self.sources.clone(), columns, self.limits.clone(), self.by_caller)))
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(self.sources[0].schema().clone())
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let (name, wrong) = (file.name().clone(), || {
            FeedError::new(FeedErrorKind::Internal, "expected a source of rows, found a file")
        });
        let Opened::File(file) = file else { return Err(wrong().in_file(&name)) };
        let mut number = [0; 8];
        checked_read_at(&**file.source(), 0, &mut number).map_err(FeedError::io)?;
        let source = usize::try_from(u64::from_le_bytes(number)).ok().and_then(|at| self.sources.get(at));
        let source = source.ok_or_else(|| wrong().in_file(&name))?.clone();
        let fingerprint = Fingerprint { bytes: source.fingerprint(), name: "fingerprint" };
        file.check_fingerprint(&fingerprint)?;
        let mut chunks = Vec::new();
        let mut start = 0_u64;
        for (number, rows) in source.chunk_rows().iter().enumerate() {
            self.limits.check_chunk_rows(*rows).map_err(|error| error.in_file(&name))?;
            let Some(end) = start.checked_add(len(*rows)) else {
                let message = "expected fewer than 2^64 rows, found more";
                return Err(FeedError::new(FeedErrorKind::Format, message).in_file(&name));
            };
            if *rows > 0 {
                chunks.push(Chunk { number: number as u64, offset: start, end, rows: *rows });
            }
            start = end;
        }
        Ok(Arc::new(SourceFile {
            file,
            source,
            chunks: KnownChunks::new(chunks),
            columns: self.columns.clone(),
            schema: self.schema.clone(),
            batch_bytes: self.limits.batch_bytes,
        }))
    }

    fn opening_finds_chunks(&self) -> bool {
        true
    }

    fn is_decoded_by_caller(&self) -> bool {
        self.by_caller
    }
}

/// Length in bytes of a chunk with this number of rows.
fn len(rows: u64) -> u64 {
    rows.max(1)
}

/// A placeholder file for a source. Its content is the index of the source.
#[derive(Debug)]
struct SourcePlaceholder {
    number: u64,
    len: u64,
}

impl ByteSource for SourcePlaceholder {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.number.to_le_bytes();
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let found = into.len().min(bytes.len() - from);
        into[..found].copy_from_slice(&bytes[from..from + found]);
        Ok(found)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.len))
    }
}

/// A chunk in memory, the rows that are still to be returned, and the batch size.
struct ChunkRows {
    batch: RecordBatch,
    left: Range<usize>,
    batch_size: usize,
}

impl ChunkRows {
    /// `rows` is a range of rows of `batch`.
    fn new(batch: RecordBatch, rows: Range<u64>, batch_size: usize) -> Self {
        Self { batch, left: rows.start as usize..rows.end as usize, batch_size }
    }
}

/// An open source.
#[derive(Debug)]
struct SourceFile {
    file: OpenFile,
    source: Arc<dyn ChunkSource>,
    chunks: KnownChunks,
    columns: Arc<[usize]>,
    schema: SchemaRef,
    batch_bytes: usize,
}

impl FormatFile for SourceFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(Fingerprint { bytes: self.source.fingerprint(), name: "fingerprint" })
    }

    fn body(&self) -> Range<u64> {
        0..self.file.len()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        Some(self.chunks.scan())
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        Ok(Box::new(ChunkDecoder::new(self, unit, options, claim)))
    }
}

impl ReadChunks for SourceFile {
    type Rows = ChunkRows;

    fn name(&self) -> &str {
        self.source.name()
    }

    fn chunks_in(&self, range: &Range<u64>) -> Vec<Chunk> {
        self.chunks.starting_in(range).to_vec()
    }

    fn chunk_bytes(&self, _chunk: &Chunk) -> u64 {
        0
    }

    fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError> {
        // A wrong batch is a bug of the source, so the chunk is not skipped.
        let wrong = |message| FeedError::new(FeedErrorKind::Conversion, message);
        let batch = self.source.read(chunk.number, &self.columns)?;
        if batch.num_rows() as u64 != chunk.rows {
            let (expected, found) = (thousands(chunk.rows), thousands(batch.num_rows() as u64));
            return Err(wrong(format!("expected a chunk of {expected} rows, found {found}")));
        }
        if batch.schema_ref().fields() != self.schema.fields() {
            let difference = super::column_difference(&self.schema, batch.schema_ref());
            return Err(wrong(format!("expected {difference}")));
        }
        let batch = batch.with_schema(self.schema.clone()).map_err(|error| {
            FeedError::new(FeedErrorKind::Internal, "expected the columns of the schema").with_source(error)
        })?;
        Ok(ChunkRows::new(batch, rows, batch_size))
    }

    fn begin_reusing(
        &self,
        before: ChunkRows,
        _chunk: &Chunk,
        rows: Range<u64>,
        batch_size: usize,
    ) -> Result<ChunkRows, FeedError> {
        Ok(ChunkRows::new(before.batch, rows, batch_size))
    }

    fn next(&self, rows: &mut ChunkRows) -> Result<Option<RecordBatch>, FeedError> {
        let batch_size = rows.left.len().min(rows.batch_size);
        if batch_size == 0 {
            return Ok(None);
        }
        let next = rows.batch.slice(rows.left.start, batch_size);
        rows.left.start += batch_size;
        Ok(Some(next))
    }

    fn in_chunk(&self, chunk: &Chunk, error: FeedError) -> FeedError {
        error.in_numbered_block(chunk.number)
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        Ok(())
    }
}
