//! Resolution of paths, globs, directories and `file://` URLs to files.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt};
use glob::MatchOptions;

mod url;

#[cfg(feature = "datasets")]
pub(crate) use url::percent_decoded;
pub use url::{is_remote, redacted, scheme};

/// Default extension of the files that are read from a directory.
const EXTENSION: &str = "avro";

/// Glob rules of a shell: a star matches neither a separator nor a leading dot.
const SHELL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// Resolves patterns to files, in the order of the patterns.
///
/// A pattern is a path, a glob (its files, sorted), a directory (its files named `*.avro`, sorted, without hidden ones)
/// or a `file://` URL of one of these. A path that exists is never treated as a glob, even if it contains `*`, `?` or
/// `[`.
///
/// ```
/// # fn main() -> Result<(), arrowfeed::FeedError> {
/// # let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
/// assert_eq!(arrowfeed::resolve([&directory])?, arrowfeed::resolve([directory.join("*.avro")])?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// There is no pattern; a path does not exist, a glob matches nothing, or a directory has no such file (all three
/// [`NotFound`](io::ErrorKind::NotFound)); a directory cannot be listed; a URL has another scheme or host.
pub fn resolve<P: AsRef<Path>>(patterns: impl IntoIterator<Item = P>) -> Result<Vec<PathBuf>, FeedError> {
    resolve_with(patterns, None)
}

/// Like [`resolve`]. Calls `interrupt` for each pattern and each file, and stops when it returns true.
///
/// # Errors
/// As [`resolve`]; or `interrupt` returned true.
pub fn resolve_with<P: AsRef<Path>>(
    patterns: impl IntoIterator<Item = P>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<PathBuf>, FeedError> {
    resolve_extension(patterns, EXTENSION, interrupt)
}

/// Like [`resolve_with`], but selects the files of a directory by the given extension, such as `parquet`.
///
/// # Errors
/// As [`resolve_with`].
pub fn resolve_extension<P: AsRef<Path>>(
    patterns: impl IntoIterator<Item = P>,
    extension: &str,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<PathBuf>, FeedError> {
    resolve_in(patterns, &Search { extension, below: false }, interrupt)
}

/// Like [`resolve_extension`], but also selects the files of all directories below, without those of directories whose
/// names start with a dot or an underscore. Files with such names are left out too.
///
/// # Errors
/// As [`resolve_with`].
pub fn resolve_below<P: AsRef<Path>>(
    patterns: impl IntoIterator<Item = P>,
    extension: &str,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<PathBuf>, FeedError> {
    resolve_in(patterns, &Search { extension, below: true }, interrupt)
}

/// Maximum number of entries of directories that are looked at for a message.
const MOST_ENTRIES: usize = 1000;

/// The files that are selected in a directory.
#[derive(Clone, Copy)]
struct Search<'a> {
    extension: &'a str,
    /// Whether those of the directories below are selected too.
    below: bool,
}

fn resolve_in<P: AsRef<Path>>(
    patterns: impl IntoIterator<Item = P>,
    search: &Search<'_>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<PathBuf>, FeedError> {
    let ask = || match interrupt {
        Some(interrupt) if interrupt() => {
            Err(FeedError::new(FeedErrorKind::Interrupted, "the caller asked to stop"))
        }
        _ => Ok(()),
    };
    let mut files = Vec::new();
    for pattern in patterns {
        ask()?;
        let pattern = pattern.as_ref();
        let found = local_path(pattern).and_then(|path| files_of(&path, search, &ask));
        let found = found.map_err(|error| error.in_file(&redacted(&pattern.display().to_string())))?;
        files.extend(found);
    }
    if files.is_empty() {
        return Err(FeedError::new(
            FeedErrorKind::Options,
            "expected at least one file, found an empty list",
        ));
    }
    Ok(files)
}

fn local_path(pattern: &Path) -> Result<Cow<'_, Path>, FeedError> {
    match pattern.to_str() {
        Some(text) if scheme(text).is_some() => url::file_path(text).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(pattern)),
    }
}

