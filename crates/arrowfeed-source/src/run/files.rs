//! Input files before they are opened: the caller's sources, and the identity that each file had when it was first opened.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::in_order::in_order;
use crate::io::remote::{RemoteObject, RequestCounts};
use crate::io::{ByteSource, Expected, FileBytes, FileIdentity, FileSource, OpenFile, Opened, StoredFile};
use crate::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, quoted};

/// Input files that are not open, in order.
#[derive(Debug, Clone)]
pub struct Files {
    pub(super) entries: Arc<[Entry]>,
    /// Counts of the requests that open files outside a reading, for example in constructors. The next reading reports them.
    pub(super) counts: Arc<RequestCounts>,
    /// The number of each file by its path, after the first search.
    by_path: Arc<ForkLock<Option<Arc<Numbers>>>>,
}

/// The numbers of files by their paths.
#[derive(Debug, Default)]
struct Numbers {
    /// The number of the first file with each path.
    first: HashMap<PathBuf, usize>,
    /// Those of `first` whose path another object has too.
    ambiguous: BTreeSet<usize>,
}

pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) bytes: FileBytes,
    /// The identity of the file when it was first opened.
    pub(super) identity: ForkLock<Option<FileIdentity>>,
    /// The identity that the caller requires, if any.
    pub(super) expected: Option<Expected>,
    /// See [`FileSource::ruled_out`].
    pub(super) is_ruled_out: bool,
}

/// The first file that could be opened, and the errors of the files before it.
#[derive(Debug)]
pub struct FirstFile<T> {
    /// Index of the file and the result of opening it; `None` if no file could be opened.
    pub opened: Option<(usize, T)>,
    /// Error of each file before it, in order.
    pub failed: Vec<FeedError>,
}

impl Files {
    /// Creates the list without opening a file.
    pub fn new(sources: impl IntoIterator<Item: Into<FileSource>>) -> Self {
        let entries = sources.into_iter().map(|source| Entry::from(source.into()));
        Self::of(entries.collect(), Arc::default())
    }

    pub(super) fn of(entries: Arc<[Entry]>, counts: Arc<RequestCounts>) -> Self {
        Self { entries, counts, by_path: Arc::default() }
    }

    /// The name of a file in messages.
    pub fn name(&self, file: usize) -> &str {
        &self.entries[file].name
    }

    /// The path of a file, or the URL of a remote object without its secrets; `None` for an open file or a file in memory.
    pub(super) fn path(&self, file: usize) -> Option<&Path> {
        let entry = &self.entries[file];
        match &entry.bytes {
            FileBytes::Stored(StoredFile::Path(path)) => Some(path),
            FileBytes::Stored(StoredFile::Remote(_)) => Some(Path::new(&*entry.name)),
            FileBytes::Stored(StoredFile::Open(_)) | FileBytes::Stream(_) => None,
        }
    }

    /// The number of the first file at a path. The first call takes time in proportion to the number of files.
    ///
    /// # Errors
    /// Another object has the same path.
    pub(super) fn at_path(&self, path: &Path) -> Result<Option<usize>, FeedError> {
        let numbers = self.numbers();
        match numbers.first.get(path) {
            Some(file) if numbers.ambiguous.contains(file) => Err(ambiguous(self.name(*file))),
            found => Ok(found.copied()),
        }
    }

    /// Checks that each path belongs to one object. A file may be listed several times.
    ///
    /// # Errors
    /// Two objects have the same path.
    pub(super) fn check_paths(&self) -> Result<(), FeedError> {
        self.numbers().ambiguous.first().map_or(Ok(()), |file| Err(ambiguous(self.name(*file))))
    }

    fn numbers(&self) -> Arc<Numbers> {
        let find = || Arc::new(self.found_numbers());
        self.by_path.with(|known| known.get_or_insert_with(find).clone()).unwrap_or_else(find)
    }

    fn found_numbers(&self) -> Numbers {
        let mut numbers = Numbers::default();
        let variant = |file: usize| self.entries[file].object().and_then(|object| object.variant());
        for file in 0..self.entries.len() {
            if let Some(path) = self.path(file) {
                let first = *numbers.first.entry(path.to_owned()).or_insert(file);
                if variant(first) != variant(file) {
                    numbers.ambiguous.insert(first);
                }
            }
        }
        numbers
    }

