//! Filter of the rows of files: files of which only the rows that pass a predicate are read.
//!
//! To the rest of the engine, a filtered file is a file that has only the rows that pass: they are numbered within their chunk,
//! and a unit drops and keeps some of them. Which rows of a chunk pass is known only after the chunk is decoded from its start,
//! so a unit decodes its first chunk whole, even if it drops rows of it.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::SchemaRef;
use arrowfeed_predicate::{CompiledPredicate, Lists, Predicate};

use super::projection::Projection;
use crate::format::{
    ChunkRun, ChunkScan, Claim, DecodeOptions, FormatFile, Incomparable, LocatedBatch, PassingShare,
    RowOrigin, Unit, UnitDecoder, compiled, passing_rows, stretches,
};
use crate::io::Fingerprint;
use crate::stats::{Stage, enter};
use crate::{Check, FeedError, FeedErrorKind, Report, copy_error};

/// Rows that are chosen by their place, of which a filter reads those that pass.
pub trait ChosenRows: Send + Sync + Debug {
    /// Which of the rows of a chunk are chosen, for a range of their numbers. `offset` is that of the chunk in file number `file`.
    ///
    /// # Errors
    /// The rows cannot be chosen, or the caller cancels.
    fn choose(
        &self,
        file: usize,
        offset: u64,
        rows: Range<u64>,
        check: &Check<'_>,
    ) -> Result<BooleanBuffer, FeedError>;

    /// Whether all rows of a file are chosen. Then a format may leave out rows that do not pass. Default: no.
    fn chooses_all(&self, _file: usize) -> bool {
        false
    }
}

/// A predicate, and the rows to which it applies.
#[derive(Debug, Clone)]
pub(super) struct FilterLevel {
    /// `None`: all rows pass.
    pub(super) predicate: Option<Predicate>,
    /// `None`: all rows.
    pub(super) chosen: Option<Arc<dyn ChosenRows>>,
}

impl FilterLevel {
    /// The level of one of the files alone.
    pub(super) fn of_file(&self, file: usize) -> Self {
        let chosen =
            self.chosen.clone().map(|chosen| Arc::new(OfFile { chosen, file }) as Arc<dyn ChosenRows>);
        Self { chosen, ..self.clone() }
    }
}

/// The rows that are chosen of one of several files, which has the number 0 alone.
#[derive(Debug)]
struct OfFile {
    chosen: Arc<dyn ChosenRows>,
    file: usize,
}

impl ChosenRows for OfFile {
    fn choose(
        &self,
        _file: usize,
        offset: u64,
        rows: Range<u64>,
        check: &Check<'_>,
    ) -> Result<BooleanBuffer, FeedError> {
        self.chosen.choose(self.file, offset, rows, check)
    }

    fn chooses_all(&self, _file: usize) -> bool {
        self.chosen.chooses_all(self.file)
    }
}

/// The rows and columns that are returned of those that a format decodes.
#[derive(Debug)]
pub(super) struct Filter {
    /// The filter of the rows that this one filters.
    inner: Option<Arc<Self>>,
    chosen: Option<Arc<dyn ChosenRows>>,
    /// `None`: all rows pass.
    compiled: Option<CompiledPredicate>,
    projection: Projection,
    share: Arc<PassingShare>,
}

impl Filter {
    /// A filter of decoded rows, or of those of `inner`. They have the columns of the predicate, and of `schema`, which are
    /// returned.
    ///
    /// # Errors
    /// The predicate names a column that does not exist, or compares one with a value of another type.
    pub(super) fn new(
        level: FilterLevel,
        (decoded, lists): (&SchemaRef, Lists),
        inner: Option<Arc<Self>>,
        schema: SchemaRef,
    ) -> Result<Self, FeedError> {
        let FilterLevel { predicate, chosen } = level;
        let compiled = predicate.map(|predicate| compiled(&predicate, decoded, lists)).transpose()?;
        let projection = Projection::new(decoded, schema)?;
        Ok(Self { inner, chosen, compiled, projection, share: Arc::default() })
    }

    /// The schema of the rows that are returned.
    pub(super) fn schema(&self) -> &SchemaRef {
        self.projection.schema()
    }

    /// Wraps an open file of the format.
    pub(super) fn of_file(
        self: &Arc<Self>,
        (number, name): (usize, Arc<str>),
        file: Arc<dyn FormatFile>,
    ) -> Arc<dyn FormatFile> {
        let file = match &self.inner {
            Some(inner) => inner.of_file((number, name.clone()), file),
            None => file,
        };
        Arc::new(FilteredFile { file, filter: self.clone(), number, name })
    }

