//! Read-ahead over parts: announces the ranges of the next parts to remote stores before they are read.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::file_set::FileSet;
use super::part::Part;
use crate::format::FormatFile;
use crate::io::remote::{RemoteFile, without_waiting};
use crate::{Check, FeedError};

/// Maximum number of parts in the look-ahead.
const MAX_PARTS: usize = 256;

/// Maximum number of unannounced parts if the format has to open a file to determine the ranges of a part.
const MAX_UNOPENED: usize = 16;

/// Look-ahead over the parts, in order. Parts of local files are taken one by one.
pub(super) struct LookAhead {
    parts: Box<dyn Iterator<Item = Part> + Send>,
    upcoming: VecDeque<Upcoming>,
    /// Whether a part has been taken.
    has_started: bool,
}

/// A part that will be read soon.
pub(super) struct Upcoming {
    pub(super) part: Part,
    /// Its remote file. It keeps the bytes that have arrived.
    remote: Option<Arc<RemoteFile>>,
    /// The opened file, if the ranges of the part required opening it.
    pub(super) open: Option<Arc<dyn FormatFile>>,
    /// Whether the ranges of the part have been announced.
    announced: bool,
    /// Whether the ranges that open the file have been announced with its length known.
    opening_announced: bool,
}

impl Upcoming {
    /// Announces the ranges that open the file, once its length is known.
    fn announce_opening(&mut self, files: &FileSet) {
        if let Some(file) =
            self.remote.as_ref().filter(|file| !self.opening_announced && file.known_len().is_some())
        {
            file.announce(opening(files, file));
            self.opening_announced = true;
        }
    }

    /// Announces the ranges of the part, whose file is open, unless that was done before.
    pub(super) fn announce_in(&self, file: &dyn FormatFile) {
        if let Some(remote) = self.remote.as_ref().filter(|_| !self.announced) {
            remote.announce(file.unit_ranges(&self.part.unit(&file.body())));
        }
    }
}

impl LookAhead {
    pub(super) fn new(parts: Box<dyn Iterator<Item = Part> + Send>) -> Self {
        Self { parts, upcoming: VecDeque::new(), has_started: false }
    }

    /// Returns the next part. Sends requests for the parts after it.
    pub(super) fn next(&mut self, files: &FileSet, check: &Check<'_>) -> Result<Option<Upcoming>, FeedError> {
        self.fill(files, check)?;
        Ok(match self.upcoming.pop_front() {
            Some(next) => Some(next),
            None => self.parts.next().map(|part| Upcoming {
                part,
                remote: None,
                open: None,
                announced: true,
                opening_announced: true,
            }),
        })
    }

    /// Whether the file of the next part can be opened without waiting for a response. `is_open` returns
    /// whether a file is already open.
    pub(super) fn is_ready(
        &mut self,
        files: &FileSet,
        is_open: impl Fn(usize) -> bool,
        check: &Check<'_>,
    ) -> Result<bool, FeedError> {
        self.fill(files, check)?;
        let Some(next) = self.upcoming.front().filter(|next| next.open.is_none()) else { return Ok(true) };
        let Some(remote) = &next.remote else { return Ok(true) };
        let is_ready = is_open(next.part.file()) || remote.has(&opening(files, remote));
        if !is_ready && !files.has_requests_in_flight() {
            // An empty object has no range to request.
            remote.ask_version();
        }
        Ok(is_ready)
    }

    /// Takes more parts while there is room for requests, and announces the ranges that they read.
    fn fill(&mut self, files: &FileSet, check: &Check<'_>) -> Result<(), FeedError> {
        if !files.sends_requests() {
            return Ok(());
        }
        let whole_chunks = files.format().reads_whole_chunks();
        let most = if whole_chunks { MAX_PARTS } else { MAX_UNOPENED };
        while self.upcoming.iter().filter(|next| !next.announced).count() < most {
            let last = self.upcoming.back().and_then(|next| next.remote.as_ref());
            if self.upcoming.len() >= MAX_PARTS || last.is_some_and(|file| !file.wants_more()) {
                break;
            }
            let Some(part) = self.parts.next() else { break };
            // The start of the first file gets its own request, so that the first rows do not wait for a large one.
            let announced = whole_chunks && self.has_started;
            self.has_started = true;
            let remote = files.remote_file(part.file(), part.ranges().filter(|_| announced), check)?;
            let opening_announced = remote.as_ref().is_none_or(|file| file.known_len().is_some());
            self.upcoming.push_back(Upcoming { part, remote, open: None, announced, opening_announced });
            if whole_chunks {
                self.announce(files, check)?;
            }
        }
        self.announce(files, check)
    }

    /// Announces parts in order, up to the first one whose file cannot be opened yet to determine its ranges.
    fn announce(&mut self, files: &FileSet, check: &Check<'_>) -> Result<(), FeedError> {
        let mut waits = false;
        for next in self.upcoming.iter_mut().filter(|next| !next.announced) {
            let Some(file) = &next.remote else {
                next.announced = true;
                continue;
            };
            if files.format().reads_whole_chunks() {
                file.announce(next.part.ranges());
            } else if !waits && file.has(&opening(files, file)) {
                match without_waiting(|| files.open(next.part.file(), check)) {
                    Ok(open) => {
                        let unit = next.part.unit(&open.body());
                        file.announce(open.unit_ranges(&unit));
                        next.open = Some(open);
                    }
                    // The file is opened again when more of its bytes have arrived.
                    Err(error) if error.would_wait() => {
                        waits = true;
                        continue;
                    }
                    // The error is returned when the part is read.
                    Err(_) => {}
                }
            } else {
                next.announce_opening(files);
                // Later parts wait for their turn, except for the ranges that open their files.
                waits = true;
                continue;
            }
            next.announced = true;
        }
        Ok(())
    }
}

fn opening(files: &FileSet, file: &RemoteFile) -> Vec<Range<u64>> {
    files.format().opening_ranges(file.known_len())
}

/// Number of remote files that are opened ahead of the one that is read.
const OPENED_AHEAD: usize = 64;

/// Sends the requests that open the next remote files, for loops over all files of a set.
pub(super) struct OpeningAhead {
    files: Arc<FileSet>,
    next: usize,
    open: VecDeque<Option<Arc<RemoteFile>>>,
}

impl OpeningAhead {
    pub(super) fn new(files: Arc<FileSet>) -> Self {
        Self { files, next: 0, open: VecDeque::new() }
    }

    /// Drops the files before `file`, and starts to open the files after it.
    ///
    /// # Errors
    /// The requests belong to the parent process.
    pub(super) fn move_to(&mut self, file: usize, check: &Check<'_>) -> Result<(), FeedError> {
        while self.next < self.files.len().min(file + OPENED_AHEAD) {
            self.open.push_back(self.files.remote_file(self.next, std::iter::empty(), check)?);
            self.next += 1;
        }
        while self.open.len() > self.next - file {
            self.open.pop_front();
        }
        Ok(())
    }
}