    /// Returns the result of `open` for the first file that can be opened and is not [ruled out](FileSource::ruled_out). For files that
    /// are read more than once.
    ///
    /// # Errors
    /// A file is a stream; there is no file, or none can be opened; the caller cancels.
    pub fn first_stored<T>(
        &self,
        check: &Check<'_>,
        open: impl Fn(Opened) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        self.check_stored()?;
        let found = self.first_of(self.schema_files(), check, open, FeedError::is_file_error)?;
        let failure = found.failed.into_iter().next();
        found.opened.map(|(_, opened)| opened).ok_or_else(|| failure.unwrap_or_else(no_files))
    }

    /// Checks that all files can be read more than once.
    ///
    /// # Errors
    /// A file is a stream.
    fn check_stored(&self) -> Result<(), FeedError> {
        match self.entries.iter().find(|entry| matches!(entry.bytes, FileBytes::Stream(_))) {
            None => Ok(()),
            Some(stream) => {
                let found = quoted(&stream.name);
                let message = format!(
                    "expected files or bytes, which can be read more than once, found the stream {found}"
                );
                Err(FeedError::new(FeedErrorKind::Options, message))
            }
        }
    }

    /// Opens every file with `open`, and calls `visit` with the name of each file and the result, in order. For files that
    /// are read more than once. Several remote objects are opened concurrently.
    ///
    /// # Errors
    /// A file is a stream; there is no file; `open` or `visit` returns an error; the caller cancels.
    pub fn visit_all<T: Send + 'static>(
        &self,
        interrupt: Option<&Interrupt>,
        open: impl Fn(Opened, &Check<'_>) -> Result<T, FeedError> + Send + Sync + 'static,
        mut visit: impl FnMut(&Arc<str>, T) -> Result<(), FeedError>,
    ) -> Result<(), FeedError> {
        self.check_stored()?;
        if self.entries.is_empty() {
            return Err(no_files());
        }
        let (files, check) = (self.clone(), Check::of(interrupt));
        let opened = move |number: usize, check: &Check<'_>| {
            let opened = files.entries[number].open(&files.counts, check)?;
            opened.open_unchanged(|opened| open(opened, check))
        };
        if self.entries.iter().any(|entry| entry.object().is_some()) {
            return in_order(self.entries.len(), interrupt, opened, |number, found| {
                visit(&self.entries[number].name, found?)
            });
        }
        for (number, entry) in self.entries.iter().enumerate() {
            check.now()?;
            visit(&entry.name, opened(number, &check)?)?;
        }
        Ok(())
    }

    /// The sources of all files, in order; `None` for a stream.
    pub fn sources(&self) -> impl Iterator<Item = Option<FileSource>> {
        (0..self.entries.len()).map(|file| self.source(file))
    }

    /// The source of a file, for opening it elsewhere; `None` for a stream.
    pub fn source(&self, file: usize) -> Option<FileSource> {
        let entry = &self.entries[file];
        match &entry.bytes {
            FileBytes::Stored(stored) => Some(FileSource::stored(&*entry.name, stored.clone())),
            FileBytes::Stream(_) => None,
        }
    }

    /// Opens files in order until `open` succeeds. `is_skippable` decides for each error whether to try the next file.
    ///
    /// # Errors
    /// An error for which `is_skippable` returns false; the caller cancels.
    pub fn first<T>(
        &self,
        check: &Check<'_>,
        open: impl Fn(Opened) -> Result<T, FeedError>,
        is_skippable: impl Fn(&FeedError) -> bool,
    ) -> Result<FirstFile<T>, FeedError> {
        self.first_of(0..self.entries.len(), check, open, is_skippable)
    }

    /// The numbers of the files that may give the schema: those that are not ruled out, or all if there are no others.
    pub(super) fn schema_files(&self) -> impl Iterator<Item = usize> {
        let all = self.entries.iter().all(|entry| entry.is_ruled_out);
        (0..self.entries.len()).filter(move |number| all || !self.entries[*number].is_ruled_out)
    }

    fn first_of<T>(
        &self,
        numbers: impl Iterator<Item = usize>,
        check: &Check<'_>,
        open: impl Fn(Opened) -> Result<T, FeedError>,
        is_skippable: impl Fn(&FeedError) -> bool,
    ) -> Result<FirstFile<T>, FeedError> {
        let mut failed = Vec::new();
        for number in numbers {
            let entry = &self.entries[number];
            check.now()?;
            match entry.open(&self.counts, check).and_then(|opened| opened.open_unchanged(&open)) {
                Ok(found) => return Ok(FirstFile { opened: Some((number, found)), failed }),
                Err(error) if is_skippable(&error) => failed.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(FirstFile { opened: None, failed })
    }
}

impl Entry {
    pub(super) fn object(&self) -> Option<&Arc<dyn RemoteObject>> {
        self.bytes.object()
    }

    /// Creates the opened file with its bytes from `source`.
    pub(super) fn opened(&self, source: Arc<dyn ByteSource>) -> Result<Opened, FeedError> {
        let opened = OpenFile::new(self.name.clone(), source, self.known());
        opened.map(Opened::File).map_err(|error| error.in_file(&self.name))
    }

    /// The identity of the file when it was first opened; `None` before that.
    pub(super) fn first_identity(&self) -> Option<FileIdentity> {
        self.identity.with(|known| *known).flatten()
    }

    /// The identity that the file must have, if any.
    fn known(&self) -> Option<Expected> {
        self.first_identity().map(|identity| self.expected(identity)).or(self.expected)
    }

    pub(super) fn open(&self, counts: &Arc<RequestCounts>, check: &Check<'_>) -> Result<Opened, FeedError> {
        self.bytes.open(self.name.clone(), self.known(), counts, check)
    }

    pub(super) fn expected(&self, identity: FileIdentity) -> Expected {
        self.expected.unwrap_or(Expected { identity, when: "it was first read" })
    }
}

impl From<FileSource> for Entry {
    fn from(source: FileSource) -> Self {
        let FileSource { name, bytes, expected, is_ruled_out } = source;
        Self { name: name.into(), bytes, identity: ForkLock::default(), expected, is_ruled_out }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

#[cold]
fn ambiguous(name: &str) -> FeedError {
    let name = quoted(name);
    let message = format!(
        "expected one file with the path {name}, found URLs that differ in the query, which a split does not contain: read each URL separately"
    );
    FeedError::new(FeedErrorKind::Options, message)
}

#[cold]
fn no_files() -> FeedError {
    FeedError::new(FeedErrorKind::Options, "expected at least one file, found an empty list")
}

#[cold]
pub(super) fn not_a_file() -> FeedError {
    FeedError::new(FeedErrorKind::Internal, "expected a file, found a stream")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::remote::{ObjectRequest, ReadAheadLimits, RequestGuard, ResponseHandler};

    /// An object that is never read.
    #[derive(Debug)]
    struct Named(Option<u64>);

    impl RemoteObject for Named {
        fn request(&self, _: ObjectRequest, _: ResponseHandler) -> RequestGuard {
            Box::new(())
        }

        fn known_len(&self) -> Option<u64> {
            None
        }

        fn limits(&self) -> ReadAheadLimits {
            ReadAheadLimits::default()
        }

        fn variant(&self) -> Option<u64> {
            self.0
        }
    }

    fn sources(named: &[(&str, Option<u64>)]) -> Vec<FileSource> {
        named.iter().map(|(name, variant)| FileSource::remote(*name, Arc::new(Named(*variant)))).collect()
    }

    #[test]
    fn objects_that_differ_only_in_their_variant_have_an_ambiguous_path() {
        let sources = sources(&[("http://h/a", Some(1)), ("http://h/b", Some(1)), ("http://h/b", Some(2))]);
        let expected = "expected one file with the path \"http://h/b\", found URLs that differ in the query, which a split does not contain: read each URL separately";
        let files = Files::new(sources);
        assert_eq!(files.check_paths().unwrap_err().to_string(), expected);
        assert_eq!(files.at_path(Path::new("http://h/b")).unwrap_err().to_string(), expected);
        assert_eq!(files.at_path(Path::new("http://h/a")).unwrap(), Some(0));
    }

    #[test]
    fn a_file_that_is_listed_twice_is_the_first_one() {
        for variant in [None, Some(1)] {
            let sources = sources(&[("a", variant), ("b", variant), ("b", variant)]);
            let files = Files::new(sources);
            files.check_paths().unwrap();
            assert_eq!(files.at_path(Path::new("b")).unwrap(), Some(1));
            assert_eq!(files.at_path(Path::new("c")).unwrap(), None);
        }
    }
}
