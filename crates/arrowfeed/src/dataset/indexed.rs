//! Files with their chunk index and checksums, which are computed once for all iterations.

use std::sync::Arc;

use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, ForkLock, Interrupt};

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

    pub(super) fn index(&self, options: &IterationOptions) -> Result<Arc<ChunkIndex>, FeedError> {
        if let Some(index) = self.index.with(|index| index.clone()).flatten() {
            return Ok(index);
        }
        let index = Arc::new(ChunkIndex::build(&self.files, options)?);
        if index.skipped.is_empty() {
            self.index.with(|known| *known = Some(index.clone()));
        }
        Ok(index)
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
