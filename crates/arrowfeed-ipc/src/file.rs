//! Open files: the record batches as chunks, and their rows as batches.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use arrowfeed_source::format::{
    Chunk, ChunkDecoder, ChunkScan, Claim, DecodeOptions, FormatFile, KnownChunks, ReadChunks, Unit,
    UnitDecoder,
};
use arrowfeed_source::io::{Fingerprint, OpenFile};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits};

use crate::batch::read_columns;
use crate::dictionaries::FileDictionaries;
use crate::index::{BatchPlace, Index};
use crate::layout::{buffers_of, corrupt};
use crate::owned_lengths::slice;

/// A file being read.
pub(crate) struct IpcFile {
    file: OpenFile,
    fingerprint: Fingerprint,
    index: Index,
    /// The record batches, each up to the next one.
    chunks: KnownChunks,
    /// The columns of the file that are read, in the order of `schema`.
    columns: Vec<usize>,
    schema: SchemaRef,
    dictionaries: FileDictionaries,
    limits: Limits,
}

/// The rows of a record batch that are being read.
pub(crate) struct BatchRows {
    /// All rows.
    batch: RecordBatch,
    unread: Range<usize>,
    /// Number of rows of a batch.
    size: usize,
    /// Number of rows until the current batch ends.
    window_left: usize,
}

impl IpcFile {
    pub(crate) fn new(
        (file, fingerprint): (OpenFile, Fingerprint),
        index: Index,
        columns: Vec<usize>,
        schema: SchemaRef,
        limits: Limits,
    ) -> Self {
        let ends = index.batches.iter().skip(1).map(|next| next.place.offset);
        let ends = ends.chain(index.batches.last().map(|last| last.place.end));
        let chunks = index.batches.iter().zip(ends).enumerate().map(|(number, (batch, end))| Chunk {
            number: number as u64,
            offset: batch.place.offset,
            end,
            rows: batch.rows,
        });
        let chunks = KnownChunks::new(chunks);
        let dictionaries = FileDictionaries::new(columns.iter().map(|column| index.schema.field(*column)));
        Self { file, fingerprint, index, chunks, columns, schema, dictionaries, limits }
    }

    fn place(&self, chunk: &Chunk) -> Option<&BatchPlace> {
        self.index.batches.get(usize::try_from(chunk.number).ok()?)
    }

    /// Reads all rows of a record batch.
    fn read(&self, chunk: &Chunk) -> Result<RecordBatch, FeedError> {
        let (file, limits) = (&self.file, &self.limits);
        let changed = || {
            let message =
                "expected the record batch that was there when the file was opened, found another message";
            FeedError::new(FeedErrorKind::Changed, message)
        };
        let place = self.place(chunk).ok_or_else(changed)?;
        let dictionaries =
            self.dictionaries.after(file, &self.index.dictionaries, place.dictionaries, limits)?;
        let found = place.place.read(file, limits)?.ok_or_else(changed)?;
        let message = found.get(limits)?;
        let batch = message.header_as_record_batch().ok_or_else(changed)?;
        if u64::try_from(batch.length()) != Ok(place.declared) {
            return Err(changed());
        }
        let (version, read) = (message.version(), (&self.index.schema, &self.columns[..]));
        let columns = read_columns(file, &found, batch, version, read, &dictionaries, limits)?;
        let rows = usize::try_from(place.rows).unwrap_or(usize::MAX);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map_err(|error| corrupt(format!("expected a valid record batch, found {error}")))
    }

    /// The bytes of the columns of a record batch, as they are stored.
    fn column_bytes(&self, place: &BatchPlace) -> Option<u64> {
        let found = place.place.read(&self.file, &self.limits).ok()??;
        let message = found.get(&self.limits).ok()?;
        let fields = self.index.schema.fields().iter().enumerate();
        let fields = fields.map(|(number, field)| (&**field, self.columns.contains(&number)));
        let batch = message.header_as_record_batch()?;
        let buffers = buffers_of(&batch, message.version(), found.body_len, fields, &self.limits).ok()?;
        Some(buffers.found.iter().fold(0, |sum, buffer| sum.saturating_add(buffer.len)))
    }

