//! Iteration over the batches of a dataset, epoch after epoch, with a conversion of each batch and a resumable
//! position.
//!
//! ```text
//! Epoch ──rows──> produce ──> MapStage ──> next
//!        (ahead: last batch started) (given: last batch yielded)
//! ```
//! With several threads, batches are started before the caller requests them. The state and the report that the caller
//! sees are those of the last batch yielded.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{FileSet, MapStage, Pool, Workers};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Report};
use rand::TryRng;
use rand::rngs::SysRng;

use super::chunk_index::ChunkIndex;
use super::epoch::{Epoch, EpochPosition, Reading, Step};
use super::indexed::Indexed;
use super::options::IterationOptions;
use super::pieces::RowPosition;
use super::reported::{Counted, ReportLog, ReportMark};
use super::rows::Rows;
use super::selection::shown_splits;
use super::shuffled::AfterShuffled;
use super::state::{SavedPosition, State};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Conversion that is applied to each batch.
pub(super) trait Conversion: Send + Sync + 'static {
    type Output: Send + 'static;

    /// Whether the conversion takes enough work to run on a worker.
    const TAKES_WORK: bool;

    fn convert(&self, batch: RecordBatch) -> Result<Self::Output, DatasetError>;

    /// Memory of an output in bytes.
    fn bytes(output: &Self::Output) -> usize;
}

/// Iterator over the converted batches of a dataset.
///
/// After an error the iteration ends, and its state is that of the last batch.
pub(super) struct Iteration<C: Conversion> {
    files: Arc<Indexed>,
    options: IterationOptions,
    conversion: Arc<C>,
    /// The files with the store requests of this iteration. Created with the first epoch.
    requesting: Option<Arc<FileSet>>,
    /// Created when it is first needed, if the order needs it.
    index: Option<Arc<ChunkIndex>>,
    /// Seed of the shuffle. Drawn at random with the first batch if the caller has set none.
    seed: Option<u64>,
    /// Started with the first batch, if there are several threads or one that decodes ahead.
    pool: Option<Arc<Pool>>,
    /// The current epoch, and the next one if it has been started.
    reading: Option<Epoch>,
    following: Option<Epoch>,
    /// Counts of what has been read and skipped, including those of a loaded state.
    report: ReportLog,
    /// The last rows of the previous epoch, which do not fill a batch yet.
    held: Option<RecordBatch>,
    /// The position after the last batch that was started.
    ahead: Progress,
    /// Batches that were started but not yielded yet. `stands` has the position after each of them.
    begun: Option<MapStage<Result<C::Output, DatasetError>>>,
    stands: VecDeque<Progress>,
    /// Set when no more batches can be started.
    end: Option<End>,
    /// The position after the last batch that was yielded.
    given: Progress,
    /// Estimated bytes of a full converted batch, from the last one yielded.
    bytes: usize,
    closed: bool,
}

/// Position and counts of an iteration after a batch.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    /// Epoch, and position in it after the last batch.
    epoch: u64,
    place: EpochPosition,
    rows: u64,
    /// Number of batches in the epoch.
    batches: u64,
    counted: ReportMark,
}

impl Progress {
    /// The number of the epoch after this one. The last number repeats.
    fn next_epoch(&self) -> u64 {
        self.epoch.saturating_add(1)
    }
}

/// Reason why no more batches can be started.
enum End {
    Over,
    Failed(DatasetError),
}

/// Result of producing the next batch.
enum Produced {
    Batch(Rows, Progress),
    Pending,
    Over,
}

impl Progress {
    const START: Self =
        Self { epoch: 0, place: EpochPosition::Start, rows: 0, batches: 0, counted: ReportMark::NONE };
}

impl<C: Conversion> Iteration<C> {
    pub(super) fn new(
        files: Arc<Indexed>,
        options: IterationOptions,
        conversion: C,
    ) -> Result<Self, FeedError> {
        options.check()?;
        // Resolved once: the number depends on the calling thread, and may change during an epoch.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        let start = Progress { epoch: options.start_epoch, ..Progress::START };
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
            report: ReportLog::default(),
            held: None,
            ahead: start.clone(),
            begun: None,
            stands: VecDeque::new(),
            end: None,
            given: start,
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

    /// Counts of what has been read and skipped up to the last batch yielded.
    pub(super) fn report(&self) -> Report {
        self.report.up_to(&self.given.counted, self.given.rows)
    }

    /// See [`AnyIteration::uncounted`](super::any_iteration::AnyIteration::uncounted).
    pub(super) fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(1, Counted::default());
        self.uncounted_alone(&mut counted[0])
    }

    /// As [`uncounted`](Self::uncounted), for one of several datasets.
    pub(super) fn uncounted_alone(&self, counted: &mut Counted) -> Report {
        Report { rows: self.given.rows, ..self.report.uncounted(&self.given.counted, counted) }
    }

