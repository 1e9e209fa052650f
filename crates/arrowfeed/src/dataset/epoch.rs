//! One epoch, in either order.

use std::sync::Arc;

use arrowfeed_source::run::{FileSet, PartReader, Workers};
use arrowfeed_source::{FeedError, Report};

use super::chunk_index::ChunkIndex;
use super::options::IterationOptions;
use super::pieces::After;
use super::rows::Rows;
use super::sequential::Sequential;
use super::shuffled::{AfterShuffled, Shuffled};

/// A place in an epoch.
#[derive(Debug, Clone)]
pub(super) enum At {
    Start,
    Row(After),
    Window(AfterShuffled),
}

/// What an epoch has next.
#[derive(Debug)]
pub(super) enum Step<P> {
    /// The rows of a batch, and the place after them.
    Rows(Rows, P),
    /// Nothing yet: threads are at it.
    Pending,
    /// There is no more.
    End,
}

impl<P> Step<P> {
    fn map<Q>(self, place: impl FnOnce(P) -> Q) -> Step<Q> {
        match self {
            Self::Rows(rows, after) => Step::Rows(rows, place(after)),
            Self::Pending => Step::Pending,
            Self::End => Step::End,
        }
    }
}

/// What an epoch reads, and who decodes.
pub(super) struct Reading<'a> {
    pub(super) files: &'a Arc<FileSet>,
    /// Where the order needs it.
    pub(super) index: Option<Arc<ChunkIndex>>,
    pub(super) options: &'a IterationOptions,
    pub(super) workers: Workers,
    /// Of the shuffle.
    pub(super) seed: u64,
}

pub(super) enum Epoch {
    Sequential(Box<Sequential>),
    Shuffled(Box<Shuffled>),
}

impl Epoch {
    /// Goes on at a place of epoch number `epoch`, whose first batch begins with `carried` rows of the one before.
    pub(super) fn start(reading: Reading<'_>, epoch: u64, at: At, carried: u64) -> Result<Self, FeedError> {
        let Reading { files, index, options, workers, seed } = reading;
        let mut epoch = match (index, at) {
            (Some(index), at) if options.shuffles() => {
                let after = if let At::Window(after) = at { Some(after) } else { None };
                let epoch = Shuffled::start(files, &index, options, workers, (seed, epoch), after)?;
                Self::Shuffled(Box::new(epoch))
            }
            (index, at) => {
                let after = if let At::Row(after) = at { Some(after) } else { None };
                let index = index.as_deref();
                let epoch = Sequential::start(files, index, options, workers, carried, after)?;
                Self::Sequential(Box::new(epoch))
            }
        };
        epoch.reader().start()?;
        Ok(epoch)
    }

    /// Makes this epoch the one that is read: its first batch has so many rows, and so many bytes of it may wait.
    pub(super) fn begin(&mut self, rows: usize, prefetch_bytes: usize) {
        self.reader().set_prefetch_bytes(prefetch_bytes);
        match self {
            Self::Sequential(epoch) => epoch.pieces.begin_with(rows),
            Self::Shuffled(epoch) => epoch.begin_with(rows),
        }
    }

    fn reader(&mut self) -> &mut PartReader {
        match self {
            Self::Sequential(epoch) => &mut epoch.reader,
            Self::Shuffled(epoch) => &mut epoch.reader,
        }
    }

    /// The next batch. Waits for it, if the caller wants that.
    pub(super) fn next(&mut self, wait: bool) -> Result<Step<At>, FeedError> {
        Ok(match self {
            Self::Sequential(epoch) => epoch.next(wait)?.map(At::Row),
            Self::Shuffled(epoch) => epoch.next(wait)?.map(At::Window),
        })
    }

    /// What has been read and left out since this was asked last.
    pub(super) fn take_report(&mut self) -> Report {
        self.reader().take_report()
    }

    /// Whether all of it is given to threads already; then the rows of its last batch, if that is not full.
    pub(super) fn planned(&self) -> Option<u64> {
        let reader = match self {
            Self::Sequential(epoch) => &epoch.reader,
            Self::Shuffled(epoch) => &epoch.reader,
        };
        reader.is_planned().then(|| reader.carried())
    }
}
