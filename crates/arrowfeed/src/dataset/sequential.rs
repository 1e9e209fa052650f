//! Epoch in file order.

use std::sync::Arc;

use arrowfeed_source::FeedError;
use arrowfeed_source::run::{Borders, FileSet, Part, PartReader, Polled, Workers};

use super::chunk_index::ChunkIndex;
use super::epoch::Step;
use super::options::IterationOptions;
use super::pieces::{Pieces, RowPosition};

#[derive(Debug)]
pub(super) struct Sequential {
    pub(super) reader: PartReader,
    pub(super) pieces: Pieces,
    /// Number of rows that may still be added to the pieces.
    left: u64,
}

impl Sequential {
    /// Starts at the first row, or at a position. The first batch also has `carried` rows of the previous epoch. The
    /// index is needed by a shard, by rows that do not start with the first one, and by a position in rows that end
    /// before the last one.
    pub(super) fn start(
        files: &Arc<FileSet>,
        index: Option<&ChunkIndex>,
        options: &IterationOptions,
        workers: Workers,
        carried: u64,
        after: Option<RowPosition>,
    ) -> Result<Self, FeedError> {
        let reading = options.reading(options.batch_size, Borders::After(carried), workers);
        let reader = match index {
            Some(index) => PartReader::new(files.clone(), stretch(index, options, after), reading)?,
            None => PartReader::new(files.clone(), all(files.len(), after), reading)?,
        };
        let pieces = Pieces::new(options.batch_size, files.format().limits().batch_bytes);
        // With an index, the parts have only the selected rows.
        let left = if index.is_some() { u64::MAX } else { options.rows.end };
        Ok(Self { reader, pieces, left })
    }

    pub(super) fn next(&mut self, wait: bool) -> Result<Step<RowPosition>, FeedError> {
        while !self.pieces.is_enough() && self.left > 0 {
            match self.reader.poll(wait)? {
                Polled::Batch(mut piece) => {
                    if piece.batch.num_rows() as u64 > self.left {
                        piece.batch = piece.batch.slice(0, usize::try_from(self.left).unwrap_or(usize::MAX));
                    }
                    self.left -= piece.batch.num_rows() as u64;
                    self.pieces.add(piece)?;
                }
                Polled::Pending => return Ok(Step::Pending),
                Polled::End => break,
            }
        }
        Ok(self.pieces.take().map_or(Step::End, |(rows, after)| Step::Rows(rows, after)))
    }
}

fn all(files: usize, after: Option<RowPosition>) -> impl Iterator<Item = Part> + Send + 'static {
    let first = after.map(|after| Part::after(after.file, after.chunk, after.offset, after.row));
    let next = after.map_or(0, |after| after.file + 1);
    first.into_iter().chain((next..files).map(Part::whole))
}

/// The parts that have the selected rows of a shard.
fn stretch(index: &ChunkIndex, options: &IterationOptions, after: Option<RowPosition>) -> Vec<Part> {
    let mut rows = options.own_rows(index.rows());
    if let Some(after) = after {
        rows.start = index.rows_before(after.file, after.offset, after.row).max(rows.start);
    }
    let mut parts = Vec::new();
    while let Some(place) = index.place(rows.start).filter(|_| rows.start < rows.end) {
        let chunks = &index.chunks(place.file)[place.nth_chunk..];
        let chunk = chunks[0];
        // Chunks that are not in the index do not belong to a shard, so a part ends before them.
        let gap = chunks.windows(2).position(|pair| pair[0].end != pair[1].offset);
        let together = &chunks[..gap.map_or(chunks.len(), |last| last + 1)];
        let end = together.last().map_or(chunk.end, |last| last.end);
        let left = together.iter().map(|chunk| chunk.rows).sum::<u64>() - place.row;
        let kept = left.min(rows.end - rows.start);
        let part = Part::after(place.file, chunk.number, chunk.offset, place.row);
        parts.push(part.with_end(end).with_kept(kept));
        rows.start += kept;
    }
    parts
}
