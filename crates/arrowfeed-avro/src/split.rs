//! Splits of Avro files, which may have different schemas.

use std::path::PathBuf;

use arrowfeed_source::run::Split;
use arrowfeed_source::{Check, FeedError, Interrupt, Limits};

use crate::AvroSource;
use crate::reader::file::Container;

/// Splits of about `target_bytes` each that cover the files, in file order. Only headers are read.
///
/// The offset of a block is the byte right after the sync marker before it.
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
        splits.extend(Split::cover(&path, file.body(), file.identity(), target_bytes));
    }
    Ok(splits)
}
