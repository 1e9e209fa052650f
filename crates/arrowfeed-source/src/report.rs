//! What a reader has read, and what it has left out.

use crate::FeedError;

/// What a reader does with a block or a file that it cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnError {
    /// Gives the error and ends.
    #[default]
    Raise,
    /// Leaves the block out, counts it in the [`Report`](crate::Report), and goes on with the next block.
    SkipBlock,
    /// Leaves out what is left of the file, counts it in the [`Report`](crate::Report), and goes on with the
    /// next file.
    SkipFile,
}

/// Counts of a reader, up to the batch that it gave last; blocks and bytes may be ahead of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows in the batches that were given out.
    pub rows: u64,
    /// Blocks that were decoded.
    pub blocks: u64,
    /// Bytes of those blocks in the file.
    pub bytes: u64,
    /// What [`OnError`](crate::OnError) has left out, in file order.
    pub skipped: Vec<Skipped>,
    /// Requests to stores.
    pub requests: Requests,
}

/// Counts of requests to stores. All are zero for local files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    /// Attempts of requests.
    pub requests: u64,
    /// Attempts after the first one of a request.
    pub retries: u64,
    /// Bytes of bodies, including those of attempts that failed.
    pub bytes: u64,
    /// Bytes that came from the local cache.
    pub cached_bytes: u64,
    /// Files that were read as a whole because their server does not support ranges.
    pub without_ranges: u64,
}

impl Requests {
    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.retries += other.retries;
        self.bytes += other.bytes;
        self.cached_bytes += other.cached_bytes;
        self.without_ranges += other.without_ranges;
    }
}

/// A block, or the rest of a file, that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file, as the caller named it.
    pub path: String,
    /// Number of the block; none for a whole file.
    pub block: Option<u64>,
    /// Where it starts in the file; none for a whole file.
    pub offset: Option<u64>,
    /// Records that it declares, where that could be read.
    pub rows: Option<u64>,
    /// The whole message of the error.
    pub error: String,
}

impl Skipped {
    /// A whole file, or the rest of it.
    pub fn file(path: &str, error: &FeedError) -> Self {
        Self { path: path.to_owned(), block: None, offset: None, rows: None, error: error.to_string() }
    }
}

impl Report {
    /// Adds the counts of what was read next.
    pub fn add(&mut self, other: Report) {
        self.rows += other.rows;
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.skipped.extend(other.skipped);
        self.requests.add(other.requests);
    }
}
