//! Batches of a dataset and what is made of them, epoch after epoch, and where they stand.
//!
//! ```text
//! Epoch ──rows──> produce ──> MapStage ──> next
//!        (ahead: what is begun)   (given: what the caller has)
//! ```
//! With several threads, batches are begun before the caller asks for them. What the caller sees, the state and the report,
//! is that of the last batch given.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{FileSet, MapStage, Pool, Workers};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Report};
use rand::TryRngCore;
use rand::rngs::OsRng;

use super::chunk_index::ChunkIndex;
use super::epoch::{At, Epoch, Reading, Step};
use super::indexed::Indexed;
use super::options::IterationOptions;
use super::pieces::After;
use super::reported::{Counted, Reported};
use super::rows::Rows;
use super::shuffled::AfterShuffled;
use super::state::{Place, State};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// What is made of each batch.
pub(super) trait Conversion: Send + Sync + 'static {
    type Output: Send + 'static;

    /// Whether it takes work.
    const TAKES_WORK: bool;

    fn convert(&self, batch: RecordBatch) -> Result<Self::Output, DatasetError>;

    /// Bytes of memory.
    fn bytes(output: &Self::Output) -> usize;
}

/// Batches of a dataset, converted.
///
/// After an error there are no more batches, and the state is that of the last one.
pub(super) struct Iteration<C: Conversion> {
    files: Arc<Indexed>,
    options: IterationOptions,
    conversion: Arc<C>,
    /// The files with the requests to stores of this iteration. Made with the first epoch.
    requesting: Option<Arc<FileSet>>,
    /// Made when it is first needed, where the order needs it.
    index: Option<Arc<ChunkIndex>>,
    /// Of the shuffle; drawn when the first batch is asked for, where the caller has none.
    seed: Option<u64>,
    /// Started with the first batch, where there are several threads.
    pool: Option<Arc<Pool>>,
    /// What is read now, and after it.
    reading: Option<Epoch>,
    following: Option<Epoch>,
    /// What has been read and left out, also before a state that was loaded.
    report: Reported,
    /// The last rows of the epoch before, which are not a batch yet.
    held: Option<RecordBatch>,
    /// After the last batch that was begun.
    ahead: Stand,
    /// Batches that are begun and not given, each with what it stands at.
    begun: Option<MapStage<Result<C::Output, DatasetError>>>,
    stands: VecDeque<Stand>,
    /// There is nothing more to begin, for this reason.
    end: Option<End>,
    /// After the last batch that was given.
    given: Stand,
    /// Bytes of a whole batch that is made, by the last one.
    bytes: usize,
    closed: bool,
}

/// What an iteration has given, or begun.
#[derive(Debug, Clone)]
struct Stand {
    /// Epoch and place after the last batch.
    epoch: u64,
    place: At,
    rows: u64,
    /// Batches of the epoch.
    batches: u64,
    counted: Counted,
}

/// Why nothing more is begun.
enum End {
    Over,
    Failed(DatasetError),
}

/// What is begun next.
enum Produced {
    Batch(Rows, Stand),
    Pending,
    Over,
}

impl Stand {
    const START: Self = Self { epoch: 0, place: At::Start, rows: 0, batches: 0, counted: Counted::NONE };
}

