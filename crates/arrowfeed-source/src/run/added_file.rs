//! An open file with columns that are not stored in it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::SchemaRef;

use super::row_starts::RowStarts;
use crate::format::{
    ChunkScan, Claim, ColumnBounds, DecodeOptions, FormatFile, LocatedBatch, PassingShare, RowOrigin, Unit,
    UnitDecoder, stretches,
};
use crate::io::Fingerprint;
use crate::{Check, FeedError, FeedErrorKind, ForkLock, Limits, OnError, Report, copy_error, thousands};

/// An open file with added columns.
#[derive(Debug)]
pub(super) struct FileWithColumns {
    schema: SchemaRef,
    name: Arc<str>,
    open: Arc<dyn FormatFile>,
    /// The values of each column of a batch.
    values: Vec<Values>,
    /// The rows before each chunk, if the numbers of the rows are read.
    starts: Option<Arc<RowStarts>>,
    limits: Limits,
}

impl FileWithColumns {
    /// Adds columns to an open file. `values`: those of each column of `schema`.
    pub(super) fn new(
        open: Arc<dyn FormatFile>,
        (schema, values): (SchemaRef, Vec<Values>),
        name: Arc<str>,
        limits: Limits,
    ) -> Self {
        let has_numbers = values.iter().any(|values| matches!(values, Values::RowNumbers));
        let starts = has_numbers.then(|| Arc::new(RowStarts::new(open.body().start, limits.clone())));
        Self { schema, name, open, values, starts, limits }
    }
}

/// The values of a column of a batch.
#[derive(Debug)]
pub(super) enum Values {
    /// Those of the column of the format with this index.
    OfFormat(usize),
    /// A value of the file.
    Repeated(Repeated),
    RowNumbers,
}

/// A value of a file, and the longest array of it that a batch had. Other batches have slices of this array.
#[derive(Debug)]
pub(super) struct Repeated {
    value: ArrayRef,
    longest: ForkLock<ArrayRef>,
}

impl Repeated {
    /// `value` has one value.
    pub(super) fn new(value: ArrayRef) -> Self {
        Self { longest: ForkLock::new(value.clone()), value }
    }

    /// `None` if the value is null.
    fn bounds(&self) -> Option<ColumnBounds> {
        let (min, max) = (self.value.clone(), self.value.clone());
        self.value.is_valid(0).then_some(ColumnBounds { min, max, is_exact: true, nulls: Some(0) })
    }

    fn array(&self, rows: usize, most: usize) -> Result<ArrayRef, FeedError> {
        let known = self.longest.with(|longest| (longest.len() >= rows).then(|| longest.slice(0, rows)));
        if let Some(known) = known.flatten() {
            return Ok(known);
        }
        let array = if self.value.is_null(0) {
            new_null_array(self.value.data_type(), rows)
        } else {
            let bytes = self.value.to_data().get_slice_memory_size().unwrap_or(0).saturating_mul(rows);
            if bytes > most {
                let (most, bytes) = (thousands(most as u64), thousands(bytes as u64));
                let message = format!(
                    "expected an added column to take at most {most} bytes, found {bytes}: ask for fewer rows"
                );
                return Err(FeedError::limit_reached("batch_bytes", message));
            }
            arrowfeed_select::repeat(&self.value, rows).map_err(internal)?
        };
        self.longest.with(|longest| *longest = array.clone());
        Ok(array)
    }
}

#[cold]
pub(super) fn internal(error: arrow_schema::ArrowError) -> FeedError {
    copy_error(error, || FeedError::new(FeedErrorKind::Internal, "expected added columns that fit the batch"))
}

