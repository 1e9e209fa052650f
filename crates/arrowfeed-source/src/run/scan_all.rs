//! Scan of the chunks of all files of a set: one file after the other, or several remote objects at a time.

use std::sync::Arc;

use super::file_set::FileSet;
use super::in_order::in_order;
use crate::format::Chunk;
use crate::report::Requests;
use crate::{Check, FeedError, Interrupt, OnError};

/// The chunks of a file and the errors that were skipped, or the error of the file.
pub type FileChunks = Result<(Vec<Chunk>, Vec<FeedError>), FeedError>;

impl FileSet {
    /// Calls `visit` with the chunks of each file, see [`chunks`](Self::chunks), in file order. Files for which `is_read` is false
    /// are not opened, and have no chunks. Returns the counts of the requests to remote stores.
    ///
    /// # Errors
    /// `visit` returns an error; the caller cancels; the system cannot start more threads.
    pub fn scan_all(
        self: &Arc<Self>,
        on_error: OnError,
        interrupt: Option<&Interrupt>,
        is_read: impl Fn(usize) -> bool + Send + Sync + 'static,
        visit: impl FnMut(usize, FileChunks) -> Result<(), FeedError>,
    ) -> Result<Requests, FeedError> {
        let chunks = move |files: &Self, file, check: &Check<'_>| match is_read(file) {
            true => files.chunks(file, on_error, check),
            false => Ok((Vec::new(), Vec::new())),
        };
        self.for_each_file(interrupt, chunks, visit)
    }

    /// Calls `work` with each file, several remote ones at a time, and `visit` with the results in file order, on the thread of
    /// the caller. Returns the counts of the requests to remote stores.
    ///
    /// # Errors
    /// `visit` returns an error; the caller cancels; the system cannot start more threads.
    pub fn for_each_file<T: Send + 'static>(
        self: &Arc<Self>,
        interrupt: Option<&Interrupt>,
        work: impl Fn(&Self, usize, &Check<'_>) -> T + Send + Sync + 'static,
        mut visit: impl FnMut(usize, T) -> Result<(), FeedError>,
    ) -> Result<Requests, FeedError> {
        if !self.has_objects() {
            let check = Check::of(interrupt);
            for file in 0..self.len() {
                check.now()?;
                visit(file, work(self, file, &check))?;
            }
            return Ok(Requests::default());
        }
        let files = Arc::new((**self).clone()).for_reading();
        let worked = files.clone();
        in_order(files.len(), interrupt, move |file, check| work(&worked, file, check), visit)?;
        Ok(files.take_own_requests())
    }
}
