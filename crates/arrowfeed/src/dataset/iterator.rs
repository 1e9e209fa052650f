//! The batches of a dataset, epoch after epoch, and where they stand.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_avro::{AvroFiles, Prepare};
use arrowfeed_source::{FeedError, Report};
use rand::TryRngCore;
use rand::rngs::OsRng;

use super::index::BlockIndex;
use super::indexed::Indexed;
use super::joined::concatenated;
use super::options::IterationOptions;
use super::pieces::{After, Rows, not_joined};
use super::reported::Reported;
use super::sequential::Sequential;
use super::shuffled::{AfterShuffled, Shuffled};
use super::state::{Place, State};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Batches of a dataset. Made by [`AvroDataset::record_batches`](super::AvroDataset::record_batches).
///
/// After an error there are no more batches, and [`state`](Self::state) is that of the last one.
pub struct BatchIterator {
    files: Arc<Indexed>,
    options: IterationOptions,
    prepare: Option<Prepare>,
    /// Made when it is first needed, where the order needs it.
    index: Option<Arc<BlockIndex>>,
    /// Of the shuffle; drawn when the first batch is asked for, where the caller has none.
    seed: Option<u64>,
    /// Epoch and place after the last batch that was given.
    epoch: u64,
    place: At,
    /// What is read now.
    reading: Option<Epoch>,
    /// Of the epochs before, and of what came before a state.
    report: Reported,
    rows: u64,
    /// Batches of the epoch.
    batches: u64,
    /// The last rows of the epoch before, which are not a batch yet.
    held: Option<RecordBatch>,
    ended: bool,
}

/// A place in an epoch.
#[derive(Debug, Clone)]
enum At {
    Start,
    Row(After),
    Window(AfterShuffled),
}

enum Epoch {
    Sequential(Box<Sequential>),
    Shuffled(Box<Shuffled>),
}

impl Epoch {
    fn next(&mut self) -> Result<Option<(Rows, At)>, FeedError> {
        Ok(match self {
            Self::Sequential(epoch) => epoch.next()?.map(|(rows, after)| (rows, At::Row(after))),
            Self::Shuffled(epoch) => epoch.next()?.map(|(rows, after)| (rows, At::Window(after))),
        })
    }

    fn report(&self) -> Report {
        match self {
            Self::Sequential(epoch) => epoch.report(),
            Self::Shuffled(epoch) => epoch.report(),
        }
    }
}

impl BatchIterator {
    /// `prepare`: what threads that decode ahead make of a batch.
    pub(super) fn new(
        files: Arc<Indexed>,
        options: IterationOptions,
        prepare: Option<Prepare>,
    ) -> Result<Self, FeedError> {
        options.check()?;
        // Asked once: it may change with the thread that asks, and while an epoch runs.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        let (seed, report) = (options.seed, Reported::default());
        let (index, place, reading) = (None, At::Start, None);
        let (epoch, rows, batches, held) = (0, 0, 0, None);
        let ended = false;
        Ok(Self {
            files,
            options,
            prepare,
            index,
            seed,
            epoch,
            place,
            reading,
            report,
            rows,
            batches,
            held,
            ended,
        })
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.files.files.schema().clone()
    }

    /// What has been read and what was left out so far, also before a state that was loaded. `rows` are those of the
    /// batches given; what is left out is counted once.
    pub fn report(&self) -> Report {
        let mut report = self.report.clone();
        if let Some(reading) = &self.reading {
            report.add(reading.report());
        }
        report.of_rows(self.rows)
    }

    /// Ends the iteration, and its threads with it.
    pub fn close(&mut self) {
        self.end_epoch();
        self.held = None;
        self.ended = true;
    }

