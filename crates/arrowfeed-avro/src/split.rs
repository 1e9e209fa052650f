//! Plans splits of Avro files, which may have different schemas.

use std::path::{Path, PathBuf};

use arrowfeed_source::run::{Split, check_split_paths, in_order};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, Limits};

use crate::AvroSource;
use crate::reader::file::Container;

/// Plans splits of about `target_bytes` each that cover the files, in file order. Reads only the file headers.
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
/// A file cannot be opened, or is not an Avro file.
pub fn plan_splits<P: Into<PathBuf>>(
    paths: impl IntoIterator<Item = P>,
    target_bytes: u64,
) -> Result<Vec<Split>, FeedError> {
    plan_splits_with(paths, target_bytes, None)
}

/// Like [`plan_splits`], but can be cancelled through `interrupt`, which is checked before each file.
///
/// # Errors
/// Same as [`plan_splits`], or `interrupt` cancelled the call.
pub fn plan_splits_with<P: Into<PathBuf>>(
    paths: impl IntoIterator<Item = P>,
    target_bytes: u64,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Split>, FeedError> {
    plan_splits_of(paths.into_iter().map(|path| AvroSource::from(path.into())), target_bytes, interrupt)
}

/// Like [`plan_splits_with`], for files on disk or in object stores. The path of a split is the name of its
/// source. Several store objects are opened concurrently.
///
/// # Errors
/// Same as [`plan_splits_with`], or two URLs differ only in their queries.
pub fn plan_splits_of(
    sources: impl IntoIterator<Item = AvroSource>,
    target_bytes: u64,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Split>, FeedError> {
    let mut splits = Vec::new();
    let mut add = |path: &Path, file: Result<Container, FeedError>| {
        let file = file?;
        splits.extend(Split::cover(path, file.body(), file.identity(), target_bytes));
        Ok(())
    };
    let sources: Vec<AvroSource> = sources.into_iter().collect();
    check_split_paths(&sources)?;
    if sources.iter().any(AvroSource::is_object) {
        let paths: Vec<PathBuf> = sources.iter().map(|source| source.split_path().to_owned()).collect();
        let sources: Vec<_> = sources.into_iter().map(|source| ForkLock::new(Some(source))).collect();
        let open = move |number: usize, check: &Check<'_>| {
            let source = sources[number].with(Option::take).flatten();
            let source =
                source.ok_or_else(|| FeedError::new(FeedErrorKind::Internal, "expected a source"))?;
            Container::open(source, &Limits::default(), check)
        };
        in_order(paths.len(), interrupt, open, |number, file| add(&paths[number], file))?;
    } else {
        let (limits, check) = (Limits::default(), Check::of(interrupt));
        for source in sources {
            check.now()?;
            let path = source.split_path().to_owned();
            add(&path, Container::open(source, &limits, &check))?;
        }
    }
    Ok(splits)
}
