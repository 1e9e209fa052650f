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
    /// Calls `visit` with the chunks of each file, see [`chunks`](Self::chunks), in file order. Returns the counts of
    /// the requests to remote stores.
    ///
    /// # Errors
    /// `visit` returns an error; the caller cancels; the system cannot start more threads.
    pub fn scan_all(
        self: &Arc<Self>,
        on_error: OnError,
        interrupt: Option<&Interrupt>,
        mut visit: impl FnMut(usize, FileChunks) -> Result<(), FeedError>,
    ) -> Result<Requests, FeedError> {
        if !self.has_objects() {
            let check = Check::of(interrupt);
            for file in 0..self.len() {
                check.now()?;
                visit(file, self.chunks(file, on_error, &check))?;
            }
            return Ok(Requests::default());
        }
        let files = Arc::new((**self).clone()).for_reading();
        let scanned = files.clone();
        in_order(files.len(), interrupt, move |file, check| scanned.chunks(file, on_error, check), visit)?;
        Ok(files.take_own_requests())
    }
}
