//! Files of which only the rows that pass a predicate are read.
//!
//! An epoch in file order filters while it reads. A shuffle, a shard, global batches, rows by number and the number of rows
//! need the number of passing rows of each chunk, which a reading of the predicate's columns counts once.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::format::Chunk;
use arrowfeed_source::run::{
    BatchBoundaries, ChosenRows as ChooseRows, FileSet, Part, PartOptions, PartReader, Workers,
};
use arrowfeed_source::{Check, FeedError, ForkLock, OnError, Requests};

use super::chosen_rows::stretches;
use super::chunk_index::ChunkIndex;
use super::dataset::{Content, Dataset};
use super::indexed::Indexed;
use super::mixed::{Mixed, check_mixed_rows};
use super::options::{ALL_ROWS, IterationOptions, shown_rows};
use super::row_errors::other_chunk;
use super::selected_files::SelectedFiles;
use super::selection::RowSplit;
use crate::error::DatasetError;

/// A call that restricts a dataset to some of its rows.
///
/// [`Dataset::filter`](crate::Dataset::filter) has an example.
#[derive(Debug, Clone, PartialEq)]
pub enum RowRestriction {
    /// [`Dataset::filter`]
    Filter(Predicate),
    /// [`Dataset::split`], of the rows with these numbers.
    Split(RowSplit),
    /// [`Dataset::skip`] and [`Dataset::take`]: the rows with these numbers.
    Rows(Range<u64>),
}

/// As it is written in Python, but for rows.
impl fmt::Display for RowRestriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(predicate) => write!(f, "filter({predicate})"),
            Self::Split(split) => write!(f, "{split}"),
            Self::Rows(rows) => f.write_str(&shown_rows(rows)),
        }
    }
}

impl Dataset {
    /// Returns a dataset of the rows for which `predicate` is true. Its columns need not be among those that are read. The
    /// rows of a filtered dataset must pass both predicates. Each dataset of a [`mixed`](Self::mixed) one is filtered.
    ///
    /// An iteration in file order filters while it reads. The first shuffle, shard, global batch or number of rows first reads
    /// the columns of the predicate of all files, to count the rows that pass. Files that the predicate rules out by their added
    /// columns are not opened, unless rows were selected before the filter.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::predicate::col;
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// let (few, none) = (dataset.filter(&col("id").lt(2))?, dataset.filter(&"id > 1000".parse()?)?);
    /// assert_eq!(few.num_rows()?, 1);
    /// assert_eq!(none.num_rows()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The predicate names a column that does not exist, or compares one with a value of another type; or this is a
    /// [`mixed`](Self::mixed) dataset after [`take`](Self::take) or [`skip`](Self::skip).
    pub fn filter(&self, predicate: &Predicate) -> Result<Self, DatasetError> {
        self.check_unmapped("filter")?;
        let content = match &self.content {
            Content::Files(files) => Content::Files(Arc::new(self.selected(files).filtered(predicate)?)),
            Content::Mixed(mixed) => {
                check_mixed_rows(&self.rows)?;
                let datasets = mixed.datasets.iter().map(|dataset| {
                    let files = Arc::new(dataset.filtered(predicate)?);
                    Ok((SelectedFiles { files, rows: ALL_ROWS }, &self.definitions))
                });
                Content::Mixed(Arc::new(Mixed::new(datasets, mixed.weights.clone())?))
            }
        };
        let filters = self.filters.iter().chain([predicate]).cloned().reduce(|all, next| all & next);
        Ok(Self { content, filters, rows: ALL_ROWS, ..self.clone() })
    }

    /// The predicate of the last filters: those after the last [`take`](Self::take), [`skip`](Self::skip) or
    /// [`split`](Self::split) before a filter. `None`: the dataset is not filtered.
    pub fn predicate(&self) -> Option<&Predicate> {
        match &self.content {
            Content::Files(files) => files.files.predicate(),
            Content::Mixed(_) => self.filters.as_ref(),
        }
    }

