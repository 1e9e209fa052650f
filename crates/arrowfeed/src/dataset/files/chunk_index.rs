//! Index of all chunks of all files, with their row counts.

use std::sync::Arc;

use arrowfeed_source::format::Chunk;
use arrowfeed_source::io::FileIdentity;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, OnError, Requests, Skipped};

use super::counted_files::CountedFiles;
use super::selection::{RowSplit, Selection};
use crate::dataset::options::IterationOptions;

/// The chunks of each file, found from their headers without decoding them.
#[derive(Debug)]
pub(crate) struct ChunkIndex {
    /// Non-empty chunks of each file.
    files: Arc<[Vec<Chunk>]>,
    /// Number of rows before each file, followed by the total. Only chosen rows count, here and below.
    rows_before: Vec<u64>,
    /// The rows that are chosen at random. `None`: all rows.
    selection: Option<Selection>,
    /// Checksum of the fingerprint, the chunk offsets and the row counts of each file.
    digests: Arc<[u32]>,
    /// Chunks and files that could not be read and are skipped.
    pub(crate) skipped: Vec<Skipped>,
}

/// Position of a row: its file, its chunk in the list of that file, and its row in the chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowLocation {
    pub(crate) file: usize,
    pub(crate) nth_chunk: usize,
    pub(crate) row: u64,
}

/// Position after a row, such as the last one of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowPosition {
    pub(crate) file: usize,
    pub(crate) chunk: u64,
    pub(crate) offset: u64,
    /// Number of rows of the chunk before the position.
    pub(crate) row: u64,
}

impl ChunkIndex {
    /// Scans all files but those that `filtered`, the same files with a filter, leaves out by their added columns. Also returns
    /// the counts of the requests to stores.
    pub(crate) fn build(
        files: &Arc<FileSet>,
        filtered: &Arc<FileSet>,
        options: &IterationOptions,
    ) -> Result<(Self, Requests), FeedError> {
        let mut files_chunks = Vec::with_capacity(files.len());
        let mut skipped = Vec::new();
        let (on_error, interrupt) = (options.on_error, options.interrupt.as_ref());
        let filtered = filtered.clone();
        let is_read = move |file| !filtered.is_pruned(file);
        let requests = files.scan_all(on_error, interrupt, is_read, |file, found| {
            let (chunks, faults) = match found {
                Ok(found) => found,
                Err(error) if on_error == OnError::SkipFile && error.is_file_error() => {
                    (Vec::new(), vec![error])
                }
                Err(error) => return Err(error),
            };
            for error in faults {
                let mut fault = Skipped::file(files.name(file), &error);
                if on_error == OnError::SkipBlock {
                    (fault.block, fault.offset) = (error.location().block, error.location().offset);
                }
                skipped.push(fault);
            }
            let chunks: Vec<Chunk> = chunks.into_iter().filter(|chunk| chunk.rows > 0).collect();
            // The scan has just opened the file.
            let identity = if chunks.is_empty() { None } else { Some(files.identity(file)?) };
            files_chunks.push((identity, chunks));
            Ok(())
        })?;
        let index = Self::of(files_chunks)?;
        Ok((Self { skipped, ..index }, requests))
    }

    /// Makes an index of known chunks. Each chunk has rows, and each file with chunks has an identity.
    ///
    /// # Errors
    /// The total number of rows does not fit a `u64`.
    pub(crate) fn of(
        files: impl IntoIterator<Item = (Option<FileIdentity>, Vec<Chunk>)>,
    ) -> Result<Self, FeedError> {
        let (mut all, mut rows_before) = (Vec::new(), vec![0]);
        let (mut digests, mut rows) = (Vec::new(), 0_u64);
        for (identity, chunks) in files {
            let mut digest = crc32fast::Hasher::new();
            if let Some(identity) = identity.filter(|_| !chunks.is_empty()) {
                digest.update(&identity.fingerprint);
            }
            for chunk in &chunks {
                rows = rows.checked_add(chunk.rows).ok_or_else(too_many_rows)?;
                digest.update(&chunk.offset.to_le_bytes());
                digest.update(&chunk.rows.to_le_bytes());
            }
            digests.push(digest.finalize());
            all.push(chunks);
            rows_before.push(rows);
        }
        let (files, digests) = (all.into(), digests.into());
        Ok(Self { files, rows_before, selection: None, digests, skipped: Vec::new() })
    }

