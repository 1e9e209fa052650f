//! Parts of files: the rows to read, in any order.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::batch_rows::{DEFAULT_BATCH_ROWS, batch_rows};
use super::file_set::FileSet;
use super::look_ahead::{LookAhead, Upcoming};
use super::part::{NumberedFile, Part};
use crate::format::{DecodeOptions, FormatFile, Unit};
use crate::{Check, FeedError, OnError, Report, Skipped};

/// Maximum number of files that stay open, the most recently used ones. Consecutive parts often belong to the same file.
const MAX_OPEN_FILES: usize = 64;

/// The same limit for remote objects. They take no system handle, and opening one costs a request.
const MAX_OPEN_OBJECTS: usize = 4096;

/// A part whose file is open.
#[derive(Debug, Clone)]
pub(super) struct OpenPart {
    pub(super) numbered: NumberedFile,
    /// Number of parts before it.
    pub(super) number: u64,
    pub(super) group: u64,
}

/// The next rows to decode.
pub(super) struct Work {
    pub(super) part: OpenPart,
    pub(super) unit: Unit,
    /// Whether several threads may share it. If so, it has one run.
    pub(super) may_be_cut: bool,
}

/// Batch boundaries across several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchBoundaries {
    /// Each part starts a new batch.
    PerPart,
    /// Batches end where those of one continuous file would, with this many rows before the first part. The end of a
    /// part also ends a batch.
    Continue(u64),
}

/// Turns parts into work: opens their files and sets the batch boundaries.
pub(super) struct Parts {
    pub(super) files: Arc<FileSet>,
    /// Number of rows of a batch. `None`: not known before the first file is open.
    batch_size: Option<usize>,
    pub(super) on_error: OnError,
    parts: LookAhead,
    /// Open files, the most recently used one at the back.
    open: VecDeque<NumberedFile>,
    /// The file that was used last. While it is open, its format keeps decoder memory for the next file.
    last: Option<NumberedFile>,
    /// Groups, and the files of which they skip the rest.
    skipped_files: BTreeSet<(u64, usize)>,
    /// Number of parts that were taken.
    taken: u64,
    /// Number of rows since a batch border; `None` if each part starts a new batch.
    carried: Option<u64>,
    /// Whether there are no more parts.
    pub(super) ended: bool,
}

impl Parts {
    pub(super) fn new(
        files: Arc<FileSet>,
        parts: Box<dyn Iterator<Item = Part> + Send>,
        (batch_size, boundaries, on_error): (Option<usize>, BatchBoundaries, OnError),
    ) -> Self {
        let carried = match boundaries {
            BatchBoundaries::PerPart => None,
            BatchBoundaries::Continue(rows) => Some(rows),
        };
        let (open, last, skipped_files) = (VecDeque::new(), None, BTreeSet::new());
        let parts = LookAhead::new(parts);
        Self {
            files,
            batch_size,
            on_error,
            parts,
            open,
            last,
            skipped_files,
            taken: 0,
            carried,
            ended: false,
        }
    }

    /// Passes a file that is already open to the first part that uses it.
    pub(super) fn add_open(&mut self, number: usize, file: Arc<dyn FormatFile>) {
        self.open.push_back(NumberedFile { number, file });
    }

    pub(super) fn next(&mut self, report: &mut Report, check: &Check<'_>) -> Result<Option<Work>, FeedError> {
        while let Some(next) = self.parts.next(&self.files, check)? {
            let number = self.taken;
            self.taken += 1;
            check.now()?;
            let (group, file) = (next.part.group, next.part.file);
            if self.skipped_files.contains(&(group, file)) {
                continue;
            }
            match self.numbered(&next, check) {
                Ok(numbered) => {
                    let of_file = || batch_rows(numbered.file.row_bytes(check), self.files.schema());
                    self.batch_size.get_or_insert_with(of_file);
                    next.announce_in(&*numbered.file);
                    return Ok(Some(self.work(&next.part, OpenPart { numbered, number, group })));
                }
                Err(error) => self.skip_or_fail((group, file), error, report)?,
            }
        }
        self.ended = true;
        Ok(None)
    }

    /// Whether [`next`](Self::next) would not wait for a remote store.
    pub(super) fn is_ready(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let is_open = |file| self.open.iter().chain(&self.last).any(|numbered| numbered.number == file);
        self.parts.is_ready(&self.files, is_open, check)
    }

    fn work(&self, part: &Part, open: OpenPart) -> Work {
        let mut unit = part.unit(&open.numbered.file.body());
        let carried = self.carried();
        if !part.indivisible && carried > 0 {
            unit.first_batch = Some(self.batch_size() as u64 - carried);
        }
        // The number of filtered rows up to a place in the file is not known, so a unit cannot end at one of them.
        let ends_at_a_row = self.files.is_filtered() && unit.runs.iter().any(|run| run.kept < u64::MAX);
        Work { part: open, unit, may_be_cut: !part.indivisible && !ends_at_a_row }
    }

