//! The files on which an order depends: without those that a filter of partitions leaves out.

use arrowfeed_source::FeedError;
use arrowfeed_source::io::FileIdentity;
use arrowfeed_source::run::FileSet;

/// The files of a state, which are numbered in the order of the list. A file that a filter leaves out has no number, so files
/// may be added that it leaves out.
#[derive(Debug, Clone)]
pub(crate) struct CountedFiles<'a> {
    pub(crate) files: &'a FileSet,
    /// The number of each file in the set, in ascending order.
    in_set: Vec<usize>,
}

impl<'a> CountedFiles<'a> {
    pub(crate) fn new(files: &'a FileSet, counts: impl Fn(usize) -> bool) -> Self {
        Self { files, in_set: (0..files.len()).filter(|file| counts(*file)).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.in_set.len()
    }

    /// The numbers in the set.
    pub(crate) fn in_set(&self) -> &[usize] {
        &self.in_set
    }

    pub(crate) fn name(&self, file: usize) -> &str {
        self.files.name(self.in_set[file])
    }

    /// See [`FileSet::identity`].
    pub(crate) fn identity(&self, file: usize) -> Result<FileIdentity, FeedError> {
        self.files.identity(self.in_set[file])
    }

    /// The number of a file of the set.
    pub(crate) fn number_of(&self, in_set: usize) -> usize {
        self.in_set.partition_point(|file| *file < in_set)
    }
}