    /// Ends the iteration and its threads.
    pub(super) fn close(&mut self) {
        if let Some(files) = self.requesting.take() {
            // Otherwise the shutdown would wait for threads that wait for a response.
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

    /// Whether another batch may be started. One batch may always be in flight, further ones only within the memory
    /// limits.
    fn has_room(&self) -> bool {
        let waiting = self.stands.len();
        let bytes = (waiting + 1).saturating_mul(self.bytes);
        let converts = C::TAKES_WORK || self.options.shuffles();
        let may_wait = converts && self.bytes > 0 && bytes <= self.options.begun_bytes();
        self.end.is_none() && (waiting == 0 || (waiting < 2 * self.options.thread_count() && may_wait))
    }

    /// Starts the next batch, if its rows are available or if `wait` is set. Returns whether it is useful to start
    /// another one: false if there was no batch to start, or if the batch needs no work.
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

    /// Produces the rows of the next batch, which begins at the position `ahead`.
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
                    // Without a limit on epochs, epochs that yield no batch would repeat forever.
                    let empty = self.ahead.batches == 0 && matches!(self.ahead.place, EpochPosition::Start);
                    let ended = empty && self.options.epochs.is_none();
                    let (epoch, rows) = (self.ahead.next_epoch(), self.ahead.rows);
                    let counted = self.report.counted();
                    self.ahead = Progress { epoch, place: EpochPosition::Start, rows, batches: 0, counted };
                    if ended {
                        break;
                    }
                }
            }
        }
        // Rows remain if the last epochs had no rows to fill their batch.
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
        self.options.end_epoch().is_some_and(|end| self.ahead.epoch >= end)
    }

    /// Whether the last rows of this epoch are yielded as a batch even if they do not fill it.
    fn gives_short(&self) -> bool {
        let is_last = self.options.end_epoch().is_some_and(|end| self.ahead.next_epoch() == end);
        !self.options.drop_remainder && (is_last || !self.options.across_epochs)
    }

    /// Takes or starts the epoch whose first batch is next.
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

    /// Starts the next epoch once all work of the current one is scheduled, so that no thread is idle at its end.
    fn follow(&mut self, reading: &Epoch) -> Result<(), FeedError> {
        let next = self.ahead.next_epoch();
        let is_last = self.options.end_epoch().is_some_and(|end| next >= end);
        let Some(carried) = reading.planned().filter(|_| !is_last && self.following.is_none()) else {
            return Ok(());
        };
        let carried = if self.options.across_epochs { carried } else { 0 };
        match self.start_epoch(next, EpochPosition::Start, carried) {
            Ok(epoch) => self.following = Some(epoch),
            Err(error) if error.kind() == FeedErrorKind::Interrupted => return Err(error),
            // The error is returned when the epoch is started in its turn.
            Err(_) => {}
        }
        Ok(())
    }

    fn start_epoch(&mut self, number: u64, at: EpochPosition, carried: u64) -> Result<Epoch, FeedError> {
        let is_resumed = matches!(at, EpochPosition::Row(_));
        let needs_index = self.files.needs_index(&self.options) || is_resumed && self.options.ends_early();
        let index = if needs_index { Some(self.index()?) } else { None };
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

    fn index(&mut self) -> Result<Arc<ChunkIndex>, FeedError> {
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
        Ok(index)
    }

    fn draw_seed(&mut self) -> Result<u64, FeedError> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        let seed = SysRng.try_next_u64().map_err(|error| FeedError::io(std::io::Error::other(error)))?;
        self.seed = Some(seed);
        Ok(seed)
    }

    /// The position after the last batch that was yielded.
    pub(super) fn progress(&self) -> Progress {
        self.given.clone()
    }

    /// The position of the iteration after the last batch that was yielded, as JSON.
    pub(super) fn state(&mut self) -> Result<String, DatasetError> {
        self.state_at(&self.progress())
    }

    /// A position that [`progress`](Self::progress) returned since the last state was loaded, as JSON.
    pub(super) fn state_at(&mut self, at: &Progress) -> Result<String, DatasetError> {
        let mut state = self.own_state()?;
        state.place = match &at.place {
            EpochPosition::Start => SavedPosition::Start,
            EpochPosition::Row(after) => SavedPosition::row(*after, &self.files.files)?,
            EpochPosition::Window(after) => SavedPosition::window(after.clone()),
        };
        (state.epoch, state.report) = (at.epoch, (&self.report.up_to(&at.counted, at.rows)).into());
        Ok(state.to_json())
    }

    /// Resumes after the last batch before the state was taken. Batches that this iteration has yielded do not matter.
    pub(super) fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = State::from_json(state)?;
        let own = self.own_state()?;
        state.check(&own, self.options.seed, &self.files.files)?;
        let place = match state.place {
            SavedPosition::Start => EpochPosition::Start,
            SavedPosition::Row { file, chunk, offset, row, .. } => {
                EpochPosition::Row(RowPosition { file, chunk, offset, row })
            }
            SavedPosition::Window { window, passed, left_out } => {
                EpochPosition::Window(AfterShuffled { window, passed, left_out })
            }
        };
        if matches!(place, EpochPosition::Window(_)) && !self.options.shuffles()
            || matches!(place, EpochPosition::Row(_)) && self.options.shuffles()
        {
            return Err(StateError::new(
                StateErrorKind::Invalid,
                "a position in this order",
                "a position in a different order",
            )
            .into());
        }
        // No threads are kept: a state may be loaded long before the next batch is requested.
        self.close();
        let report: Report = state.report.into();
        (self.seed, self.closed) = (state.seed, false);
        self.report = ReportLog::default();
        let rows = report.rows;
        self.report.add(report);
        let counted = self.report.counted();
        self.given = Progress { epoch: state.epoch, place, rows, batches: 0, counted };
        self.ahead = self.given.clone();
        Ok(())
    }

    /// Starts at this epoch. The option `epochs` also counts the epochs from `start_epoch` on that are before it.
    pub(super) fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.closed = false;
        self.given = Progress { epoch, ..Progress::START };
        self.ahead = self.given.clone();
    }

    fn own_state(&mut self) -> Result<State, DatasetError> {
        if self.options.shuffles() {
            self.draw_seed()?;
        }
        let chunks = if self.files.needs_index(&self.options) { Some(self.index()?.digest) } else { None };
        let mut state =
            State::new(self.files.marks(self.options.interrupt.as_ref())?, &self.options, self.seed, chunks);
        state.options.split = shown_splits(&self.files.splits);
        Ok(state)
    }
}

impl<C: Conversion> Drop for Iteration<C> {
    fn drop(&mut self) {
        self.close();
    }
}
