//! Byte ranges of files, so that several processes can read one file.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use arrowfeed_source::io::FileIdentity;
use arrowfeed_source::{Check, FeedError, Interrupt, Limits};

use crate::AvroSource;
use crate::container::ranges::plan_ranges;
use crate::reader::file::Container;

/// A byte range of a file. A block belongs to the range that contains the offset right after the sync marker
/// before it, so ranges that cover a file cover each of its blocks once, wherever they are cut.
///
/// Splits compare by path, start and end.
#[derive(Debug, Clone)]
pub struct Split {
    /// The file.
    pub path: PathBuf,
    /// First byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// The file that the split was planned for: another one of the same path is refused. `None`: any file.
    pub identity: Option<FileIdentity>,
}

impl Split {
    /// A range of any file with this path.
    pub fn new(path: impl Into<PathBuf>, start: u64, end: u64) -> Self {
        Self { path: path.into(), start, end, identity: None }
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

/// Splits of about `target_bytes` each that cover the files, in file order. Only headers are read.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed_avro::{AvroReader, plan_splits};
/// let mut rows = 0;
/// for split in plan_splits([&path], 64)? {
///     for batch in AvroReader::builder().open_split(&split)? {
///         rows += batch?.num_rows();
///     }
/// }
/// assert_eq!(rows, 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A file cannot be opened, or is no Avro file.
pub fn plan_splits<P: Into<PathBuf>>(
    paths: impl IntoIterator<Item = P>,
    target_bytes: u64,
) -> Result<Vec<Split>, FeedError> {
    plan_splits_with(paths, target_bytes, None)
}

/// As [`plan_splits`], until `interrupt`, which is asked before each file, says to stop.
///
/// # Errors
/// As [`plan_splits`]; or the caller wants to stop.
pub fn plan_splits_with<P: Into<PathBuf>>(
    paths: impl IntoIterator<Item = P>,
    target_bytes: u64,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Split>, FeedError> {
    let (limits, check) = (Limits::default(), Check::of(interrupt));
    let mut splits = Vec::new();
    for path in paths {
        check.now()?;
        let path: PathBuf = path.into();
        let file = Container::open(AvroSource::from(&path), &limits, &check)?;
        let (body, identity) = (file.body(), file.identity());
        let ranges = plan_ranges(body.start, body.end, target_bytes.max(1));
        splits.extend(ranges.into_iter().map(|range| Split {
            path: path.clone(),
            start: range.start,
            end: range.end,
            identity,
        }));
    }
    Ok(splits)
}