    /// Returns the open file of a part. A file whose parts are decoded together usually has more such parts, so it stays open.
    fn numbered(&mut self, next: &Upcoming, check: &Check<'_>) -> Result<NumberedFile, FeedError> {
        let part = &next.part;
        let known = self.open.iter().position(|numbered| numbered.number == part.file);
        let numbered = match known.and_then(|at| self.open.remove(at)) {
            Some(numbered) => numbered,
            None => match self.last.take_if(|last| last.number == part.file) {
                Some(last) => last,
                None => {
                    let file = match &next.open {
                        Some(file) => file.clone(),
                        None => self.files.open(part.file, check)?,
                    };
                    NumberedFile { number: part.file, file }
                }
            },
        };
        self.last = Some(numbered.clone());
        if part.indivisible {
            let most = if self.files.sends_requests() { MAX_OPEN_OBJECTS } else { MAX_OPEN_FILES };
            if self.open.len() >= most {
                self.open.pop_front();
            }
            self.open.push_back(numbered.clone());
            if let Some(at) = self.open.len().checked_sub(MAX_OPEN_FILES + 1) {
                self.open[at].file.free_spare_memory();
            }
        }
        Ok(numbered)
    }

    /// Counts rows that will be returned to the caller.
    pub(super) fn count(&mut self, rows: u64) {
        let batch_size = self.batch_size() as u64;
        if let Some(carried) = &mut self.carried {
            *carried = (*carried % batch_size + rows) % batch_size;
        }
    }

    /// Number of rows of a batch. It is final after [`next`](Self::next) has returned work.
    pub(super) fn batch_size(&self) -> usize {
        self.batch_size.unwrap_or(DEFAULT_BATCH_ROWS)
    }

    /// The number of rows at whose multiples a unit may end. A unit of filtered rows ends at the end of a chunk.
    pub(super) fn unit_rows(&self) -> usize {
        if self.files.is_filtered() { 1 } else { self.batch_size() }
    }

    /// The options for decoders of units.
    pub(super) fn decoding(&self) -> DecodeOptions {
        DecodeOptions { batch_size: self.batch_size(), on_error: self.on_error }
    }

    /// Number of rows in the incomplete last batch.
    pub(super) fn carried(&self) -> u64 {
        self.carried.unwrap_or(0) % self.batch_size() as u64
    }

    /// Skips the rest of a file, for the parts of a group, if `on_error` allows it for this error; otherwise returns the
    /// error.
    pub(super) fn skip_or_fail(
        &mut self,
        (group, file): (u64, usize),
        error: FeedError,
        report: &mut Report,
    ) -> Result<(), FeedError> {
        if self.on_error != OnError::SkipFile || !error.is_file_error() {
            return Err(error);
        }
        report.skipped.push(Skipped::file(self.files.name(file), &error));
        self.skipped_files.insert((group, file));
        Ok(())
    }

    /// Whether a part is of a file whose rest is skipped.
    pub(super) fn is_skipped(&self, part: &OpenPart) -> bool {
        self.skipped_files.contains(&(part.group, part.numbered.number))
    }

    /// Files whose rest is skipped, with the group of parts for which it is skipped.
    pub(super) fn skipped_files(&self) -> impl Iterator<Item = (u64, usize)> {
        self.skipped_files.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "tests do not fork")]

    use std::sync::{Mutex, Weak};

    use arrow_schema::SchemaRef;

    use super::*;
    use crate::Limits;
    use crate::format::FileFormat;
    use crate::io::Opened;
    use crate::run::tests::{Rows, set};

    /// The format of the tests, which keeps the files that it has opened in order.
    #[derive(Debug)]
    struct Counting(Arc<Mutex<Vec<Weak<dyn FormatFile>>>>);

    impl FileFormat for Counting {
        fn name(&self) -> &'static str {
            Rows.name()
        }

        fn schema(&self) -> &SchemaRef {
            Rows.schema()
        }

        fn limits(&self) -> &Limits {
            Rows.limits()
        }

        fn with_columns(&self, _: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
            Ok(Arc::new(Self(self.0.clone())))
        }

        fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
            let file = Rows.open(file, check)?;
            self.0.lock().unwrap().push(Arc::downgrade(&file));
            Ok(file)
        }
    }

    /// The files used last stay open, and no others.
    #[test]
    fn a_bounded_number_of_files_stays_open() {
        for (most, sends_requests) in [(MAX_OPEN_FILES, false), (MAX_OPEN_OBJECTS, true)] {
            let opened = Arc::default();
            let files = FileSet {
                format: Arc::new(Counting(Arc::clone(&opened))),
                remote: sends_requests.then(Arc::default),
                ..(*set(&vec![vec![1]; most + 2])).clone()
            };
            // All files; then the one that stayed open for the longest time, and one that did not.
            let order = (0..most + 2).chain([2, 1]).map(|file| Part::range(file, 0..1));
            let options = (Some(1), BatchBoundaries::PerPart, OnError::Raise);
            let mut parts = Parts::new(Arc::new(files), Box::new(order), options);
            let (mut report, check) = (Report::default(), Check::never());
            let mut counts = Vec::new();
            while parts.next(&mut report, &check).unwrap().is_some() {
                let opened = opened.lock().unwrap();
                counts.push((opened.len(), opened.iter().filter(|file| file.strong_count() > 0).count()));
            }
            let all: Vec<_> = (1..=most + 2).map(|count| (count, count.min(most))).collect();
            assert_eq!(counts[..most + 2], all);
            assert_eq!(counts[most + 2..], [(most + 2, most), (most + 3, most)]);
        }
    }
}
