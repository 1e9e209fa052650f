//! Where all blocks of all files are, and how many rows each declares.

use arrowfeed_avro::{AvroFiles, BlockInfo};
use arrowfeed_source::{FeedError, OnError, Skipped};

use super::options::IterationOptions;

/// The blocks of each file, by their heads alone.
#[derive(Debug)]
pub(super) struct BlockIndex {
    /// Blocks with rows, by file.
    files: Vec<Vec<BlockInfo>>,
    /// Rows before each file, and all rows at the end.
    rows_before: Vec<u64>,
    /// Of the files' sync markers, of where the blocks are, and of how many rows they have.
    pub(super) digest: u32,
    /// What could not be read and is left out.
    pub(super) skipped: Vec<Skipped>,
}

/// A row: its file, its block in the list of that file, and its row in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) nth_block: usize,
    pub(super) row: u64,
}

impl BlockIndex {
    pub(super) fn build(files: &AvroFiles, options: &IterationOptions) -> Result<Self, FeedError> {
        let mut index = Self { files: Vec::new(), rows_before: vec![0], digest: 0, skipped: Vec::new() };
        let mut digest = crc32fast::Hasher::new();
        let mut rows = 0;
        for file in 0..files.len() {
            options.ask()?;
            let (blocks, faults) = match files.blocks(file, options.on_error, options.interrupt.as_ref()) {
                Ok(found) => found,
                Err(error) if options.on_error == OnError::SkipFile && error.is_of_the_file() => {
                    (Vec::new(), vec![error])
                }
                Err(error) => return Err(error),
            };
            for error in faults {
                let (block, offset) = match options.on_error {
                    OnError::SkipBlock => (error.location().block, error.location().offset),
                    _ => (None, None),
                };
                let (path, error) = (files.name(file).to_owned(), error.to_string());
                index.skipped.push(Skipped { path, block, offset, rows: None, error });
            }
            let blocks: Vec<BlockInfo> = blocks.into_iter().filter(|block| block.rows > 0).collect();
            if !blocks.is_empty() {
                // It has just been opened.
                digest.update(&files.identity(file)?.sync);
            }
            for block in &blocks {
                rows += block.rows;
                digest.update(&block.offset.to_le_bytes());
                digest.update(&block.rows.to_le_bytes());
            }
            index.files.push(blocks);
            index.rows_before.push(rows);
        }
        index.digest = digest.finalize();
        Ok(index)
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows_before.last().copied().unwrap_or(0)
    }

    pub(super) fn blocks(&self, file: usize) -> &[BlockInfo] {
        &self.files[file]
    }

    pub(super) fn rows_of(&self, file: usize) -> u64 {
        self.rows_before[file + 1] - self.rows_before[file]
    }

    /// The row that has `row` rows before it, in file order; none behind the last.
    pub(super) fn place(&self, row: u64) -> Option<Place> {
        if row >= self.rows() {
            return None;
        }
        let file = self.rows_before.partition_point(|before| *before <= row) - 1;
        let mut left = row - self.rows_before[file];
        for (nth_block, block) in self.files[file].iter().enumerate() {
            if left < block.rows {
                return Some(Place { file, nth_block, row: left });
            }
            left -= block.rows;
        }
        None
    }

    /// Rows before a row of a block, in file order. `offset` is where the block starts.
    pub(super) fn rows_before(&self, file: usize, offset: u64, row: u64) -> u64 {
        let blocks = self.files[file].iter().take_while(|block| block.offset < offset);
        self.rows_before[file] + blocks.map(|block| block.rows).sum::<u64>() + row
    }
}
