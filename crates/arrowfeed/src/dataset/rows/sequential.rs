//! Epoch in file order.

use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::FeedError;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartReader, Polled, Workers};

use super::gather::Step;
use super::order::in_file_order;
use super::pieces::Pieces;
use super::window::{PART, PlannedWindow};
use crate::dataset::files::chosen_rows::ChosenRows;
use crate::dataset::files::chunk_index::{ChunkIndex, RowLocation, RowPosition};
use crate::dataset::options::IterationOptions;

#[derive(Debug)]
pub(crate) struct Sequential {
    pub(crate) reader: PartReader,
    pub(crate) pieces: Pieces,
    /// The rows to keep, if rows are chosen at random.
    chosen: Option<ChosenRows>,
    /// Number of rows that may still be added to the pieces.
    left: u64,
}

impl Sequential {
    /// Starts at the first row, or at a position. The first batch also has `carried` rows of the previous epoch. The
    /// index is needed by a shard, by rows that do not start with the first one, by chosen rows, and by a position in rows
    /// that end before the last one.
    pub(crate) fn start(
        files: &Arc<FileSet>,
        index: Option<&Arc<ChunkIndex>>,
        options: &IterationOptions,
        workers: Workers,
        carried: u64,
        after: Option<RowPosition>,
    ) -> Result<Self, FeedError> {
        let reading = options.reading(options.batch_size, BatchBoundaries::Continue(carried), workers);
        let mut chosen = index.and_then(ChosenRows::new);
        let reader = match index {
            Some(index) => {
                let parts = match files.is_filtered() {
                    true => filtered_stretch(index, &mut chosen, options, after)?,
                    false => stretch(index, chosen.as_mut(), options, after)?,
                };
                PartReader::new(files.clone(), parts, reading)?
            }
            None => PartReader::new(files.clone(), all(files, after), reading)?,
        };
        let pieces = Pieces::new(options.batch_size, files.format().limits().batch_bytes);
        // With an index, the parts have only the selected rows.
        let left = if index.is_some() { u64::MAX } else { options.rows.end };
        Ok(Self { reader, pieces, chosen, left })
    }

    pub(crate) fn next(&mut self, wait: bool) -> Result<Step<RowPosition>, FeedError> {
        while !self.pieces.is_enough() && self.left > 0 {
            match self.reader.poll(wait)? {
                Polled::Batch(mut piece) => {
                    if piece.batch.num_rows() as u64 > self.left {
                        piece.batch = piece.batch.slice(0, usize::try_from(self.left).unwrap_or(usize::MAX));
                    }
                    self.left -= piece.batch.num_rows() as u64;
                    let chosen = self.chosen.as_mut().map(|chosen| chosen.of_piece(&piece)).transpose()?;
                    self.pieces.add(piece, chosen)?;
                }
                Polled::Pending => return Ok(Step::Pending),
                Polled::End => break,
            }
        }
        Ok(self.pieces.take().map_or(Step::End, |(rows, after)| Step::Rows(rows, after)))
    }
}

fn all(files: &Arc<FileSet>, after: Option<RowPosition>) -> impl Iterator<Item = Part> + Send + 'static {
    let first = after.map(|after| Part::after(after.file, after.chunk, after.offset, after.row));
    let next = after.map_or(0, |after| after.file + 1);
    let files = files.clone();
    let rest = (next..files.len()).filter(move |file| !files.is_pruned(*file));
    first.into_iter().chain(rest.map(Part::whole))
}

/// Like [`stretch`], as parts of few chunks each: a part of filtered rows that ends inside a chunk is not divided among threads.
fn filtered_stretch(
    index: &ChunkIndex,
    chosen: &mut Option<ChosenRows>,
    options: &IterationOptions,
    after: Option<RowPosition>,
) -> Result<Vec<Part>, FeedError> {
    let rows = rows_after(index, chosen.as_mut(), options, after)?;
    let window = PlannedWindow::new(0, &in_file_order(index, rows), index, chosen)?;
    Ok(window.parts(index, &[], PART).into_iter().map(|found| found.part).collect())
}

/// The selected rows of a shard, from a position on.
fn rows_after(
    index: &ChunkIndex,
    chosen: Option<&mut ChosenRows>,
    options: &IterationOptions,
    after: Option<RowPosition>,
) -> Result<Range<u64>, FeedError> {
    let mut rows = options.own_rows(index.rows());
    if let Some(RowPosition { file, offset, row, .. }) = after {
        let before = match (chosen, index.nth_chunk(file, offset)) {
            (Some(chosen), Some(nth_chunk)) => chosen.before(file, nth_chunk, row)?,
            _ => row,
        };
        rows.start = (index.rows_before(file, offset) + before).max(rows.start);
    }
    Ok(rows)
}

/// The parts that have the selected rows of a shard. A part of chosen rows also has the rows between them.
fn stretch(
    index: &ChunkIndex,
    mut chosen: Option<&mut ChosenRows>,
    options: &IterationOptions,
    after: Option<RowPosition>,
) -> Result<Vec<Part>, FeedError> {
    let mut rows = rows_after(index, chosen.as_deref_mut(), options, after)?;
    let mut number = |file, nth_chunk, row| match &mut chosen {
        Some(chosen) => chosen.number(file, nth_chunk, row),
        None => Ok(row),
    };
    let mut parts = Vec::new();
    while let Some(place) = index.place(rows.start).filter(|_| rows.start < rows.end) {
        let RowLocation { file, nth_chunk, row } = place;
        let chunks = &index.chunks(file)[nth_chunk..];
        let first = number(file, nth_chunk, row)?;
        let (mut wanted, mut found) = (row + rows.end - rows.start, 0);
        let mut end = chunks[0].offset;
        // Chunks that are not in the index do not belong to a shard, so a part ends before them.
        for (i, chunk) in
            chunks.iter().enumerate().take_while(|(i, chunk)| *i == 0 || chunk.offset == chunks[*i - 1].end)
        {
            end = chunk.end;
            let count = index.chunk_rows(file, nth_chunk + i);
            if wanted < count {
                found += number(file, nth_chunk + i, wanted)?;
                wanted = 0;
                break;
            }
            (wanted, found) = (wanted - count, found + chunk.rows);
        }
        let part = Part::after(file, chunks[0].number, chunks[0].offset, first);
        parts.push(part.with_end(end).with_kept(found - first));
        rows.start = rows.end - wanted;
    }
    Ok(parts)
}
