//! Counts of the data that a reader has read and skipped.

use crate::FeedError;

/// The reaction of a reader to a block or a file that it cannot read.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnError {
    /// Returns the error and ends the iteration.
    #[default]
    Raise,
    /// Skips the block, records it in the [`Report`](crate::Report), and continues with the next block.
    SkipBlock,
    /// Skips the rest of the file, records it in the [`Report`](crate::Report), and continues with the next file.
    SkipFile,
}

crate::words! { OnError { "raise" = Raise, "skip_block" = SkipBlock, "skip_file" = SkipFile } }

impl OnError {
    /// Whether a decoder skips a chunk, or a record of it, after this error. Only damage is skipped.
    pub fn skips_chunk(self, error: &FeedError) -> bool {
        self == Self::SkipBlock && error.is_damage()
    }
}

/// Counts of a reader up to the last batch that it returned. `blocks` and `bytes` may run ahead of it.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows in the returned batches.
    pub rows: u64,
    /// Rows that a filter left out.
    pub rejected: u64,
    /// Decoded blocks.
    pub blocks: u64,
    /// Size of those blocks in the file, in bytes.
    pub bytes: u64,
    /// Blocks and files that were skipped under [`OnError`](crate::OnError), in file order.
    pub skipped: Vec<Skipped>,
    /// Requests to remote stores.
    pub requests: Requests,
}

/// Counts of requests to remote stores. All are zero for local files.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    /// Attempts, including the first one of each request.
    pub requests: u64,
    /// Retries: attempts after the first one of a request.
    pub retries: u64,
    /// Bytes of response bodies, including those of failed attempts.
    pub bytes: u64,
    /// Bytes read from the local cache.
    pub cached_bytes: u64,
    /// Files that were downloaded whole because their server does not support range requests.
    pub whole_downloads: u64,
    /// Attempts that failed because too few bytes arrived for too long.
    pub slow: u64,
}

impl Requests {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.retries += other.retries;
        self.bytes += other.bytes;
        self.cached_bytes += other.cached_bytes;
        self.whole_downloads += other.whole_downloads;
        self.slow += other.slow;
    }

    /// The counts after those of `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            retries: self.retries.saturating_sub(earlier.retries),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            cached_bytes: self.cached_bytes.saturating_sub(earlier.cached_bytes),
            whole_downloads: self.whole_downloads.saturating_sub(earlier.whole_downloads),
            slow: self.slow.saturating_sub(earlier.slow),
        }
    }
}

/// A skipped block, or the skipped rest of a file.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file, as the caller named it.
    pub path: String,
    /// Index of the block; `None` for a file.
    pub block: Option<u64>,
    /// Byte offset of the block in the file; `None` for a file.
    pub offset: Option<u64>,
    /// Number of records that the block declares, if it could be read.
    pub rows: Option<u64>,
    /// The complete error message.
    pub error: String,
}

impl Skipped {
    /// Creates the entry for a whole file, or for the rest of it.
    pub fn file(path: &str, error: &FeedError) -> Self {
        Self { path: path.to_owned(), block: None, offset: None, rows: None, error: error.to_string() }
    }
}

impl Report {
    /// Adds the counts of the data that was read next.
    pub fn add(&mut self, other: Report) {
        self.rows += other.rows;
        self.rejected += other.rejected;
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.skipped.extend(other.skipped);
        self.requests.add(other.requests);
    }
}
