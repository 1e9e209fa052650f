//! Files of which only the rows that pass a predicate are read.
//!
//! An epoch in file order filters while it reads. A shuffle, a shard, global batches, rows by number and the number of rows
//! need the number of passing rows of each chunk, which a reading of the predicate's columns counts once.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::run::ChosenRows as ChooseRows;
use arrowfeed_source::{Check, FeedError, ForkLock, OnError};

use super::chunk_index::ChunkIndex;
use super::indexed::{Indexed, SelectedFiles};
use crate::dataset::options::IterationOptions;

impl SelectedFiles {
    /// The files, of which only those selected rows are read that pass.
    pub(crate) fn filtered(&self, predicate: &Predicate) -> Result<Indexed, FeedError> {
        let files = &self.files.files;
        if self.is_whole() {
            // A filter of filtered files joins both predicates.
            let base = self.files.base.clone().unwrap_or_else(|| self.clone());
            return Ok(Indexed::filtered(base, files.filtered(predicate.clone())?));
        }
        let chosen = Arc::new(ChosenByNumber { files: self.clone(), known: ForkLock::default() });
        Ok(Indexed::filtered(self.clone(), files.filtered_among(predicate.clone(), chosen)?))
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
