//! An epoch in file order.

use std::sync::Arc;

use arrowfeed_avro::{AvroFiles, Part, PartOptions, PartReader, Prepare};
use arrowfeed_source::{FeedError, Report};

use super::index::BlockIndex;
use super::options::IterationOptions;
use super::order::shard_rows;
use super::pieces::{After, Pieces, Rows};

#[derive(Debug)]
pub(super) struct Sequential {
    reader: PartReader,
    pieces: Pieces,
}

impl Sequential {
    /// All rows, or those after a place, the first batch of `first` rows. A shard needs the index.
    pub(super) fn start(
        files: &Arc<AvroFiles>,
        index: Option<&BlockIndex>,
        options: &IterationOptions,
        first: usize,
        after: Option<After>,
        prepare: Option<Prepare>,
    ) -> Result<Self, FeedError> {
        // Batches that begin with held rows are not the pieces that threads see.
        let prepare = prepare.filter(|_| first == options.batch_size);
        let reading = PartOptions { prepare, ..options.reading(options.batch_size) };
        let reader = match index {
            Some(index) => files.read(stretch(index, options, after), reading)?,
            None => files.read(all(files.len(), after), reading)?,
        };
        let most = files.options().limits.batch_bytes;
        let pieces = Pieces::new(first, options.batch_size, most);
        Ok(Self { reader, pieces })
    }

    pub(super) fn next(&mut self) -> Result<Option<(Rows, After)>, FeedError> {
        while !self.pieces.is_enough() {
            match self.reader.next() {
                Some(piece) => self.pieces.add(piece?)?,
                None => break,
            }
        }
        self.pieces.take()
    }

    pub(super) fn report(&self) -> Report {
        let mut report = self.reader.report();
        report.rows -= self.pieces.rows() as u64;
        report
    }
}

fn all(files: usize, after: Option<After>) -> impl Iterator<Item = Part> + Send + 'static {
    let first = after.map(|after| Part::after(after.file, after.block, after.offset, after.row));
    let next = after.map_or(0, |after| after.file + 1);
    first.into_iter().chain((next..files).map(Part::whole))
}

/// The rows of a shard.
fn stretch(index: &BlockIndex, options: &IterationOptions, after: Option<After>) -> Vec<Part> {
    let mut rows = shard_rows(index.rows(), options.shard);
    if let Some(after) = after {
        rows.start = index.rows_before(after.file, after.offset, after.row).max(rows.start);
    }
    let mut parts = Vec::new();
    while let Some(place) = index.place(rows.start).filter(|_| rows.start < rows.end) {
        let block = index.blocks(place.file)[place.nth_block];
        let in_file =
            index.rows_before(place.file, block.offset, place.row) - index.rows_before(place.file, 0, 0);
        let kept = (index.rows_of(place.file) - in_file).min(rows.end - rows.start);
        let part = Part::after(place.file, block.number, block.offset, place.row);
        parts.push(part.with_kept(kept));
        rows.start += kept;
    }
    parts
}