    /// Where the iteration stands after the last batch that was given, as JSON.
    ///
    /// # Errors
    /// The system does not tell how long a file is.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        let mut state = self.own_state()?;
        state.place = match &self.place {
            At::Start => Place::Start,
            At::Row(after) => Place::row(*after, &self.files.files)?,
            At::Window(after) => Place::window(after.clone()),
        };
        (state.epoch, state.report) = (self.epoch, (&self.report()).into());
        Ok(state.to_json())
    }

    /// Goes on after the last batch before [`state`](Self::state) was asked, whatever this iterator gave so far.
    ///
    /// # Errors
    /// The state is none, or of other files, options, or another seed. The iterator stays as it was.
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = State::from_json(state)?;
        let own = self.own_state()?;
        state.check(&own, self.options.seed, &self.files.files)?;
        let place = match state.place {
            Place::Start => At::Start,
            Place::Row { file, block, offset, row, .. } => At::Row(After { file, block, offset, row }),
            Place::Window { window, passed, left_out } => {
                At::Window(AfterShuffled { window, passed, left_out })
            }
        };
        if matches!(place, At::Window(_)) && !self.options.shuffles()
            || matches!(place, At::Row(_)) && self.options.shuffles()
        {
            return Err(StateError::new(StateErrorKind::Invalid, "a place of this order", "another").into());
        }
        (self.reading, self.held) = (None, None);
        (self.seed, self.epoch, self.place) = (state.seed, state.epoch, place);
        let report: Report = state.report.into();
        (self.rows, self.batches, self.ended) = (report.rows, 0, false);
        self.report = Reported::default();
        self.report.add(report);
        Ok(())
    }

    fn own_state(&mut self) -> Result<State, DatasetError> {
        if self.options.shuffles() {
            self.draw_seed()?;
        }
        let blocks = self.index()?.map(|index| index.digest);
        Ok(State::new(self.files.marks(self.options.interrupt.as_ref())?, &self.options, self.seed, blocks))
    }

    fn draw_seed(&mut self) -> Result<u64, FeedError> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        let seed = OsRng.try_next_u64().map_err(|error| FeedError::io(std::io::Error::other(error)))?;
        self.seed = Some(seed);
        Ok(seed)
    }

    /// The index, where the order needs it.
    fn index(&mut self) -> Result<Option<Arc<BlockIndex>>, FeedError> {
        if !self.options.shuffles() && !self.options.is_sharded() {
            return Ok(None);
        }
        let index = match &self.index {
            Some(index) => index.clone(),
            None => self.index.insert(self.files.index(&self.options)?).clone(),
        };
        self.report.leave_out(index.skipped.clone());
        Ok(Some(index))
    }

    fn start_epoch(&mut self) -> Result<Epoch, FeedError> {
        let index = self.index()?;
        let files: &Arc<AvroFiles> = &self.files.files.clone();
        let (options, prepare) = (self.options.clone(), self.prepare.clone());
        let first = options.batch_size - self.held.as_ref().map_or(0, RecordBatch::num_rows);
        Ok(match (index, self.place.clone()) {
            (Some(index), place) if options.shuffles() => {
                let after = if let At::Window(after) = place { Some(after) } else { None };
                let order = (self.draw_seed()?, self.epoch);
                let epoch = Shuffled::start(files, &index, &options, order, first, after, prepare)?;
                Epoch::Shuffled(Box::new(epoch))
            }
            (index, place) => {
                let after = if let At::Row(after) = place { Some(after) } else { None };
                let epoch = Sequential::start(files, index.as_deref(), &options, first, after, prepare)?;
                Epoch::Sequential(Box::new(epoch))
            }
        })
    }

    fn end_epoch(&mut self) {
        if let Some(reading) = self.reading.take() {
            self.report.add(reading.report());
        }
    }

    fn is_over(&self) -> bool {
        self.ended || self.options.epochs.is_some_and(|epochs| self.epoch >= epochs.get())
    }

    fn read(&mut self) -> Result<Option<Rows>, FeedError> {
        while !self.is_over() {
            let mut reading = match self.reading.take() {
                Some(reading) => reading,
                None => self.start_epoch()?,
            };
            let next = reading.next();
            self.reading = Some(reading);
            match next? {
                Some((rows, at)) => {
                    let rows = self.after_held(rows)?;
                    let gives = rows.batch.num_rows() == self.options.batch_size || self.gives_short();
                    self.batches += u64::from(gives || self.options.across_epochs);
                    if gives {
                        self.place = at;
                        self.rows += rows.batch.num_rows() as u64;
                        return Ok(Some(rows));
                    }
                    self.held = Some(rows.batch).filter(|_| self.options.across_epochs);
                }
                None => {
                    self.end_epoch();
                    // Epochs without a batch would follow each other without end.
                    let empty = self.batches == 0 && matches!(self.place, At::Start);
                    self.ended = empty && self.options.epochs.is_none();
                    (self.epoch, self.place, self.batches) = (self.epoch + 1, At::Start, 0);
                }
            }
        }
        Ok(None)
    }

    /// The rows that were held, and then those of a batch.
    fn after_held(&mut self, rows: Rows) -> Result<Rows, FeedError> {
        let Some(held) = self.held.take() else { return Ok(rows) };
        let all = held.num_rows() + rows.batch.num_rows();
        let joined = concatenated(&[&held, &rows.batch]);
        Ok(joined.map_err(|error| not_joined(all).with_source(error))?.into())
    }

    /// Whether the last rows of this epoch are a batch, however few.
    fn gives_short(&self) -> bool {
        let is_last = self.options.epochs.is_some_and(|epochs| self.epoch + 1 == epochs.get());
        !self.options.drop_remainder && (is_last || !self.options.across_epochs)
    }

    /// The next batch, and what a thread has made of it.
    pub(super) fn next_rows(&mut self) -> Option<Result<Rows, DatasetError>> {
        let before = self.stand();
        match self.read() {
            Ok(rows) => Some(Ok(rows?)),
            Err(error) => {
                self.step_back(before);
                Some(Err(error.into()))
            }
        }
    }

    /// As if the last batch had not been given.
    pub(super) fn step_back(&mut self, before: Stand) {
        (self.epoch, self.place, self.rows, self.batches) =
            (before.epoch, before.place, before.rows, before.batches);
        self.close();
    }

    pub(super) fn stand(&self) -> Stand {
        Stand { epoch: self.epoch, place: self.place.clone(), rows: self.rows, batches: self.batches }
    }
}

/// What an iterator has given.
#[derive(Debug)]
pub(super) struct Stand {
    epoch: u64,
    place: At,
    rows: u64,
    batches: u64,
}

impl Iterator for BatchIterator {
    type Item = Result<RecordBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_rows()?.map(|rows| rows.batch))
    }
}

impl fmt::Debug for BatchIterator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchIterator")
            .field("options", &self.options)
            .field("epoch", &self.epoch)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
