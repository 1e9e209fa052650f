//! Files with their chunk index and checksums, which are computed once and shared by all iterations.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::format::Chunk;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{
    Check, FeedError, FeedErrorKind, ForkLock, Interrupt, Requests, counted as shown_count, thousands,
};

use super::checksums::{FileChecksums, SavedFiles, contents_of};
use super::chunk_index::ChunkIndex;
use super::counted_files::CountedFiles;
use super::counting::counted;
use super::selection::{RowRestriction, RowSplit};
use crate::dataset::options::{ALL_ROWS, IterationOptions};

/// Maximum total bytes of local files that are scanned for a number that the caller may not need. An Avro file of 1 GiB
/// in blocks of 16 kB takes 0.06 s if the system caches it, but 3.7 s if not, because each header is a read of its own.
const CHEAP_BYTES: u64 = 64 << 20;

/// Maximum number of local files that are opened for such a number.
const CHEAP_FILES: usize = 100;

/// The numbers of rows that pass predicates, of each chunk of each file, by the text of the predicate.
pub(crate) type PassingRows = BTreeMap<String, Arc<[Vec<u64>]>>;

/// Files, and the rows that `take` and `skip` have selected.
#[derive(Debug, Clone)]
pub(crate) struct SelectedFiles {
    pub(crate) files: Arc<Indexed>,
    /// In file order.
    pub(crate) rows: Range<u64>,
}

/// Files, their index and their checksums.
#[derive(Debug)]
pub(crate) struct Indexed {
    pub(crate) files: Arc<FileSet>,
    /// The rows of the same files that `files` filter, if they do.
    pub(crate) base: Option<SelectedFiles>,
    /// Cached only if no file has a fault: the index then does not depend on `on_error`.
    index: ForkLock<Option<Arc<ChunkIndex>>>,
    /// Whether the index was saved, and not made by a scan of this process.
    is_saved: bool,
    /// Numbers of rows in the saved index, for filters of these files.
    passing: Arc<PassingRows>,
    file_checksums: ForkLock<Option<FileChecksums>>,
    /// Checksum of the contents of all files.
    contents: ForkLock<Option<u32>>,
    /// The rows that are read. Empty: all rows.
    pub(crate) splits: Arc<[RowSplit]>,
    /// The index of these rows, cached like `index`.
    chosen: ForkLock<Option<Arc<ChunkIndex>>>,
}

/// The number of rows of an epoch, from the positions of all blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedRows {
    pub(crate) rows: u64,
    /// Whether the rows that a filter rejects are among them.
    pub(crate) has_rejected: bool,
    /// Whether a saved index has the positions, which may be those of other files.
    pub(crate) is_saved: bool,
}

impl Indexed {
    /// # Errors
    /// The columns form no schema.
    pub(crate) fn new(files: FileSet) -> Result<Self, FeedError> {
        if !files.is_filtered() {
            return Ok(Self::of(Arc::new(files), None, None, Arc::default()));
        }
        let all = Self::of(Arc::new(files.unfiltered()?), None, None, Arc::default());
        Ok(Self::filtered(SelectedFiles { files: Arc::new(all), rows: ALL_ROWS }, files))
    }

