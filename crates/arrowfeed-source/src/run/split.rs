//! Splits: byte ranges of files, so that several processes can read one file.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_reader::FileReader;
use super::file_set::FileSet;
use super::look_ahead::OpeningAhead;
use super::part::Part;
use super::part_reader::{PartOptions, PartReader, Workers};
use super::parts::BatchBoundaries;
use crate::format::{ChunkScan, Claim};
use crate::io::{FileIdentity, FileSource, check_start, found_stream};
use crate::{Check, FeedError, FeedErrorKind, Interrupt, OnError, quoted, thousands};

/// Maximum number of ranges per file. A sparse file may claim any length.
const MAX_RANGES: u64 = 1 << 16;

/// A byte range of a file. A chunk belongs to the range that contains its [offset](crate::format::Chunk::offset), so
/// ranges that cover a file cover each of its chunks exactly once, wherever the file is cut.
///
/// Splits are compared by path, start and end.
///
/// ```
/// use std::path::Path;
///
/// use arrowfeed_source::run::Split;
///
/// let splits: Vec<_> = Split::cover(Path::new("events.avro"), 100..1100, None, 500).collect();
/// assert_eq!(splits, [Split::new("events.avro", 100, 600), Split::new("events.avro", 600, 1100)]);
/// ```
#[derive(Debug, Clone)]
pub struct Split {
    /// The path of the file.
    pub path: PathBuf,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// Identity of the file that the split was planned for. A different file at the same path is rejected. `None`: any file.
    pub identity: Option<FileIdentity>,
}

impl Split {
    /// Creates a split of any file at this path.
    pub fn new(path: impl Into<PathBuf>, start: u64, end: u64) -> Self {
        Self { path: path.into(), start, end, identity: None }
    }

    /// Checks that the split does not start after its end.
    ///
    /// # Errors
    /// The split starts after its end.
    pub fn check(&self) -> Result<(), FeedError> {
        check_range(&(self.start..self.end))
    }

    /// Returns even splits of about `target_bytes` that cover the `body` of a file; none if the body is empty.
    pub fn cover(
        path: &Path,
        body: Range<u64>,
        identity: Option<FileIdentity>,
        target_bytes: u64,
    ) -> impl Iterator<Item = Self> {
        let ranges = plan_ranges(body, target_bytes).into_iter();
        ranges.map(move |Range { start, end }| Self { path: path.to_owned(), start, end, identity })
    }

    fn key(&self) -> (&Path, u64, u64) {
        (&self.path, self.start, self.end)
    }
}

impl PartialEq for Split {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Split {}

impl PartialOrd for Split {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Split {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Split {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Options for reading a byte range of a file.
///
/// [`Split`] has an example.
#[derive(Default)]
pub struct RangeOptions {
    /// Rows per batch, at least 1. A batch may end early, at the end of a chunk. `None`: as
    /// [`ReadOptions::batch_size`](crate::run::ReadOptions::batch_size). Default `None`.
    pub batch_size: Option<usize>,
    /// The reaction to chunks that cannot be decoded.
    pub on_error: OnError,
    /// Called before each chunk, inside long ones, and while waiting for bytes. Returning true cancels the reading.
    pub interrupt: Option<Interrupt>,
    /// Called once for each chunk, in order, before it is decoded. Returning false ends the reading there. `None`:
    /// every chunk is read.
    pub claim: Option<Claim>,
}

impl fmt::Debug for RangeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeOptions")
            .field("batch_size", &self.batch_size)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}

impl FileSet {
    /// Returns splits of about `target_bytes` each that cover the files, in order. Opens each file and reads its
    /// metadata. `interrupt` is called before each file.
    ///
    /// # Errors
    /// A file has no path, cannot be opened, or is not of the format; two objects have the same path; the caller cancels.
    pub fn splits(&self, target_bytes: u64, interrupt: Option<&Interrupt>) -> Result<Vec<Split>, FeedError> {
        let check = Check::of(interrupt);
        self.files.check_paths()?;
        let files = Arc::new(self.clone()).for_reading();
        let mut ahead = OpeningAhead::new(files.clone());
        let mut splits = Vec::new();
        for file in 0..self.len() {
            check.now()?;
            ahead.move_to(file, &check)?;
            let Some(path) = self.path(file) else {
                let found = quoted(self.name(file));
                let message = format!("expected files with a path, which can be split, found {found}");
                return Err(FeedError::new(FeedErrorKind::Options, message));
            };
            let body = files.open(file, &check)?.body();
            splits.extend(Split::cover(path, body, Some(files.identity(file)?), target_bytes));
        }
        Ok(splits)
    }

