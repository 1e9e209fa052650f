//! Batches of parts of files, with the place of every row.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrowfeed_source::{FeedError, Interrupt, OnError, Report, thread_count};

use super::builder::checked;
use super::driver::{Driver, Engine};
use super::parts::{Part, Parts};
use super::prepare::Prepare;
use super::set::AvroFiles;
use super::supply::{FileBatch, Supply};

/// What each reading of [`AvroFiles`] chooses.
#[derive(Clone)]
pub struct PartOptions {
    /// Rows of a batch, from the first part to the last. A batch ends early at the end of a part, and the next one so
    /// that the two make a whole one.
    pub batch_size: usize,
    /// See [`ReadOptions::threads`](crate::ReadOptions::threads).
    pub threads: Option<NonZeroUsize>,
    /// Bytes of batches that may wait, decoded ahead by other threads than the caller's.
    pub prefetch_bytes: usize,
    /// See [`ReadOptions::on_error`](crate::ReadOptions::on_error).
    pub on_error: OnError,
    /// See [`AvroReaderBuilder::with_interrupt`](crate::AvroReaderBuilder::with_interrupt).
    pub interrupt: Option<Interrupt>,
    /// What each thread makes of the batches that it decodes, so that the caller need not. With one thread nothing.
    pub prepare: Option<Prepare>,
}

/// Reads parts in the order given. Made by [`AvroFiles::read`].
pub struct PartReader(Driver);

impl AvroFiles {
    /// Reads parts of the files, in this order.
    ///
    /// # Errors
    /// An option that makes no sense. What is wrong with a file comes in its turn.
    pub fn read(
        self: &Arc<Self>,
        parts: impl IntoIterator<Item = Part, IntoIter: Send + 'static>,
        options: PartOptions,
    ) -> Result<PartReader, FeedError> {
        let PartOptions { batch_size, threads, prefetch_bytes, on_error, interrupt, prepare } = options;
        let own = Arc::new(checked(self.options().with_reading(batch_size, on_error))?);
        let supply = Supply::Parts(Parts::new(self.clone(), own, Box::new(parts.into_iter())));
        let engine = Engine::of(thread_count(threads), prefetch_bytes, prepare);
        Ok(PartReader(Driver::new(supply, engine, Report::default(), interrupt)))
    }
}

impl PartReader {
    /// What has been read and what was left out so far.
    pub fn report(&self) -> Report {
        self.0.report()
    }

    /// Numbers of the files whose rest was left out, in order.
    pub fn left_out(&self) -> Vec<usize> {
        self.0.left_out()
    }

    /// Has one of the threads that decode do something else in between. It is not done where there are none.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.0.spawn(work);
    }

    /// Ends the reading, and its threads with it. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.0.close();
    }
}

impl Iterator for PartReader {
    type Item = Result<FileBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl fmt::Debug for PartReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartReader").field("report", &self.report()).finish_non_exhaustive()
    }
}

impl Default for PartOptions {
    /// The defaults of [`ReadOptions`](crate::ReadOptions), and 64 MiB ahead.
    fn default() -> Self {
        let (threads, on_error, interrupt, prepare) = (None, OnError::default(), None, None);
        Self { batch_size: 8192, threads, prefetch_bytes: 64 << 20, on_error, interrupt, prepare }
    }
}

impl fmt::Debug for PartOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartOptions")
            .field("batch_size", &self.batch_size)
            .field("threads", &self.threads)
            .field("prefetch_bytes", &self.prefetch_bytes)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}