    pub(crate) fn format_name(&self) -> &'static str {
        self.files.format().name()
    }

    fn of(
        files: Arc<FileSet>,
        index: Option<Arc<ChunkIndex>>,
        file_checksums: Option<FileChecksums>,
        splits: Arc<[RowSplit]>,
    ) -> Self {
        let (index, file_checksums) = (ForkLock::new(index), ForkLock::new(file_checksums));
        let (passing, chosen, contents) = (Arc::default(), ForkLock::default(), ForkLock::default());
        Self { files, base: None, index, is_saved: false, passing, file_checksums, contents, splits, chosen }
    }

    /// Makes files with a known index, which has no faults, and known numbers of rows that pass predicates.
    pub(crate) fn with_index(files: FileSet, index: ChunkIndex, passing: PassingRows) -> Self {
        let passing = Arc::new(passing);
        let known = Self::of(Arc::new(files), Some(Arc::new(index)), None, Arc::default());
        Self { is_saved: true, passing, ..known }
    }

    /// `files` are those of `base` with a filter.
    pub(crate) fn filtered(base: SelectedFiles, files: FileSet) -> Self {
        let known = files.only_predicate().filter(|_| base.is_whole());
        let rows = known.and_then(|predicate| base.files.passing.get(&predicate.to_string()));
        let all = base.files.index.with(|index| index.clone()).flatten();
        let index = all.zip(rows).map(|(all, rows)| Arc::new(all.with_counts(&files, rows, Vec::new())));
        Self { base: Some(base), ..Self::of(Arc::new(files), index, None, Arc::default()) }
    }

    /// The numbers of rows that pass predicates, for a saved index of the files without filters, whose index is `all`.
    pub(crate) fn passing_rows(
        &self,
        all: &ChunkIndex,
        options: &IterationOptions,
    ) -> Result<PassingRows, FeedError> {
        let mut known = (*self.unfiltered().passing).clone();
        if let (Some(predicate), Some(base)) = (self.files.only_predicate(), &self.base)
            && base.is_whole()
            && base.files.base.is_none()
        {
            let (index, _) = self.whole_index(options)?;
            let rows = (0..all.files()).map(|file| {
                let of_chunk = |chunk: &Chunk| match index.nth_chunk(file, chunk.offset) {
                    Some(nth_chunk) => index.chunk_rows(file, nth_chunk),
                    None => 0,
                };
                all.chunks(file).iter().map(of_chunk).collect()
            });
            known.insert(predicate.to_string(), rows.collect());
        }
        Ok(known)
    }

    /// The files without a filter.
    pub(crate) fn unfiltered(&self) -> &Self {
        self.base.as_ref().map_or(self, |base| base.files.unfiltered())
    }

    /// The same files with fewer rows.
    pub(crate) fn with_split(&self, split: RowSplit) -> Self {
        let splits = self.splits.iter().cloned().chain([split]).collect();
        let (chosen, file_checksums, contents) = Default::default();
        Self { splits, chosen, file_checksums, contents, ..self.clone() }
    }

    /// The same files with other columns. The columns affect neither the index nor the checksums.
    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let files = Arc::new(self.files.with_columns(columns)?);
        Ok(Self { files, ..self.clone() })
    }

    /// The same rows with the names of their files and their numbers, see [`FileSet::traced`].
    pub(crate) fn traced(&self, names: [&str; 2], kept: &[String]) -> Result<Self, FeedError> {
        let files = Arc::new(self.files.traced(names, kept)?);
        Ok(Self { files, ..self.clone() })
    }

    /// The index of the rows that are read, and the counts of the requests to stores that this call made.
    pub(crate) fn index(&self, options: &IterationOptions) -> Result<(Arc<ChunkIndex>, Requests), FeedError> {
        if self.splits.is_empty() {
            return self.whole_index(options);
        }
        if let Some(index) = self.chosen.with(|index| index.clone()).flatten() {
            return Ok((index, Requests::default()));
        }
        let (whole, requests) = self.whole_index(options)?;
        let index = Arc::new(whole.with_selection(&self.splits, &self.files, options)?);
        if index.skipped.is_empty() {
            self.chosen.with(|known| *known = Some(index.clone()));
        }
        Ok((index, requests))
    }

    /// The number of rows of an epoch, if the positions of all blocks are known. `options` have the numbers of rows of the files.
    pub(crate) fn known_rows(&self, options: &IterationOptions) -> Option<ExpectedRows> {
        let is_saved = self.unfiltered().is_saved;
        let expected = |index: Arc<ChunkIndex>, has_rejected| {
            let rows = options.own_rows(index.rows());
            ExpectedRows { rows: rows.end - rows.start, has_rejected, is_saved }
        };
        let known = if self.splits.is_empty() { &self.index } else { &self.chosen };
        if let Some(index) = known.with(|index| index.clone()).flatten() {
            return Some(expected(index, false));
        }
        let base = self.base.as_ref().filter(|base| base.is_whole() && base.files.base.is_none())?;
        let is_whole = self.splits.is_empty() && options.rows == ALL_ROWS;
        let has_all_files = (0..self.files.len()).all(|file| !self.files.is_pruned(file));
        let index = base.files.index.with(|index| index.clone()).flatten()?;
        (is_whole && has_all_files).then(|| expected(index, true))
    }

    /// Whether an iteration needs the positions of all blocks.
    pub(crate) fn needs_index(&self, options: &IterationOptions) -> bool {
        options.needs_index() || !self.splits.is_empty()
    }

    /// Like [`index`](Self::index), of all rows.
    pub(crate) fn whole_index(
        &self,
        options: &IterationOptions,
    ) -> Result<(Arc<ChunkIndex>, Requests), FeedError> {
        if let Some(index) = self.index.with(|index| index.clone()).flatten() {
            return Ok((index, Requests::default()));
        }
        let (index, requests) = match &self.base {
            None => ChunkIndex::build(&self.files, &self.files, options)?,
            Some(base) => {
                let (index, mut requests) = match self.reads_all_files(base) {
                    true => base.files.whole_index(options)?,
                    false => {
                        let (index, requests) = ChunkIndex::build(&base.files.files, &self.files, options)?;
                        (Arc::new(index), requests)
                    }
                };
                let (index, counting) = counted(&index, &self.files, options)?;
                requests.add(counting);
                (index, requests)
            }
        };
        let index = Arc::new(index);
        if index.skipped.is_empty() {
            self.index.with(|known| *known = Some(index.clone()));
        }
        Ok((index, requests))
    }

    /// Whether the index of these files is made from that of all files: that one is known, a filter of partitions leaves no file
    /// out, or rows were selected before it.
    fn reads_all_files(&self, base: &SelectedFiles) -> bool {
        let is_first = base.is_whole() && base.files.base.is_none();
        let is_known = base.files.index.with(|index| index.is_some()).unwrap_or(false);
        !is_first || is_known || (0..self.files.len()).all(|file| !self.files.is_pruned(file))
    }

    /// Whether the index is known, or the files are local and a scan of them takes little time.
    pub(crate) fn is_scan_cheap(&self, interrupt: Option<&Interrupt>) -> bool {
        if self.index.with(|index| index.is_some()).unwrap_or(false) {
            return true;
        }
        if self.files.is_filtered() || self.files.has_objects() || self.files.len() > CHEAP_FILES {
            return false;
        }
        if self.files.format().opening_finds_chunks() {
            return true;
        }
        let mut bytes = (0..self.files.len()).map(|file| self.files.file_len(file, &Check::of(interrupt)));
        let sum = bytes.try_fold(0_u64, |sum, bytes| bytes.ok().and_then(|bytes| sum.checked_add(bytes)));
        sum.is_some_and(|bytes| bytes <= CHEAP_BYTES)
    }

    /// Describes the cost of the scan for the index, if the files are objects in stores and the index is not known yet.
    pub(crate) fn scan_cost(&self) -> Option<String> {
        if !self.files.has_objects() || self.index.with(|index| index.is_some()).unwrap_or(false) {
            return None;
        }
        let files = shown_count(self.files.len() as u64, "file");
        let bytes = match self.files.listed_bytes() {
            Some(bytes) => format!(", up to {} bytes", thousands(bytes)),
            None => String::new(),
        };
        let what = match self.files.is_filtered() {
            true => "num_rows, shuffling and sharding first read the columns of the filter",
            false => "num_rows, shuffling and sharding first read all block headers",
        };
        Some(format!("{what} of {files} in a store{bytes}: avoid this with `save_index` and `index`"))
    }

    /// The files on which the order depends: without those that a filter of partitions leaves out, unless rows were numbered or
    /// chosen at random before the filter.
    pub(crate) fn counted_files(&self) -> CountedFiles<'_> {
        CountedFiles::new(&self.files, |file| self.counts(file))
    }

    fn counts(&self, file: usize) -> bool {
        match &self.base {
            // The choice of a split depends on the numbers of the files.
            _ if !self.splits.is_empty() => true,
            Some(base) if base.is_whole() => !self.files.is_pruned(file),
            Some(base) => base.files.counts(file),
            None => true,
        }
    }

    /// The files for a state. `has_chunks`: the state has a checksum of all chunks, which the contents are part of.
    /// `reads_contents`: finds the contents also if that takes long.
    pub(crate) fn saved_files(
        &self,
        has_chunks: bool,
        reads_contents: bool,
        interrupt: Option<&Interrupt>,
    ) -> Result<SavedFiles, FeedError> {
        let contents = match has_chunks {
            true => None,
            false => self.contents(reads_contents, interrupt)?,
        };
        Ok(self.file_checksums(interrupt)?.with_contents(contents))
    }

    /// Checksum of the contents of all files. `None`: it is not known, and finding it takes long unless `reads` is set.
    fn contents(&self, reads: bool, interrupt: Option<&Interrupt>) -> Result<Option<u32>, FeedError> {
        if let Some(contents) = self.contents.with(|contents| *contents).flatten() {
            return Ok(Some(contents));
        }
        let has_index = (0..self.files.len()).all(|file| self.files.expected_identity(file).is_some());
        let is_cheap = has_index || !self.files.has_objects() && self.files.len() <= CHEAP_FILES;
        if !is_cheap && !reads {
            return Ok(None);
        }
        match contents_of(&self.counted_files(), interrupt) {
            Ok(contents) => {
                self.contents.with(|known| *known = Some(contents));
                Ok(Some(contents))
            }
            Err(error) if reads || error.kind() == FeedErrorKind::Interrupted => Err(error),
            // The iteration reports the error when it reads the file, or skips the file.
            Err(_) => Ok(None),
        }
    }

    pub(crate) fn file_checksums(&self, interrupt: Option<&Interrupt>) -> Result<FileChecksums, FeedError> {
        if let Some(file_checksums) =
            self.file_checksums.with(|file_checksums| file_checksums.clone()).flatten()
        {
            return Ok(file_checksums);
        }
        let file_checksums = FileChecksums::of(&self.counted_files(), interrupt)?;
        let first =
            self.file_checksums.with(|known| known.get_or_insert_with(|| file_checksums.clone()).clone());
        Ok(first.unwrap_or(file_checksums))
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
    pub(crate) fn shown_restrictions(&self) -> Option<String> {
        let version = self.files.version().map(str::to_owned);
        let restrictions = self.restrictions().into_iter().map(|restriction| restriction.to_string());
        let shown: Vec<String> = version.into_iter().chain(restrictions).collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }
}

impl SelectedFiles {
    /// Whether all rows of the files, or all that pass their filter, are selected.
    pub(crate) fn is_whole(&self) -> bool {
        self.rows == ALL_ROWS && self.files.splits.is_empty()
    }

    pub(crate) fn restrictions(&self) -> Vec<RowRestriction> {
        let rows = (self.rows != ALL_ROWS).then(|| RowRestriction::Rows(self.rows.clone()));
        self.files.restrictions().into_iter().chain(rows).collect()
    }
}

impl Clone for Indexed {
    /// Keeps the cached indexes and checksums.
    fn clone(&self) -> Self {
        let index = self.index.with(|index| index.clone()).flatten();
        let file_checksums = self.file_checksums.with(|file_checksums| file_checksums.clone()).flatten();
        let chosen = ForkLock::new(self.chosen.with(|index| index.clone()).flatten());
        let (base, passing) = (self.base.clone(), self.passing.clone());
        let contents = ForkLock::new(self.contents.with(|contents| *contents).flatten());
        Self {
            chosen,
            base,
            is_saved: self.is_saved,
            passing,
            contents,
            ..Self::of(self.files.clone(), index, file_checksums, self.splits.clone())
        }
    }
}
