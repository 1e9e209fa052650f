//! Files with their chunk index and checksums, which are computed once for all iterations.

use std::sync::Arc;

use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, ForkLock, Interrupt, Requests, counted, thousands};

use super::chunk_index::ChunkIndex;
use super::options::IterationOptions;
use super::state::FileMarks;

#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) files: Arc<FileSet>,
    /// The index of files without a fault, which does not depend on `on_error`.
    index: ForkLock<Option<Arc<ChunkIndex>>>,
    marks: ForkLock<Option<FileMarks>>,
}

impl Indexed {
    pub(super) fn new(files: FileSet) -> Self {
        Self { files: Arc::new(files), index: ForkLock::default(), marks: ForkLock::default() }
    }

    /// Files whose index is known. It has no fault.
    pub(super) fn with_index(files: FileSet, index: ChunkIndex) -> Self {
        let index = ForkLock::new(Some(Arc::new(index)));
        Self { files: Arc::new(files), index, marks: ForkLock::default() }
    }

    /// The same files with other columns, which change neither the index nor the checksums.
    pub(super) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let files = Arc::new(self.files.with_columns(columns)?);
        Ok(Self { files, ..self.clone() })
    }

    /// The index, and the counts of the requests to stores that it took now.
    pub(super) fn index(&self, options: &IterationOptions) -> Result<(Arc<ChunkIndex>, Requests), FeedError> {
        if let Some(index) = self.index.with(|index| index.clone()).flatten() {
            return Ok((index, Requests::default()));
        }
        let (index, requests) = ChunkIndex::build(&self.files, options)?;
        let index = Arc::new(index);
        if index.skipped.is_empty() {
            self.index.with(|known| *known = Some(index.clone()));
        }
        Ok((index, requests))
    }

    /// What a scan of the files for the index costs, in words, where they are objects of stores and it is not known yet.
    pub(super) fn scan_cost(&self) -> Option<String> {
        if !self.files.has_objects() || self.index.with(|index| index.is_some()).unwrap_or(false) {
            return None;
        }
        let files = counted(self.files.len() as u64, "file");
        let bytes = match self.files.listed_bytes() {
            Some(bytes) => format!(", up to {} bytes", thousands(bytes)),
            None => String::new(),
        };
        let what = "num_rows, a shuffle and a shard first read the heads of all blocks";
        Some(format!("{what} of {files} of a store{bytes}: save_index() writes them, index= takes them"))
    }

    pub(super) fn marks(&self, interrupt: Option<&Interrupt>) -> Result<FileMarks, FeedError> {
        if let Some(marks) = self.marks.with(|marks| marks.clone()).flatten() {
            return Ok(marks);
        }
        let marks = FileMarks::of(&self.files, interrupt)?;
        let first = self.marks.with(|known| known.get_or_insert_with(|| marks.clone()).clone());
        Ok(first.unwrap_or(marks))
    }
}

impl Clone for Indexed {
    /// What is known stays known.
    fn clone(&self) -> Self {
        let index = ForkLock::new(self.index.with(|index| index.clone()).flatten());
        let marks = ForkLock::new(self.marks.with(|marks| marks.clone()).flatten());
        Self { files: self.files.clone(), index, marks }
    }
}
