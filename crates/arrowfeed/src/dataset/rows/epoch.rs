//! One epoch, in file order or shuffled.

use std::sync::Arc;

use arrowfeed_source::run::{FileSet, PartReader, Workers};
use arrowfeed_source::{FeedError, Report};

use super::gather::Step;
use super::sequential::Sequential;
use super::shuffled::Shuffled;
use crate::dataset::files::chunk_index::{ChunkIndex, RowPosition};
use crate::dataset::options::IterationOptions;
use crate::dataset::state::position::WindowPlace;

/// A position in an epoch.
#[derive(Debug, Clone)]
pub(crate) enum EpochPosition {
    Start,
    Row(RowPosition),
    Window(WindowPlace),
}

/// Inputs of an epoch: the files, their index, the options and the workers that decode.
pub(crate) struct EpochInputs<'a> {
    pub(crate) files: &'a Arc<FileSet>,
    /// Present if the order needs it.
    pub(crate) index: Option<Arc<ChunkIndex>>,
    pub(crate) options: &'a IterationOptions,
    pub(crate) workers: Workers,
    /// Seed of the shuffle.
    pub(crate) seed: u64,
}

pub(crate) enum Epoch {
    Sequential(Box<Sequential>),
    Shuffled(Box<Shuffled>),
}

impl Epoch {
    /// Starts epoch number `epoch` at a position. Its first batch begins with `carried` rows of the previous epoch.
    pub(crate) fn start(
        inputs: EpochInputs<'_>,
        epoch: u64,
        at: EpochPosition,
        carried: u64,
    ) -> Result<Self, FeedError> {
        let EpochInputs { files, index, options, workers, seed } = inputs;
        let mut epoch = match (index, at) {
            (Some(index), at) if options.shuffles() => {
                let after = if let EpochPosition::Window(after) = at { Some(after) } else { None };
                let epoch = Shuffled::start(files, &index, options, workers, (seed, epoch), after)?;
                Self::Shuffled(Box::new(epoch))
            }
            (index, at) => {
                let after = if let EpochPosition::Row(after) = at { Some(after) } else { None };
                let epoch = Sequential::start(files, index.as_ref(), options, workers, carried, after)?;
                Self::Sequential(Box::new(epoch))
            }
        };
        epoch.reader().start()?;
        Ok(epoch)
    }

    /// Makes this epoch the current one. `rows` is the size of its first batch, `prefetch_bytes` the limit of decoded
    /// bytes that may wait.
    pub(crate) fn begin(&mut self, rows: usize, prefetch_bytes: usize) {
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

    /// Returns the next batch. If `wait` is set, blocks until it is ready.
    pub(crate) fn next(&mut self, wait: bool) -> Result<Step<EpochPosition>, FeedError> {
        Ok(match self {
            Self::Sequential(epoch) => epoch.next(wait)?.map(EpochPosition::Row),
            Self::Shuffled(epoch) => epoch.next(wait)?.map(EpochPosition::Window),
        })
    }

    /// Takes the counts of what has been read and skipped since the last call.
    pub(crate) fn take_report(&mut self) -> Report {
        self.reader().take_report()
    }

    /// Number of rows in an incomplete last batch, otherwise 0. `None` until all work of the epoch is scheduled.
    pub(crate) fn planned(&self) -> Option<u64> {
        let reader = match self {
            Self::Sequential(epoch) => &epoch.reader,
            Self::Shuffled(epoch) => &epoch.reader,
        };
        reader.is_planned().then(|| reader.carried())
    }
}