    /// Reads the chunks of a split of one of the files, on the caller's thread. `source` replaces the path as the
    /// source of the bytes.
    ///
    /// # Errors
    /// The split is of another file, or of one of two objects with the same path, or starts after its end; the file is
    /// not the one that the split was planned for, or ends before the split starts
    /// ([`Changed`](FeedErrorKind::Changed)); the file cannot be opened; the caller cancels.
    pub fn read_split(
        &self,
        split: &Split,
        source: Option<FileSource>,
        options: RangeOptions,
    ) -> Result<FileReader, FeedError> {
        let Some(file) = self.files.at_path(&split.path)? else {
            let found = quoted(&split.path.to_string_lossy());
            let message = format!("expected a split of a file of this dataset, found a split of {found}");
            return Err(FeedError::new(FeedErrorKind::Options, message));
        };
        let stored = || self.files.source(file).unwrap_or_else(|| FileSource::from(&split.path));
        let source = source.unwrap_or_else(stored);
        self.only(file, source.with_identity(split.identity))?.read_range(split.start..split.end, options)
    }

    /// Reads the chunks of a byte range of the first file, on the caller's thread.
    ///
    /// # Errors
    /// The range starts after its end; the file cannot be opened, is a stream, or ends before the range starts
    /// ([`Changed`](FeedErrorKind::Changed)); the system reports an error; the caller cancels.
    pub fn read_range(self, range: Range<u64>, options: RangeOptions) -> Result<FileReader, FeedError> {
        let RangeOptions { batch_size, on_error, interrupt, claim } = options;
        let check = Check::of(interrupt.as_ref());
        let files = Arc::new(self).for_reading();
        let file = files.open(0, &check)?;
        check_range(&range)?;
        let aligned = match file.chunks() {
            Some(mut scan) => {
                let end = file.body().end;
                check_start(range.start, end).and_then(|()| align(&mut *scan, range, end, &check))
            }
            None => Err(found_stream()),
        };
        let aligned = aligned.map_err(|error| error.in_file(files.name(0)))?;
        let options = PartOptions {
            batch_size,
            boundaries: BatchBoundaries::PerPart,
            on_error,
            workers: Workers::Caller,
            prefetch_bytes: 0,
            interrupt,
            claim,
        };
        let schema = files.schema().clone();
        let parts = PartReader::new(files, [Part::range(0, aligned)], options)?;
        Ok(FileReader::new(schema, parts.with_open(0, file)))
    }
}

fn check_range(range: &Range<u64>) -> Result<(), FeedError> {
    if range.start <= range.end {
        return Ok(());
    }
    let (start, end) = (thousands(range.start), thousands(range.end));
    let message = format!("end: expected an offset at or after the start {start}, found {end}");
    Err(FeedError::new(FeedErrorKind::Options, message))
}

/// Aligns a byte range to chunks: from the first chunk that starts at or after its start to the first chunk that
/// starts at or after its end. Adjacent ranges stay adjacent, so that every byte of the file is read exactly once,
/// even if the file is corrupt.
///
/// # Errors
/// The system reports an error, or the caller cancels.
pub fn align(
    scan: &mut dyn ChunkScan,
    range: Range<u64>,
    file_len: u64,
    check: &Check<'_>,
) -> Result<Range<u64>, FeedError> {
    let start = scan.find(range.start, check)?.unwrap_or(file_len);
    let end = scan.find(range.end.max(range.start), check)?.unwrap_or(file_len);
    Ok(start..end)
}

/// Cuts a body into even ranges of about `target_bytes`.
fn plan_ranges(body: Range<u64>, target_bytes: u64) -> Vec<Range<u64>> {
    let len = body.end.saturating_sub(body.start);
    let ranges = len.div_ceil(target_bytes.max(1)).min(MAX_RANGES);
    let cut = |i: u64| {
        let part = u128::from(len) * u128::from(i) / u128::from(ranges);
        // `part` is at most `len`, which is a `u64`.
        body.start + u64::try_from(part).unwrap_or(len)
    };
    (0..ranges).map(|i| cut(i)..cut(i + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_even_and_cover_the_body() {
        assert_eq!(plan_ranges(10..40, 10), [10..20, 20..30, 30..40]);
        assert_eq!(plan_ranges(10..41, 10), [10..17, 17..25, 25..33, 33..41]);
        assert_eq!(plan_ranges(10..12, 1000), std::slice::from_ref(&(10..12)));
    }

    #[test]
    fn a_file_without_a_body_has_no_ranges() {
        assert!(plan_ranges(10..10, 10).is_empty());
        assert!(plan_ranges(Range { start: 10, end: 3 }, 10).is_empty());
    }

    #[test]
    fn any_length_makes_a_bounded_number_of_ranges() {
        let ranges = plan_ranges(100..u64::MAX, 0);
        assert_eq!(ranges.len(), 65_536);
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].start < pair[0].end));
        assert_eq!((ranges[0].start, ranges[65_535].end), (100, u64::MAX));
    }
}