    /// The selected rows of a batch, with the returned columns.
    fn selected(&self, batch: &RecordBatch, mask: &BooleanBuffer) -> Result<RecordBatch, FeedError> {
        let returned = self.projection.apply(batch)?;
        if mask.count_set_bits() == mask.len() {
            return Ok(returned);
        }
        let mask = BooleanArray::new(mask.clone(), None);
        arrowfeed_select::filter_batch(&returned, &mask).map_err(|error| {
            let message = "expected the rows that pass a filter to form a batch";
            copy_error(error, || FeedError::new(FeedErrorKind::Internal, message))
        })
    }
}

/// An open file, of which only the rows that pass are read.
#[derive(Debug)]
struct FilteredFile {
    file: Arc<dyn FormatFile>,
    filter: Arc<Filter>,
    number: usize,
    name: Arc<str>,
}

impl FilteredFile {
    /// The rows that are chosen by their place, unless all are.
    fn chosen(&self) -> Option<&dyn ChosenRows> {
        self.filter.chosen.as_deref().filter(|chosen| !chosen.chooses_all(self.number))
    }
}

impl FormatFile for FilteredFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.file.fingerprint()
    }

    fn body(&self) -> Range<u64> {
        self.file.body()
    }

    /// Chunks with the numbers of all their rows.
    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        self.file.chunks()
    }

    fn is_one_chunk(&self) -> bool {
        self.file.is_one_chunk()
    }

    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        self.file.unit_ranges(unit)
    }

    fn row_bytes(&self, check: &Check<'_>) -> Option<u64> {
        self.file.row_bytes(check)
    }

    fn free_spare_memory(&self) {
        self.file.free_spare_memory();
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        let (options, report) = (options.clone(), Report::default());
        Ok(Box::new(FilteredUnit { file: self, options, claim, runs: unit.runs, current: None, report }))
    }
}

/// The decoder of a unit, without the rows that do not pass.
struct FilteredUnit {
    file: Arc<FilteredFile>,
    options: DecodeOptions,
    claim: Option<Claim>,
    /// The runs that have not been started.
    runs: VecDeque<ChunkRun>,
    current: Option<OpenRuns>,
    /// The counts of the runs that have ended, and of the rows that did not pass, since the last report.
    report: Report,
}

/// Runs that are decoded together: all rows of any number of them, or some rows of one.
struct OpenRuns {
    /// It may leave out rows that do not pass.
    decoder: Box<dyn UnitDecoder>,
    /// Offset of the first chunk.
    first_chunk: u64,
    /// Passing rows of the first chunk that belong to another run.
    dropped: u64,
    /// Number of rows still to be kept.
    kept: u64,
    /// Offset of the last chunk that had rows, and the number of its rows so far that pass.
    chunk: Option<(u64, u64)>,
    /// The error of a row that cannot be compared. It is returned after the rows before it.
    failure: Option<FeedError>,
}

impl FilteredUnit {
    /// Starts the next runs. Returns false if there are none.
    fn begin(&mut self) -> Result<bool, FeedError> {
        let Some(first) = self.runs.pop_front() else { return Ok(false) };
        let is_whole = |run: &ChunkRun| run.dropped == 0 && run.kept == u64::MAX;
        let (Range { start: first_chunk, mut end }, dropped, kept) =
            (first.range.clone(), first.dropped, first.kept);
        let mut runs = VecDeque::from([ChunkRun { dropped: 0, kept: u64::MAX, ..first }]);
        if dropped == 0 && kept == u64::MAX {
            // A chunk that comes again, such as one that another stream repeats, is numbered anew.
            let follows = |run: &&ChunkRun| {
                let follows = is_whole(run) && run.range.start >= end;
                end = run.range.end;
                follows
            };
            let count = self.runs.iter().take_while(follows).count();
            runs.extend(self.runs.drain(..count));
        }
        let unit = Unit { runs, rows: None, first_batch: None };
        let FilteredFile { file, filter, .. } = &*self.file;
        // Rows are chosen by their numbers among all rows.
        let selective = match self.file.chosen() {
            Some(_) => None,
            None => file.clone().selective_decoder(&unit, &self.options, &mut self.claim, &filter.share)?,
        };
        let decoder = match selective {
            Some(decoder) => decoder,
            None => file.clone().decoder(unit, &self.options, self.claim.take())?,
        };
        let (chunk, failure) = (None, None);
        self.current = Some(OpenRuns { decoder, first_chunk, dropped, kept, chunk, failure });
        Ok(true)
    }

    /// Takes the counts of the runs that are open.
    fn count(&mut self) {
        if let Some(current) = &mut self.current {
            let report = current.decoder.take_report();
            self.file.filter.share.count(report.rejected, 0);
            self.report.add(report);
        }
    }