    /// The next rows: at most `rows`, and so few that they take at most `batch_bytes`. All rows of a record batch are shared as
    /// they are.
    fn rows(&self, batch: &RecordBatch, from: usize, mut rows: usize) -> Result<RecordBatch, FeedError> {
        let most = self.limits.batch_bytes;
        if rows == batch.num_rows() && batch.get_array_memory_size() <= most {
            return Ok(batch.clone());
        }
        loop {
            let columns = batch.columns().iter().map(|column| slice(column, from, rows)).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let found = RecordBatch::try_new_with_options(batch.schema(), columns, &options);
            let found = found.map_err(|error| corrupt(format!("expected valid rows, found {error}")))?;
            if rows == 1 || found.get_array_memory_size() <= most {
                return Ok(found);
            }
            rows /= 2;
        }
    }
}

impl FormatFile for IpcFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.fingerprint)
    }

    fn body(&self) -> Range<u64> {
        self.chunks.body()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        Some(self.chunks.scan())
    }

    /// The dictionaries of the record batches, and their columns that are read.
    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        let chunks: Vec<&Chunk> =
            unit.runs.iter().flat_map(|run| self.chunks.starting_in(&run.range)).collect();
        let batches = || chunks.iter().filter_map(|chunk| self.place(chunk));
        let dictionaries = batches().map(|batch| batch.dictionaries).max().unwrap_or(0);
        let mut ranges = self.dictionaries.ranges(&self.index.dictionaries[..dictionaries]);
        for batch in batches() {
            match &batch.ranges {
                Some(columns) => ranges.extend_from_slice(columns),
                None => ranges.push(batch.place.offset..batch.place.end),
            }
        }
        ranges
    }

    /// The values of the first record batch with rows tell the size of those of the others.
    fn row_bytes(&self, _check: &Check<'_>) -> Option<u64> {
        let place = self.index.batches.iter().find(|place| place.rows > 0)?;
        Some(self.column_bytes(place)?.div_ceil(place.rows))
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

impl ReadChunks for IpcFile {
    type Rows = BatchRows;

    fn name(&self) -> &str {
        self.file.name()
    }

    fn chunks_in(&self, range: &Range<u64>) -> Vec<Chunk> {
        self.chunks.starting_in(range).to_vec()
    }

    fn chunk_bytes(&self, chunk: &Chunk) -> u64 {
        self.place(chunk).map_or(0, |batch| batch.place.end - batch.place.offset)
    }

    fn batch_bytes(&self) -> usize {
        self.limits.batch_bytes
    }

    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError> {
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (batch, unread) = (self.read(chunk)?, number(rows.start)..number(rows.end));
        Ok(BatchRows { batch, unread, size: batch_size, window_left: batch_size })
    }

    fn begin_reusing(
        &self,
        before: Self::Rows,
        _chunk: &Chunk,
        rows: Range<u64>,
        batch_size: usize,
    ) -> Result<Self::Rows, FeedError> {
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let unread = number(rows.start)..number(rows.end);
        Ok(BatchRows { batch: before.batch, unread, size: batch_size, window_left: batch_size })
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        let most = rows.unread.len().min(rows.window_left);
        if most == 0 {
            return Ok(None);
        }
        let found = self.rows(&rows.batch, rows.unread.start, most)?;
        let n = found.num_rows();
        rows.unread.start += n;
        rows.window_left = if n < rows.window_left { rows.window_left - n } else { rows.size };
        Ok(Some(found))
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        self.file.check_unchanged()
    }
}

impl fmt::Debug for IpcFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IpcFile").field(self.file.name()).finish()
    }
}