impl FormatFile for FileWithColumns {
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.open.fingerprint()
    }

    fn body(&self) -> Range<u64> {
        self.open.body()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        let scan = self.open.chunks()?;
        Some(match &self.starts {
            Some(starts) => starts.recording(scan),
            None => scan,
        })
    }

    fn is_one_chunk(&self) -> bool {
        self.open.is_one_chunk()
    }

    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        self.open.unit_ranges(unit)
    }

    fn row_bytes(&self, check: &Check<'_>) -> Option<u64> {
        self.open.row_bytes(check)
    }

    fn column_bounds(&self) -> Vec<Option<ColumnBounds>> {
        let of_format = self.open.column_bounds();
        let bounds = |values: &Values| match values {
            Values::OfFormat(column) => of_format.get(*column).cloned().flatten(),
            Values::Repeated(repeated) => repeated.bounds(),
            Values::RowNumbers => None,
        };
        self.values.iter().map(bounds).collect()
    }

    fn free_spare_memory(&self) {
        self.open.free_spare_memory();
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        let start = self.open.body().start;
        let starts_file = unit.runs.front().is_some_and(|run| run.range.start <= start && run.dropped == 0);
        let skips = options.on_error == OnError::SkipBlock;
        let is_sequential = starts_file && unit.runs.len() == 1 && !skips;
        let decoder = self.open.clone().decoder(unit, options, claim)?;
        let chunk = None;
        Ok(Box::new(Decoder { file: self, decoder, skips, is_sequential, chunk, failed: false }))
    }

    fn selective_decoder(
        self: Arc<Self>,
        unit: &Unit,
        options: &DecodeOptions,
        claim: &mut Option<Claim>,
        share: &Arc<PassingShare>,
    ) -> Result<Option<Box<dyn UnitDecoder>>, FeedError> {
        if self.starts.is_some() {
            // A selective decoder does not return the numbers of rows in their chunk.
            return Ok(None);
        }
        let Some(decoder) = self.open.clone().selective_decoder(unit, options, claim, share)? else {
            return Ok(None);
        };
        let (skips, is_sequential, chunk) = (false, false, None);
        Ok(Some(Box::new(Decoder { file: self, decoder, skips, is_sequential, chunk, failed: false })))
    }
}

/// A decoder that adds the columns to each batch.
struct Decoder {
    file: Arc<FileWithColumns>,
    decoder: Box<dyn UnitDecoder>,
    /// Whether chunks that cannot be decoded are skipped.
    skips: bool,
    /// Whether the unit has all rows of the first chunks of the file.
    is_sequential: bool,
    /// The chunk of the last row.
    chunk: Option<CurrentChunk>,
    failed: bool,
}

struct CurrentChunk {
    offset: u64,
    /// Number of rows of the file before the chunk.
    start: u64,
    /// Number of rows of the chunk up to the last one that was decoded.
    rows: u64,
}

impl Decoder {
    fn with_columns(&mut self, located: LocatedBatch, check: &Check<'_>) -> Result<LocatedBatch, FeedError> {
        let LocatedBatch { batch, origins } = located;
        let (file, rows) = (self.file.clone(), batch.num_rows());
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(file.values.len());
        let mut numbers: Option<ArrayRef> = None;
        for values in &file.values {
            columns.push(match values {
                Values::OfFormat(column) => batch.column(*column).clone(),
                Values::Repeated(repeated) => repeated.array(rows, file.limits.batch_bytes)?,
                Values::RowNumbers => match &numbers {
                    Some(numbers) => numbers.clone(),
                    None => numbers.insert(Arc::new(self.row_numbers(&origins, rows, check)?)).clone(),
                },
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(file.schema.clone(), columns, &options);
        Ok(LocatedBatch { batch: batch.map_err(internal)?, origins })
    }

    fn row_numbers(
        &mut self,
        origins: &[RowOrigin],
        rows: usize,
        check: &Check<'_>,
    ) -> Result<Int64Array, FeedError> {
        let mut numbers: Vec<i64> = Vec::with_capacity(rows);
        for (origin, in_batch) in stretches(origins, rows) {
            let start = self.start_of(origin.offset, check)?;
            let end = origin.before.saturating_add(in_batch.len() as u64);
            self.chunk = Some(CurrentChunk { offset: origin.offset, start, rows: end });
            let number = |row: u64| i64::try_from(start.saturating_add(row)).unwrap_or(i64::MAX);
            numbers.extend(number(origin.before)..number(end));
        }
        Ok(numbers.into())
    }

    /// Number of rows of the file before the chunk at `offset`.
    fn start_of(&self, offset: u64, check: &Check<'_>) -> Result<u64, FeedError> {
        match (&self.chunk, &self.file.starts) {
            (Some(chunk), _) if chunk.offset == offset => Ok(chunk.start),
            (chunk, _) if self.is_sequential => {
                Ok(chunk.as_ref().map_or(0, |chunk| chunk.start.saturating_add(chunk.rows)))
            }
            (_, Some(starts)) if !self.file.open.is_one_chunk() => {
                starts.of_chunk(&*self.file.open, offset, self.skips, check)
            }
            _ => Ok(0),
        }
    }
}

impl UnitDecoder for Decoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        if self.failed {
            return Ok(None);
        }
        let Some(located) = self.decoder.next(check)? else { return Ok(None) };
        let batch = self.with_columns(located, check);
        self.failed = batch.is_err();
        batch.map(Some).map_err(|error| error.in_file(&self.file.name))
    }

    fn take_report(&mut self) -> Report {
        self.decoder.take_report()
    }

    fn recycle(self: Box<Self>) {
        if !self.failed {
            self.decoder.recycle();
        }
    }
}
