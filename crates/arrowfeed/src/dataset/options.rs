//! What an iteration chooses.

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed_source::run::{Borders, PartOptions, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, OnError};

/// Options of an iteration over a dataset.
///
/// The batches are a function of the files and of these options; `threads`, `decodes_ahead` and
/// `prefetch_bytes` change none of them.
#[derive(Clone)]
pub struct IterationOptions {
    /// Rows of a batch. Default 8192.
    pub batch_size: usize,
    /// Leaves out the last batch of an epoch where it has fewer rows. Default false.
    pub drop_remainder: bool,
    /// Fills the last batch of an epoch with the first rows of the next one, so that only the very last batch may be
    /// short. Default false: a batch has rows of one epoch.
    pub across_epochs: bool,
    /// How often all rows are given. `None`: without end. Default 1.
    pub epochs: Option<NonZeroU64>,
    /// Rows that are shuffled with each other, at least. 0, the default: rows come in file order.
    pub shuffle_buffer_size: usize,
    /// Of the shuffle. `None`: drawn by the system; the state has it. Shards must be given one that they share.
    pub seed: Option<u64>,
    /// Number of this shard, and how many there are. Each has its part of the rows, equal but for one. Default
    /// `(0, 1)`: all rows.
    pub shard: (u64, u64),
    /// Threads that decode, gather the rows of a shuffle, and make tensors. `None`: every core that the process may use;
    /// 1: the calling thread.
    pub threads: Option<NonZeroUsize>,
    /// With one thread: starts a worker thread that decodes ahead; the caller's thread makes the tensors. Default false: the
    /// caller's thread does both. It has no effect with more threads.
    pub decodes_ahead: bool,
    /// Bytes of decoded rows and their tensors that may wait, where threads work ahead; of a shuffle, as many of gathered
    /// rows again. Default 64 MiB.
    pub prefetch_bytes: usize,
    /// Default [`OnError::Raise`].
    pub on_error: OnError,
    /// Asked now and then; true stops the iteration. Default: never.
    pub interrupt: Option<Interrupt>,
}

impl Default for IterationOptions {
    fn default() -> Self {
        Self {
            batch_size: 8192,
            drop_remainder: false,
            across_epochs: false,
            epochs: Some(NonZeroU64::MIN),
            shuffle_buffer_size: 0,
            seed: None,
            shard: (0, 1),
            threads: None,
            decodes_ahead: false,
            prefetch_bytes: 64 << 20,
            on_error: OnError::default(),
            interrupt: None,
        }
    }
}

impl IterationOptions {
    /// For a source that has few of the options: an error where one has not its default and is not among `heeded`, by
    /// name. `batch_size` is heeded by all; threads, memory, errors and interruption change no batch and are left out.
    ///
    /// # Errors
    /// Such an option, or one that makes no sense.
    pub fn check_heeded(&self, heeded: &[&str]) -> Result<(), FeedError> {
        self.check()?;
        let default = Self::default();
        let changed = [
            ("drop_remainder", self.drop_remainder != default.drop_remainder),
            ("across_epochs", self.across_epochs != default.across_epochs),
            ("epochs", self.epochs != default.epochs),
            ("shuffle_buffer_size", self.shuffle_buffer_size != default.shuffle_buffer_size),
            ("shard", self.shard != default.shard),
        ];
        match changed.iter().find(|(name, changed)| *changed && !heeded.contains(name)) {
            Some((name, _)) => {
                let message = format!("{name}: expected its default, which is all that this source can do");
                Err(FeedError::new(FeedErrorKind::Options, message))
            }
            None => Ok(()),
        }
    }

    pub(super) fn check(&self) -> Result<(), FeedError> {
        let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Options, message));
        if self.batch_size == 0 {
            return refuse("batch_size: expected 1 or more, found 0".to_owned());
        }
        let (index, count) = self.shard;
        if index >= count {
            let message = format!("shard: expected an index below the count, found ({index}, {count})");
            return refuse(message);
        }
        if self.shuffles() && self.is_sharded() && self.seed.is_none() {
            return refuse("seed: expected one that all shards share, found none".to_owned());
        }
        Ok(())
    }

    pub(super) fn shuffles(&self) -> bool {
        self.shuffle_buffer_size > 0
    }

    /// See [`thread_count`](arrowfeed_source::thread_count).
    pub(super) fn thread_count(&self) -> usize {
        arrowfeed_source::thread_count(self.threads)
    }

    pub(super) fn is_sharded(&self) -> bool {
        self.shard.1 > 1
    }

    /// How files are read that are the next epoch's, with pieces of so many rows that end at these borders.
    pub(super) fn reading(&self, batch_size: usize, borders: Borders, workers: Workers) -> PartOptions {
        let (on_error, interrupt) = (self.on_error, self.interrupt.clone());
        let prefetch_bytes = self.following_bytes();
        PartOptions { batch_size, borders, on_error, workers, prefetch_bytes, interrupt, claim: None }
    }

    /// Bytes of decoded rows of the next epoch that may wait.
    fn following_bytes(&self) -> usize {
        if self.epochs == Some(NonZeroU64::MIN) { 0 } else { self.prefetch_bytes / 8 }
    }

    /// Bytes of converted batches that may wait. Beside the decoded rows of a shuffle they may be as many again.
    pub(super) fn begun_bytes(&self) -> usize {
        if self.shuffles() { self.prefetch_bytes } else { self.prefetch_bytes / 2 }
    }

    /// Bytes of decoded rows of the epoch that is read that may wait. `converts`: batches are begun ahead of the caller.
    pub(super) fn decoded_bytes(&self, converts: bool) -> usize {
        let begun = if converts && !self.shuffles() { self.begun_bytes() } else { 0 };
        self.prefetch_bytes - begun - self.following_bytes()
    }

    /// An error if the caller wants to stop.
    pub(super) fn ask(&self) -> Result<(), FeedError> {
        ask(self.interrupt.as_ref())
    }
}

/// An error if the caller wants to stop.
pub(super) fn ask(interrupt: Option<&Interrupt>) -> Result<(), FeedError> {
    match interrupt {
        Some(interrupt) if interrupt() => {
            Err(FeedError::new(FeedErrorKind::Interrupted, "the caller asked to stop"))
        }
        _ => Ok(()),
    }
}

impl fmt::Debug for IterationOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterationOptions")
            .field("batch_size", &self.batch_size)
            .field("drop_remainder", &self.drop_remainder)
            .field("across_epochs", &self.across_epochs)
            .field("epochs", &self.epochs)
            .field("shuffle_buffer_size", &self.shuffle_buffer_size)
            .field("seed", &self.seed)
            .field("shard", &self.shard)
            .field("threads", &self.threads)
            .field("prefetch_bytes", &self.prefetch_bytes)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}