    /// The next batch of the open runs; `None` if they have ended.
    fn next_of(
        &mut self,
        current: &mut OpenRuns,
        check: &Check<'_>,
    ) -> Result<Option<LocatedBatch>, FeedError> {
        while current.kept > 0 {
            if let Some(failure) = current.failure.take() {
                current.kept = 0;
                self.runs.clear();
                return Err(failure);
            }
            let Some(located) = current.decoder.next(check)? else { break };
            if let Some(passing) = self.passing(current, &located, check)? {
                return Ok(Some(passing));
            }
        }
        Ok(None)
    }

    /// The rows of a batch that pass and belong to the open runs; `None` if there are none.
    fn passing(
        &mut self,
        current: &mut OpenRuns,
        located: &LocatedBatch,
        check: &Check<'_>,
    ) -> Result<Option<LocatedBatch>, FeedError> {
        let _filtering = enter(Stage::Filter);
        let LocatedBatch { batch, origins } = located;
        let filter = self.file.filter.clone();
        let (mask, incomparable) = match &filter.compiled {
            Some(compiled) => passing_rows(compiled, batch),
            None => (BooleanBuffer::new_set(batch.num_rows()), None),
        };
        let mask = match self.file.chosen() {
            Some(chosen) => &mask & &self.chosen(chosen, located, check)?,
            None => mask,
        };
        let seen = incomparable.as_ref().map_or(mask.len(), |found| found.row) as u64;
        let passed = mask.count_set_bits() as u64;
        current.failure = incomparable.map(|found| self.located(found, origins));
        self.report.rejected += seen - passed;
        filter.share.count(seen, passed);
        // Rows before the run are at the start of its first batches, and rows after it at the end of its last one.
        let (mut dropped, mut kept) = (0, Vec::with_capacity(origins.len()));
        let mut row = 0;
        for (origin, rows) in stretches(origins, batch.num_rows()) {
            let count = mask.slice(rows.start, rows.len()).count_set_bits() as u64;
            let before = match current.chunk {
                Some((offset, before)) if offset == origin.offset => before,
                _ => 0,
            };
            current.chunk = Some((origin.offset, before + count));
            let earlier = match origin.offset == current.first_chunk {
                true => current.dropped.saturating_sub(before).min(count),
                false => 0,
            };
            let own = (count - earlier).min(current.kept);
            if own > 0 {
                kept.push(RowOrigin { row, before: before + earlier, ..*origin });
            }
            row += own as usize;
            dropped += earlier as usize;
            current.kept -= own;
        }
        if row == 0 {
            return Ok(None);
        }
        let (batch, mask) = match dropped == 0 && row == mask.count_set_bits() {
            true => (batch.clone(), mask),
            false => {
                let mut passing = mask.set_indices().skip(dropped);
                let start = passing.next().unwrap_or(0);
                let end = if row == 1 { start } else { passing.nth(row - 2).unwrap_or(start) } + 1;
                (batch.slice(start, end - start), mask.slice(start, end - start))
            }
        };
        let batch = filter.selected(&batch, &mask).map_err(|error| error.in_file(&self.file.name))?;
        Ok(Some(LocatedBatch { batch, origins: kept }))
    }

    /// Which rows of a batch are chosen.
    fn chosen(
        &self,
        chosen: &dyn ChosenRows,
        located: &LocatedBatch,
        check: &Check<'_>,
    ) -> Result<BooleanBuffer, FeedError> {
        let LocatedBatch { batch, origins } = located;
        let mut mask = BooleanBufferBuilder::new(batch.num_rows());
        for (origin, in_batch) in stretches(origins, batch.num_rows()) {
            let rows = origin.before..origin.before + in_batch.len() as u64;
            let found = chosen.choose(self.file.number, origin.offset, rows, check);
            mask.append_buffer(&found.map_err(|error| error.in_file(&self.file.name))?);
        }
        Ok(mask.finish())
    }

    /// The error of a row that cannot be compared, with its location.
    fn located(&self, incomparable: Incomparable, origins: &[RowOrigin]) -> FeedError {
        let row = incomparable.row;
        let error = match origins.iter().rfind(|origin| origin.row <= row) {
            Some(origin) => {
                let record = origin.before + (row - origin.row) as u64;
                incomparable.error(record).in_block(origin.chunk, origin.offset)
            }
            None => incomparable.error(row as u64),
        };
        error.in_file(&self.file.name)
    }
}

impl UnitDecoder for FilteredUnit {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        loop {
            let Some(mut current) = self.current.take() else {
                match self.begin()? {
                    true => continue,
                    false => return Ok(None),
                }
            };
            let next = self.next_of(&mut current, check);
            self.current = Some(current);
            self.count();
            if let Some(batch) = next? {
                return Ok(Some(batch));
            }
            if let Some(ended) = self.current.take() {
                ended.decoder.recycle();
            }
        }
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {}
}