    /// The calls that restricted the dataset to some of its rows, in order. Those of a mixed dataset do not contain those of
    /// the datasets that are mixed.
    pub fn restrictions(&self) -> Vec<RowRestriction> {
        match &self.content {
            Content::Files(files) => self.selected(files).restrictions(),
            Content::Mixed(_) => {
                let filters = self.filters.iter().cloned().map(RowRestriction::Filter);
                let rows = (self.rows != ALL_ROWS).then(|| RowRestriction::Rows(self.rows.clone()));
                filters.chain(rows).collect()
            }
        }
    }
}

impl SelectedFiles {
    /// The files, of which only those selected rows are read that pass.
    fn filtered(&self, predicate: &Predicate) -> Result<Indexed, FeedError> {
        let files = &self.files.files;
        if self.is_whole() {
            // A filter of filtered files joins both predicates.
            let base = self.files.base.clone().unwrap_or_else(|| self.clone());
            return Ok(Indexed::filtered(base, files.filtered(predicate.clone())?));
        }
        let chosen = Arc::new(ChosenByNumber { files: self.clone(), known: ForkLock::default() });
        Ok(Indexed::filtered(self.clone(), files.filtered_among(predicate.clone(), chosen)?))
    }

    /// Whether all rows of the files, or all that pass their filter, are selected.
    pub(super) fn is_whole(&self) -> bool {
        self.rows == ALL_ROWS && self.files.splits.is_empty()
    }

    fn restrictions(&self) -> Vec<RowRestriction> {
        let rows = (self.rows != ALL_ROWS).then(|| RowRestriction::Rows(self.rows.clone()));
        self.files.restrictions().into_iter().chain(rows).collect()
    }
}

impl Indexed {
    fn restrictions(&self) -> Vec<RowRestriction> {
        let before = self.base.as_ref().map(SelectedFiles::restrictions).unwrap_or_default();
        let filter = self.files.predicate().cloned().map(RowRestriction::Filter);
        let splits = self.splits.iter().cloned().map(RowRestriction::Split);
        before.into_iter().chain(filter).chain(splits).collect()
    }

    /// The restrictions of the rows as text, for states. `None`: all rows are read.
    pub(super) fn shown_restrictions(&self) -> Option<String> {
        let version = self.files.version().map(str::to_owned);
        let restrictions = self.restrictions().into_iter().map(|restriction| restriction.to_string());
        let shown: Vec<String> = version.into_iter().chain(restrictions).collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }
}

/// The rows that `take`, `skip` and `split` have selected, for a filter of them.
#[derive(Debug)]
struct ChosenByNumber {
    files: SelectedFiles,
    known: ForkLock<Option<NumberedChunks>>,
}

/// An index, and the number of rows before each of its chunks.
type NumberedChunks = (Arc<ChunkIndex>, Arc<[Vec<u64>]>);

impl ChosenByNumber {
    fn index(&self) -> Result<NumberedChunks, FeedError> {
        if let Some(known) = self.known.with(|known| known.clone()).flatten() {
            return Ok(known);
        }
        // A chunk that cannot be read has no rows, whatever the iteration does about it.
        let options = IterationOptions { on_error: OnError::SkipBlock, ..Default::default() };
        let (index, _) = self.files.files.index(&options)?;
        let mut before = 0;
        let mut rows_before = |file: usize| {
            let of_chunk = |nth_chunk| {
                let start = before;
                before += index.chunk_rows(file, nth_chunk);
                start
            };
            (0..index.chunks(file).len()).map(of_chunk).collect()
        };
        let rows_before = (0..index.files()).map(&mut rows_before).collect();
        let found = (index, rows_before);
        self.known.with(|known| *known = Some(found.clone()));
        Ok(found)
    }
}

