//! Encoding of rows into blocks, which are cut by size and compressed.

use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::{FeedError, Limits, thousands};

use super::compress::Compressor;
use super::encode::{BlockBuffer, Body};
use super::options::WriteOptions;
use crate::container::framing::SYNC;

/// Maximum number of rows of a block. Rows without bytes would never fill one.
const MAX_ROWS: u64 = 1 << 20;

/// Number of rows that are prefetched into the cache together, column by column, before they are encoded. Otherwise the
/// processor would follow as many streams as there are columns. 500,000 rows of 30 columns took 104 ms without prefetching
/// and 85 ms with it; 310,000 nested rows took 184 and 147 ms. 64 and 1,024 rows work equally well.
const FETCHED_ROWS: usize = 256;

/// Rows of one batch, bound to the plan.
#[derive(Debug, Clone)]
pub(super) struct BoundRows {
    pub(super) body: Arc<Body>,
    pub(super) rows: Range<usize>,
    /// Index of the first of them among all rows that are written.
    pub(super) first_row: u64,
}

/// The result of encoding some pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Encoded {
    pub(super) rows: u64,
    pub(super) blocks: u64,
}

/// Encodes pieces into blocks. Its buffers are reused.
#[derive(Debug)]
pub(super) struct BlockEncoder {
    buffer: BlockBuffer,
    compressor: Compressor,
    compressed: Vec<u8>,
    sync: [u8; SYNC],
    block_bytes: usize,
}

/// Maximum number of bytes of encoded rows in a block. Readers accept such a block also when it is compressed, because the
/// codecs add at most a 64th to data that they cannot compress.
fn most_bytes() -> usize {
    let limit = Limits::default().decoded_block_bytes;
    limit - (limit >> 6)
}

impl BlockEncoder {
    pub(super) fn new(options: &WriteOptions, sync: [u8; SYNC]) -> Result<Self, FeedError> {
        let (buffer, compressed) = (BlockBuffer::new(most_bytes()), Vec::new());
        let compressor = Compressor::new(options.codec, options.level)?;
        Ok(Self { buffer, compressor, compressed, sync, block_bytes: options.block_bytes })
    }

    /// Encodes all rows of the pieces and passes the blocks to `emit`. No block is open at the end.
    pub(super) fn encode(
        &mut self,
        pieces: &[BoundRows],
        emit: &mut dyn FnMut(&[u8]) -> Result<(), FeedError>,
    ) -> Result<Encoded, FeedError> {
        self.buffer.clear();
        let (mut encoded, mut open) = (Encoded::default(), 0);
        for (index, piece) in pieces.iter().enumerate() {
            let (mut row, mut fetched) = (piece.rows.start, 0);
            while row < piece.rows.end {
                if row >= fetched {
                    fetched = piece.rows.end.min(row + FETCHED_ROWS);
                    piece.body.fetch(row, fetched);
                }
                let put = piece.body.put(row, &mut self.buffer);
                let number = piece.first_row + (row - piece.rows.start) as u64;
                put.map_err(|error| error.in_record(number))?;
                if self.buffer.is_over() {
                    if open == 0 {
                        return Err(too_large().in_record(number));
                    }
                    // The rows before it become a block, and this row begins the next one.
                    self.buffer.clear();
                    put_last(&pieces[..=index], row, open, &mut self.buffer)?;
                    self.close(open, emit)?;
                    encoded.blocks += 1;
                    open = 0;
                    continue;
                }
                (open, row) = (open + 1, row + 1);
                encoded.rows += 1;
                if self.buffer.len() >= self.block_bytes || open == MAX_ROWS {
                    self.close(open, emit)?;
                    encoded.blocks += 1;
                    open = 0;
                }
            }
        }
        if open > 0 {
            self.close(open, emit)?;
            encoded.blocks += 1;
        }
        Ok(encoded)
    }

    fn close(
        &mut self,
        count: u64,
        emit: &mut dyn FnMut(&[u8]) -> Result<(), FeedError>,
    ) -> Result<(), FeedError> {
        if self.compressor.is_null() {
            emit(self.buffer.block(count, &self.sync))?;
        } else {
            let rows = self.buffer.rows();
            let fill = |out: &mut Vec<u8>| self.compressor.compress(rows, out);
            let start = BlockBuffer::compressed_block(&mut self.compressed, count, &self.sync, fill)?;
            emit(&self.compressed[start..])?;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Average number of bytes of a row, from `most` rows of a piece; `None` if a row cannot be encoded.
    pub(super) fn sample(&mut self, piece: &BoundRows, most: usize) -> Option<usize> {
        self.buffer.clear();
        let step = (piece.rows.len() / most).max(1);
        let (mut bytes, mut sampled) = (0, 0);
        for row in piece.rows.clone().step_by(step) {
            piece.body.put(row, &mut self.buffer).ok()?;
            if self.buffer.is_over() {
                return None;
            }
            (bytes, sampled) = (bytes + self.buffer.len(), sampled + 1);
            self.buffer.clear();
        }
        Some(bytes.checked_div(sampled)?.max(1))
    }
}

/// Encodes again the last `count` rows before row `end` of the last piece.
fn put_last(pieces: &[BoundRows], end: usize, count: u64, buffer: &mut BlockBuffer) -> Result<(), FeedError> {
    let mut left = usize::try_from(count).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    for (index, piece) in pieces.iter().enumerate().rev() {
        let end = if index + 1 == pieces.len() { end } else { piece.rows.end };
        let taken = left.min(end - piece.rows.start);
        parts.push((piece, end - taken..end));
        left -= taken;
    }
    parts
        .into_iter()
        .rev()
        .try_for_each(|(piece, mut rows)| rows.try_for_each(|row| piece.body.put(row, buffer)))
}

pub(super) fn too_large() -> FeedError {
    let most = thousands(most_bytes() as u64);
    let message =
        format!("expected a row of at most {most} bytes, found a larger one, which readers would refuse");
    FeedError::limit_reached("decoded_block_bytes", message)
}
