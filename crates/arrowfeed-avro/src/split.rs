//! Byte ranges of files, so that several processes can read one file.

use std::path::PathBuf;

use crate::container::ranges::plan_ranges;
use crate::error::AvroError;
use crate::reader::file::OpenFile;
use crate::{AvroSource, ReadOptions};

/// A byte range of a file. A block belongs to the range that contains the offset right after the sync marker
/// before it, so ranges that cover a file cover each of its blocks once, wherever they are cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Split {
    /// The file.
    pub path: PathBuf,
    /// First byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
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
) -> Result<Vec<Split>, AvroError> {
    let options = ReadOptions::default();
    let mut splits = Vec::new();
    for path in paths {
        let path: PathBuf = path.into();
        let body = OpenFile::open(AvroSource::from(&path), &options)?.body();
        let ranges = plan_ranges(body.start, body.end, target_bytes.max(1));
        splits.extend(ranges.into_iter().map(|range| Split {
            path: path.clone(),
            start: range.start,
            end: range.end,
        }));
    }
    Ok(splits)
}
