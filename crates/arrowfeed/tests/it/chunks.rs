//! Sources of numbered rows that are not files. A small file describes the rows of each source, so that tests can open
//! it by its path.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::source::format::ChunkSource;
use arrowfeed::{FeedError, FeedErrorKind};

use crate::files::{batch, schema};

/// Numbered rows in chunks of one size.
#[derive(Debug)]
pub(crate) struct Chunks {
    name: String,
    schema: SchemaRef,
    first: i64,
    rows: Vec<u64>,
    /// A chunk that cannot be read.
    wrong: Option<u64>,
}

impl Chunks {
    /// A row takes about ten bytes.
    pub(crate) fn new(path: &Path, numbers: Range<i64>, chunk_bytes: usize) -> Self {
        let (most, mut left) = ((chunk_bytes / 10).max(1) as u64, (numbers.end - numbers.start) as u64);
        let mut rows = Vec::new();
        while left > 0 {
            rows.push(left.min(most));
            left -= left.min(most);
        }
        // An empty chunk: there is nothing to read.
        rows.insert(rows.len() / 2, 0);
        let name = path.display().to_string();
        Self { name, schema: schema(), first: numbers.start, rows, wrong: None }
    }

    /// Makes a chunk unreadable.
    pub(crate) fn with_wrong(mut self, chunk: u64) -> Self {
        self.wrong = Some(chunk);
        self
    }

    pub(crate) fn write(&self) {
        let numbers = [self.first, self.wrong.map_or(-1, |chunk| chunk as i64)];
        let rows = self.rows.iter().map(|rows| *rows as i64);
        let words: Vec<String> = numbers.into_iter().chain(rows).map(|n| n.to_string()).collect();
        std::fs::write(&self.name, words.join(" ")).unwrap();
    }

    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let numbers: Vec<i64> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        Self {
            name: path.display().to_string(),
            schema: schema(),
            first: numbers[0],
            wrong: u64::try_from(numbers[1]).ok(),
            rows: numbers[2..].iter().map(|rows| *rows as u64).collect(),
        }
    }

    pub(crate) fn sources(paths: &[PathBuf]) -> impl Iterator<Item = Arc<dyn ChunkSource>> {
        paths.iter().map(|path| Arc::new(Self::read(path)) as Arc<dyn ChunkSource>)
    }
}

impl ChunkSource for Chunks {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn chunk_rows(&self) -> &[u64] {
        &self.rows
    }

    fn fingerprint(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.first.to_le_bytes());
        bytes
    }

    fn read(&self, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError> {
        if self.wrong == Some(chunk) {
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, "expected a chunk that can be read"));
        }
        let before: u64 = self.rows[..chunk as usize].iter().sum();
        let start = self.first + before as i64;
        Ok(batch(start..start + self.rows[chunk as usize] as i64).project(columns).unwrap())
    }
}