/// Called for each directory entry. An error ends the search.
type Ask<'a> = &'a dyn Fn() -> Result<(), FeedError>;

fn files_of(path: &Path, search: &Search<'_>, ask: Ask<'_>) -> Result<Vec<PathBuf>, FeedError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => directory(path, search, ask),
        Ok(_) => Ok(vec![path.to_path_buf()]),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.to_str() {
            Some(pattern) if is_glob(pattern) => matches(pattern, ask),
            _ => Err(FeedError::io(error)),
        },
        Err(error) => Err(FeedError::io(error)),
    }
}

/// Whether a path or a URL is a glob, unless a file has this name.
///
/// ```
/// assert!(arrowfeed::sources::is_glob("part-*.avro") && !arrowfeed::sources::is_glob("part-0.avro"));
/// ```
pub fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

fn directory(path: &Path, search: &Search<'_>, ask: Ask<'_>) -> Result<Vec<PathBuf>, FeedError> {
    let files = listed(path, search, usize::MAX, ask)?;
    let named = format!("expected a directory with files named *.{}", search.extension);
    if files.is_empty() && !search.below && has_files_below(path, search, ask)? {
        let message = format!(
            "{named}, found some only in directories below it: read them with the glob **/*.{}, or with a \
             partitioning if the names of the directories are values",
            search.extension
        );
        return Err(FeedError::io(io::Error::new(io::ErrorKind::NotFound, message)));
    }
    sorted(files, &format!("{named}, found none"))
}

/// Whether the directories below have such files, for a message: only some entries are looked at, and errors are left out.
fn has_files_below(path: &Path, search: &Search<'_>, ask: Ask<'_>) -> Result<bool, FeedError> {
    match listed(path, &Search { below: true, ..*search }, MOST_ENTRIES, ask) {
        Err(error) if error.kind() == FeedErrorKind::Interrupted => Err(error),
        found => Ok(found.is_ok_and(|found| !found.is_empty())),
    }
}

/// The selected files among the first entries, at most `most`, in any order.
fn listed(path: &Path, search: &Search<'_>, most: usize, ask: Ask<'_>) -> Result<Vec<PathBuf>, FeedError> {
    let mut files = Vec::new();
    let (mut directories, mut left) = (vec![path.to_path_buf()], most);
    while let Some(directory) = directories.pop() {
        let in_directory = |error| FeedError::io(error).in_file(&directory.display().to_string());
        for entry in fs::read_dir(&directory).map_err(in_directory)? {
            ask()?;
            let file = entry.map_err(in_directory)?.path();
            let Some(rest) = left.checked_sub(1) else { return Ok(files) };
            left = rest;
            let starts_with = |start: &[u8]| {
                file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(start))
            };
            if starts_with(b".") || (search.below && starts_with(b"_")) {
                continue;
            }
            if file.is_dir() {
                if search.below && !is_loop(&file) {
                    directories.push(file);
                }
            } else if file.extension().is_some_and(|found| found == search.extension) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Whether a directory is a link to one that contains it.
fn is_loop(path: &Path) -> bool {
    let parent = path.parent().map(fs::canonicalize);
    match (path.is_symlink(), parent, fs::canonicalize(path)) {
        (true, Some(Ok(parent)), Ok(target)) => parent.starts_with(target),
        _ => false,
    }
}

fn matches(pattern: &str, ask: Ask<'_>) -> Result<Vec<PathBuf>, FeedError> {
    let paths = glob::glob_with(pattern, SHELL).map_err(|error| {
        FeedError::new(FeedErrorKind::Options, format!("expected a glob, found an invalid one: {error}"))
    })?;
    let mut files = Vec::new();
    for path in paths {
        ask()?;
        let path = path.map_err(|error| {
            let at = error.path().display().to_string();
            FeedError::io(error.into()).in_file(&at)
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    sorted(files, "expected files that match this glob, found none")
}

fn sorted(mut files: Vec<PathBuf>, none: &str) -> Result<Vec<PathBuf>, FeedError> {
    if files.is_empty() {
        return Err(FeedError::io(io::Error::new(io::ErrorKind::NotFound, none)));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests;