impl<C: Conversion> Iteration<C> {
    pub(super) fn new(
        files: Arc<Indexed>,
        options: IterationOptions,
        conversion: C,
    ) -> Result<Self, FeedError> {
        options.check()?;
        // Asked once: it may change with the thread that asks, and while an epoch runs.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        Ok(Self {
            files,
            seed: options.seed,
            options,
            conversion: Arc::new(conversion),
            requesting: None,
            index: None,
            pool: None,
            reading: None,
            following: None,
            report: Reported::default(),
            held: None,
            ahead: Stand::START,
            begun: None,
            stands: VecDeque::new(),
            end: None,
            given: Stand::START,
            bytes: 0,
            closed: false,
        })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.files.files.schema().clone()
    }

    pub(super) fn options(&self) -> &IterationOptions {
        &self.options
    }

    pub(super) fn epoch(&self) -> u64 {
        self.given.epoch
    }

    /// What has been read and left out up to the last batch given.
    pub(super) fn report(&self) -> Report {
        self.report.up_to(&self.given.counted, self.given.rows)
    }

    /// Ends the iteration, and its threads with it.
    pub(super) fn close(&mut self) {
        if let Some(files) = self.requesting.take() {
            // Threads that wait for a response would be waited for.
            files.cancel_requests();
        }
        (self.reading, self.following, self.held, self.begun, self.end) = (None, None, None, None, None);
        self.stands.clear();
        (self.pool, self.closed) = (None, true);
    }

    /// The next batch, converted.
    pub(super) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        if self.closed {
            return None;
        }
        let next = self.step();
        if !matches!(next, Ok(Some(_))) {
            self.given.counted = self.report.counted();
            self.close();
        }
        next.transpose()
    }

    fn step(&mut self) -> Result<Option<C::Output>, DatasetError> {
        if self.options.thread_count() == 1 {
            return match self.produce(true)? {
                Produced::Batch(rows, stand) => {
                    let output = self.conversion.convert(rows.into_batch()?)?;
                    self.given = stand;
                    Ok(Some(output))
                }
                Produced::Over | Produced::Pending => self.over(),
            };
        }
        loop {
            while self.has_room() && self.begin(false) {}
            let options = &self.options;
            let next = match &mut self.begun {
                Some(begun) => begun.next(&Check::of(options.interrupt.as_ref()))?,
                None => None,
            };
            if let (Some(output), Some(stand)) = (next, self.stands.pop_front()) {
                let output = output?;
                let rows = stand.rows.saturating_sub(self.given.rows).max(1);
                let whole = C::bytes(&output) as u128 * self.options.batch_size as u128 / u128::from(rows);
                self.bytes = usize::try_from(whole).unwrap_or(usize::MAX);
                self.given = stand;
                return Ok(Some(output));
            }
            match self.end.take() {
                Some(End::Failed(error)) => return Err(error),
                Some(End::Over) => return self.over(),
                None => _ = self.begin(true),
            }
        }
    }

    fn over(&mut self) -> Result<Option<C::Output>, DatasetError> {
        self.given = self.ahead.clone();
        Ok(None)
    }

    /// Whether one more batch may be begun: the one that is asked for, and then as many as may wait.
    fn has_room(&self) -> bool {
        let waiting = self.stands.len();
        let bytes = (waiting + 1).saturating_mul(self.bytes);
        let converts = C::TAKES_WORK || self.options.shuffles();
        let may_wait = converts && self.bytes > 0 && bytes <= self.options.begun_bytes();
        self.end.is_none() && (waiting == 0 || (waiting < 2 * self.options.thread_count() && may_wait))
    }

    /// Begins one more batch, if its rows are there. False: there is nothing to begin, or no use in more of it.
    fn begin(&mut self, wait: bool) -> bool {
        match self.produce(wait) {
            Ok(Produced::Batch(rows, stand)) => {
                let Some(pool) = &self.pool else { return false };
                let begun = self.begun.get_or_insert_with(|| MapStage::new(pool.clone()));
                self.stands.push_back(stand);
                let takes_work = C::TAKES_WORK || rows.takes_work();
                let conversion = self.conversion.clone();
                let work = move || conversion.convert(rows.into_batch()?);
                if takes_work {
                    begun.add(work);
                } else {
                    begun.add_done(work());
                }
                takes_work
            }
            Ok(Produced::Pending) => false,
            Ok(Produced::Over) => {
                self.end = Some(End::Over);
                false
            }
            Err(error) => {
                self.end = Some(End::Failed(error));
                false
            }
        }
    }

    /// The rows of the next batch, which begins where `ahead` stands.
    fn produce(&mut self, wait: bool) -> Result<Produced, DatasetError> {
        while !self.is_over() {
            let mut reading = match self.reading.take() {
                Some(reading) => reading,
                None => self.next_epoch()?,
            };
            let next = reading.next(wait);
            self.report.add(reading.take_report());
            let followed = self.follow(&reading);
            self.reading = Some(reading);
            let next = next?;
            followed?;
            match next {
                Step::Rows(rows, at) => {
                    let rows = rows.after(self.held.take())?;
                    let count = rows.len();
                    let gives = count == self.options.batch_size || self.gives_short();
                    self.ahead.batches += u64::from(gives || self.options.across_epochs);
                    if gives {
                        self.ahead.place = at;
                        self.ahead.rows += count as u64;
                        self.ahead.counted = self.report.counted();
                        return Ok(Produced::Batch(rows, self.ahead.clone()));
                    }
                    if self.options.across_epochs {
                        self.held = Some(rows.into_batch()?);
                    }
                }
                Step::Pending => return Ok(Produced::Pending),
                Step::End => {
                    self.reading = None;
                    // Epochs without a batch would follow each other without end.
                    let empty = self.ahead.batches == 0 && matches!(self.ahead.place, At::Start);
                    let ended = empty && self.options.epochs.is_none();
                    let Stand { epoch, rows, .. } = self.ahead;
                    let counted = self.report.counted();
                    self.ahead = Stand { epoch: epoch + 1, place: At::Start, rows, batches: 0, counted };
                    if ended {
                        break;
                    }
                }
            }
        }
        // The last epochs may have had no rows to fill the batch.
        match self.held.take().filter(|_| !self.options.drop_remainder) {
            Some(held) => {
                self.ahead.rows += held.num_rows() as u64;
                self.ahead.counted = self.report.counted();
                Ok(Produced::Batch(Rows::Whole(held), self.ahead.clone()))
            }
            None => Ok(Produced::Over),
        }
    }

    fn is_over(&self) -> bool {
        self.options.epochs.is_some_and(|epochs| self.ahead.epoch >= epochs.get())
    }

    /// Whether the last rows of this epoch are a batch, however few.
    fn gives_short(&self) -> bool {
        let is_last = self.options.epochs.is_some_and(|epochs| self.ahead.epoch + 1 == epochs.get());
        !self.options.drop_remainder && (is_last || !self.options.across_epochs)
    }

    /// The epoch whose first batch is next.
    fn next_epoch(&mut self) -> Result<Epoch, FeedError> {
        self.options.ask()?;
        let held = self.held.as_ref().map_or(0, RecordBatch::num_rows);
        let mut epoch = match self.following.take() {
            Some(epoch) => epoch,
            None => {
                let (number, place) = (self.ahead.epoch, self.ahead.place.clone());
                self.start_epoch(number, place, held as u64)?
            }
        };
        let converts = C::TAKES_WORK && self.options.thread_count() > 1;
        epoch.begin(self.options.batch_size - held, self.options.decoded_bytes(converts));
        Ok(epoch)
    }

    /// Starts the next epoch when all of this one is given to threads, so that none of them waits at its end.
    fn follow(&mut self, reading: &Epoch) -> Result<(), FeedError> {
        let next = self.ahead.epoch + 1;
        let is_last = self.options.epochs.is_some_and(|epochs| next >= epochs.get());
        let Some(carried) = reading.planned().filter(|_| !is_last && self.following.is_none()) else {
            return Ok(());
        };
        let carried = if self.options.across_epochs { carried } else { 0 };
        match self.start_epoch(next, At::Start, carried) {
            Ok(epoch) => self.following = Some(epoch),
            Err(error) if error.kind() == FeedErrorKind::Interrupted => return Err(error),
            // It is told when the epoch is started in its turn.
            Err(_) => {}
        }
        Ok(())
    }

    fn start_epoch(&mut self, number: u64, at: At, carried: u64) -> Result<Epoch, FeedError> {
        let index = self.index()?;
        let seed = if self.options.shuffles() { self.draw_seed()? } else { 0 };
        let workers = self.workers()?;
        let files = self.requesting.get_or_insert_with(|| self.files.files.for_reading());
        let reading = Reading { files, index, options: &self.options, workers, seed };
        Epoch::start(reading, number, at, carried)
    }

    fn workers(&mut self) -> Result<Workers, FeedError> {
        let threads = self.options.thread_count();
        let by_caller = self.files.files.format().is_decoded_by_caller();
        if threads == 1 && (by_caller || !self.options.decodes_ahead) {
            return Ok(Workers::Caller);
        }
        let pool = match &self.pool {
            Some(pool) => pool.clone(),
            None => self.pool.insert(Arc::new(Pool::start(threads)?)).clone(),
        };
        Ok(if by_caller { Workers::Caller } else { Workers::Pool(pool) })
    }

    /// The index, where the order needs it.
    fn index(&mut self) -> Result<Option<Arc<ChunkIndex>>, FeedError> {
        if !self.options.shuffles() && !self.options.is_sharded() {
            return Ok(None);
        }
        let index = match &self.index {
            Some(index) => index.clone(),
            None => {
                let (index, requests) = self.files.index(&self.options)?;
                self.report.add_requests(requests);
                self.index.insert(index).clone()
            }
        };
        self.report.leave_out(index.skipped.clone());
        if self.ahead.rows == self.given.rows {
            self.given.counted = self.report.counted();
        }
        Ok(Some(index))
    }

    fn draw_seed(&mut self) -> Result<u64, FeedError> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        let seed = OsRng.try_next_u64().map_err(|error| FeedError::io(std::io::Error::other(error)))?;
        self.seed = Some(seed);
        Ok(seed)
    }

    /// Where the iteration stands after the last batch that was given, as JSON.
    pub(super) fn state(&mut self) -> Result<String, DatasetError> {
        let mut state = self.own_state()?;
        state.place = match &self.given.place {
            At::Start => Place::Start,
            At::Row(after) => Place::row(*after, &self.files.files)?,
            At::Window(after) => Place::window(after.clone()),
        };
        (state.epoch, state.report) = (self.given.epoch, (&self.report()).into());
        Ok(state.to_json())
    }

    /// Goes on after the last batch before the state was asked for, whatever was given so far.
    pub(super) fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = State::from_json(state)?;
        let own = self.own_state()?;
        state.check(&own, self.options.seed, &self.files.files)?;
        let place = match state.place {
            Place::Start => At::Start,
            Place::Row { file, chunk, offset, row, .. } => At::Row(After { file, chunk, offset, row }),
            Place::Window { window, passed, left_out } => {
                At::Window(AfterShuffled { window, passed, left_out })
            }
        };
        if matches!(place, At::Window(_)) && !self.options.shuffles()
            || matches!(place, At::Row(_)) && self.options.shuffles()
        {
            return Err(StateError::new(StateErrorKind::Invalid, "a place of this order", "another").into());
        }
        // A state may be loaded long before the next batch is asked for: no thread waits for it.
        self.close();
        let report: Report = state.report.into();
        (self.seed, self.closed) = (state.seed, false);
        self.report = Reported::default();
        let rows = report.rows;
        self.report.add(report);
        let counted = self.report.counted();
        self.given = Stand { epoch: state.epoch, place, rows, batches: 0, counted };
        self.ahead = self.given.clone();
        Ok(())
    }

    /// Begins with this epoch, and not with the first one. `epochs` counts all, those before it too.
    pub(super) fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.closed = false;
        self.given = Stand { epoch, ..Stand::START };
        self.ahead = self.given.clone();
    }

    fn own_state(&mut self) -> Result<State, DatasetError> {
        if self.options.shuffles() {
            self.draw_seed()?;
        }
        let chunks = self.index()?.map(|index| index.digest);
        Ok(State::new(self.files.marks(self.options.interrupt.as_ref())?, &self.options, self.seed, chunks))
    }
}

impl<C: Conversion> Drop for Iteration<C> {
    fn drop(&mut self) {
        self.close();
    }
}