impl ChooseRows for ChosenByNumber {
    fn choose(
        &self,
        file: usize,
        offset: u64,
        rows: Range<u64>,
        check: &Check<'_>,
    ) -> Result<BooleanBuffer, FeedError> {
        check.now()?;
        let (index, rows_before) = self.index()?;
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let Some(nth_chunk) = index.nth_chunk(file, offset) else {
            return Ok(BooleanBuffer::new_unset(count));
        };
        let before = rows_before[file][nth_chunk];
        let selected = &self.files.rows;
        if !index.has_selection() {
            // All rows of the chunk have numbers, in order.
            let start = selected.start.saturating_sub(before).clamp(rows.start, rows.end) - rows.start;
            let end = selected.end.saturating_sub(before).clamp(rows.start, rows.end) - rows.start;
            return Ok(BooleanBuffer::collect_bool(count, |row| (start..end).contains(&(row as u64))));
        }
        let mut numbers = Vec::new();
        index.chosen_rows(file, nth_chunk, &mut numbers)?;
        let mut mask = BooleanBufferBuilder::new(count);
        mask.append_n(count, false);
        for (number, row) in numbers.into_iter().enumerate() {
            if rows.contains(&u64::from(row)) && selected.contains(&(before + number as u64)) {
                mask.set_bit((u64::from(row) - rows.start) as usize, true);
            }
        }
        Ok(mask.finish())
    }
}

/// Counts the rows of each chunk of `index` that pass the filter of `files`. Also returns the counts of the requests to stores.
///
/// # Errors
/// A file cannot be read, or differs from the index.
pub(super) fn counted(
    index: &ChunkIndex,
    files: &FileSet,
    options: &IterationOptions,
) -> Result<(ChunkIndex, Requests), FeedError> {
    let zeros = |file: usize| vec![0; index.chunks(file).len()];
    if let Some(chosen) = files.only_choice() {
        let check = Check::of(options.interrupt.as_ref());
        let rows = |file: usize, chunk: &Chunk| {
            if chosen.chooses_all(file) {
                return Ok(chunk.rows);
            }
            let chosen = chosen.choose(file, chunk.offset, 0..chunk.rows, &check)?;
            Ok(chosen.count_set_bits() as u64)
        };
        let counts =
            (0..index.files()).map(|file| index.chunks(file).iter().map(|chunk| rows(file, chunk)).collect());
        let counts: Vec<Vec<u64>> = counts.collect::<Result<_, FeedError>>()?;
        return Ok((index.with_counts(files, &counts, Vec::new()), Requests::default()));
    }
    let files = Arc::new(files.with_columns(&[])?).for_reading();
    let by_caller = files.format().is_decoded_by_caller();
    let options = PartOptions {
        batch_size: None,
        boundaries: BatchBoundaries::PerPart,
        on_error: options.on_error,
        workers: if by_caller { Workers::Caller } else { Workers::Own(options.thread_count()) },
        prefetch_bytes: options.prefetch_bytes,
        interrupt: options.interrupt.clone(),
        claim: None,
    };
    // Files without chunks may be unreadable.
    let is_read = |file: &usize| !files.is_pruned(*file) && !index.chunks(*file).is_empty();
    let parts: Vec<Part> = (0..files.len()).filter(is_read).map(Part::whole).collect();
    let mut reader = PartReader::new(files.clone(), parts, options)?;
    let mut counts: Vec<Vec<u64>> = (0..index.files()).map(zeros).collect();
    for piece in &mut reader {
        let piece = piece?;
        for (origin, rows) in stretches(&piece) {
            let nth_chunk = index.nth_chunk(piece.file, origin.offset);
            let nth_chunk = nth_chunk.ok_or_else(|| other_chunk(origin).in_file(files.name(piece.file)))?;
            counts[piece.file][nth_chunk] += rows.len() as u64;
        }
    }
    let report = reader.take_report();
    Ok((index.with_counts(&files, &counts, report.skipped), report.requests))
}