    /// The index of the rows that `splits` choose. `files` are the files of the index.
    ///
    /// # Errors
    /// A chunk has more than 2^32 - 1 rows, there is not enough memory, or the interrupt of the options returned true.
    pub(crate) fn with_selection(
        &self,
        splits: &Arc<[RowSplit]>,
        files: &FileSet,
        options: &IterationOptions,
    ) -> Result<Self, FeedError> {
        let selection = Selection::new(splits, files, &self.files, || options.ask())?;
        let (files, skipped, digests) = (self.files.clone(), self.skipped.clone(), self.digests.clone());
        let mut rows_before = vec![0];
        for (file, chunks) in files.iter().enumerate() {
            let rows: u64 = (0..chunks.len()).map(|nth_chunk| selection.count(file, nth_chunk)).sum();
            rows_before.push(rows + rows_before[file]);
        }
        Ok(Self { files, rows_before, selection: Some(selection), digests, skipped })
    }

    /// The index with the numbers of the rows that pass the filter of `filtered`, of those chunks that have some, and with more
    /// skipped parts. The checksum of a file that its added columns rule out does not depend on whether it was scanned.
    pub(crate) fn with_counts(&self, filtered: &FileSet, counts: &[Vec<u64>], skipped: Vec<Skipped>) -> Self {
        let mut digests = Vec::with_capacity(self.files.len());
        let (mut files, mut rows_before, mut sum) = (Vec::with_capacity(self.files.len()), vec![0], 0);
        for (file, ((chunks, counts), digest)) in
            self.files.iter().zip(counts).zip(&*self.digests).enumerate()
        {
            let mut hasher = crc32fast::Hasher::new();
            let is_pruned = filtered.is_pruned(file);
            if !is_pruned {
                hasher.update(&digest.to_le_bytes());
            }
            let mut kept = Vec::new();
            for (chunk, rows) in chunks.iter().zip(counts).filter(|_| !is_pruned) {
                hasher.update(&rows.to_le_bytes());
                if *rows > 0 {
                    kept.push(Chunk { rows: *rows, ..*chunk });
                    sum += *rows;
                }
            }
            digests.push(hasher.finalize());
            files.push(kept);
            rows_before.push(sum);
        }
        let skipped = self.skipped.iter().cloned().chain(skipped).collect();
        let (files, digests) = (files.into(), digests.into());
        Self { files, rows_before, selection: None, digests, skipped }
    }

    /// Checksum of the fingerprints, the chunk offsets and the row counts of files.
    pub(crate) fn digest(&self, files: &CountedFiles<'_>) -> u32 {
        let mut digest = crc32fast::Hasher::new();
        for file in files.in_set() {
            digest.update(&self.digests[*file].to_le_bytes());
        }
        digest.finalize()
    }

    pub(crate) fn has_selection(&self) -> bool {
        self.selection.is_some()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows_before.last().copied().unwrap_or(0)
    }

    /// Number of files.
    pub(crate) fn files(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn chunks(&self, file: usize) -> &[Chunk] {
        &self.files[file]
    }

    /// Number of rows of a chunk.
    pub(crate) fn chunk_rows(&self, file: usize, nth_chunk: usize) -> u64 {
        match &self.selection {
            Some(selection) => selection.count(file, nth_chunk),
            None => self.files[file][nth_chunk].rows,
        }
    }

    /// The number of the chunk of a file that starts at an offset, among those of the index.
    pub(crate) fn nth_chunk(&self, file: usize, offset: u64) -> Option<usize> {
        self.files[file].binary_search_by_key(&offset, |chunk| chunk.offset).ok()
    }

    /// Writes the numbers of the chosen rows of a chunk to `rows`, if rows are chosen.
    pub(crate) fn chosen_rows(
        &self,
        file: usize,
        nth_chunk: usize,
        rows: &mut Vec<u32>,
    ) -> Result<(), FeedError> {
        match &self.selection {
            Some(selection) => selection.rows(file, nth_chunk, &self.files[file][nth_chunk], rows),
            None => Ok(()),
        }
    }

    /// The position of row number `row` in file order; `None` if it is past the last row.
    pub(crate) fn place(&self, row: u64) -> Option<RowLocation> {
        if row >= self.rows() {
            return None;
        }
        let file = self.rows_before.partition_point(|before| *before <= row) - 1;
        let mut left = row - self.rows_before[file];
        for nth_chunk in 0..self.files[file].len() {
            let rows = self.chunk_rows(file, nth_chunk);
            if left < rows {
                return Some(RowLocation { file, nth_chunk, row: left });
            }
            left -= rows;
        }
        None
    }

    /// Number of rows before a chunk, in file order. `offset` is the start of the chunk.
    pub(crate) fn rows_before(&self, file: usize, offset: u64) -> u64 {
        let chunks = self.files[file].partition_point(|chunk| chunk.offset < offset);
        self.rows_before[file] + (0..chunks).map(|nth_chunk| self.chunk_rows(file, nth_chunk)).sum::<u64>()
    }
}

#[cold]
fn too_many_rows() -> FeedError {
    let message = "expected fewer than 2^64 rows in all blocks of all files, found more";
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}
