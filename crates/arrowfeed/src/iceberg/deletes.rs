//! Rows that are deleted by their position in a data file.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrowfeed_source::run::{ChosenRows, FileSet};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, OnError, thousands};

/// The rows that are not deleted.
#[derive(Debug)]
pub(super) struct NotDeleted {
    /// The files with all rows.
    files: Arc<FileSet>,
    /// The positions of the deleted rows of each file, ascending and each once.
    deleted: Vec<Vec<u64>>,
    /// Those of files with deleted rows, once they are known.
    starts: ForkLock<HashMap<usize, ChunkStarts>>,
}

/// The offset of each chunk of a file, and the number of rows before it.
type ChunkStarts = Arc<[(u64, u64)]>;

impl NotDeleted {
    /// `deleted`: the positions for each file, in any order.
    pub(super) fn new(files: FileSet, mut deleted: Vec<Vec<u64>>) -> Self {
        for positions in &mut deleted {
            positions.sort_unstable();
            positions.dedup();
        }
        Self { files: Arc::new(files), deleted, starts: ForkLock::default() }
    }

    fn starts(&self, file: usize, check: &Check<'_>) -> Result<ChunkStarts, FeedError> {
        if let Some(known) = self.starts.with(|starts| starts.get(&file).cloned()).flatten() {
            return Ok(known);
        }
        // A position counts the rows before damage too, so that no chunk may be left out here.
        let (chunks, _) = self.files.chunks(file, OnError::Raise, check)?;
        let mut before = 0_u64;
        let start = |chunk: &arrowfeed_source::format::Chunk| {
            let start = before;
            before = before.saturating_add(chunk.rows);
            (chunk.offset, start)
        };
        let found: ChunkStarts = chunks.iter().map(start).collect();
        self.starts.with(|starts| starts.insert(file, found.clone()));
        Ok(found)
    }
}

impl ChosenRows for NotDeleted {
    fn choose(
        &self,
        file: usize,
        offset: u64,
        rows: Range<u64>,
        check: &Check<'_>,
    ) -> Result<BooleanBuffer, FeedError> {
        let starts = self.starts(file, check)?;
        let at = starts.binary_search_by_key(&offset, |(offset, _)| *offset).map_err(|_| {
            let message = format!("expected a block at byte {}, found none", thousands(offset));
            FeedError::new(FeedErrorKind::Changed, message).in_file(self.files.name(file))
        })?;
        let first = starts[at].1.saturating_add(rows.start);
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let mut mask = BooleanBufferBuilder::new(count);
        mask.append_n(count, true);
        let deleted = &self.deleted[file];
        let next = deleted.partition_point(|position| *position < first);
        for position in &deleted[next..] {
            match usize::try_from(position - first) {
                Ok(row) if row < count => mask.set_bit(row, false),
                _ => break,
            }
        }
        Ok(mask.finish())
    }

    fn chooses_all(&self, file: usize) -> bool {
        self.deleted[file].is_empty()
    }
}
