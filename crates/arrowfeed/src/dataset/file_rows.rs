//! The rows of the batches of files, epoch after epoch, with a resumable position.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{FileSet, Pool};
use arrowfeed_source::{FeedError, FeedErrorKind, Report, thousands};

use super::chunk_index::ChunkIndex;
use super::epoch::{Epoch, EpochInputs, EpochPosition};
use super::epoch_rows::EpochRows;
use super::indexed::Indexed;
use super::iteration::{BatchRows, Started};
use super::options::{FileMatch, IterationOptions};
use super::pieces::RowPosition;
use super::random::random_seed;
use super::reported::{Counted, ReportLog, ReportMark};
use super::rows::{Rows, Step};
use super::shuffled::AfterShuffled;
use super::state::{SavedPosition, State, check_epoch};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The rows of the batches of files.
pub(super) struct FileRows {
    files: Arc<Indexed>,
    options: IterationOptions,
    /// Whether batches are converted ahead of the caller.
    converts_ahead: bool,
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
    /// The rows of the current epoch, if it was read from its first row on.
    epoch_rows: Option<EpochRows>,
    /// The last rows of the previous epoch, which do not fill a batch yet.
    carried_rows: Option<RecordBatch>,
    /// Whether the last rows of all epochs were dropped, because they do not fill a batch.
    dropped_rows: bool,
    /// The position after the last batch that was started.
    started_position: Progress,
    /// The position after each batch that was started but not yielded yet.
    started_positions: VecDeque<Progress>,
    /// The position after the last batch that was yielded.
    yielded_position: Progress,
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

impl Progress {
    const START: Self =
        Self { epoch: 0, place: EpochPosition::Start, rows: 0, batches: 0, counted: ReportMark::NONE };
}

impl FileRows {
    /// `converts`: each batch is converted with enough work to run on a worker.
    pub(super) fn new(
        files: Arc<Indexed>,
        options: IterationOptions,
        converts: bool,
    ) -> Result<Self, FeedError> {
        options.check()?;
        // Resolved once: the number depends on the calling thread, and may change during an epoch.
        let thread_count = options.thread_count();
        let threads = NonZeroUsize::new(thread_count);
        let options = IterationOptions { threads, ..options };
        let start = Progress { epoch: options.start_epoch, ..Progress::START };
        Ok(Self {
            files,
            seed: options.seed,
            options,
            converts_ahead: converts && thread_count > 1,
            requesting: None,
            index: None,
            pool: None,
            reading: None,
            following: None,
            report: ReportLog::default(),
            epoch_rows: None,
            carried_rows: None,
            dropped_rows: false,
            started_position: start.clone(),
            started_positions: VecDeque::new(),
            yielded_position: start,
        })
    }

    /// The counts of one of several datasets, see [`BatchRows::uncounted`].
    pub(super) fn uncounted_alone(&self, counted: &mut Counted) -> Report {
        let at = &self.yielded_position;
        Report { rows: at.rows, ..self.report.uncounted(&at.counted, counted) }
    }

    /// The rows of the next batch, which begins at the started position.
    fn next_rows(&mut self, wait: bool) -> Result<Started, DatasetError> {
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
                    if let Some(epoch) = &mut self.epoch_rows {
                        epoch.taken += rows.len() as u64;
                    }
                    let rows = rows.after(self.carried_rows.take())?;
                    let count = rows.len();
                    let gives = count == self.options.batch_size || self.gives_short();
                    self.started_position.batches += u64::from(gives || self.options.across_epochs);
                    if gives {
                        self.started_position.place = at;
                        self.started_position.rows += count as u64;
                        self.started_position.counted = self.report.counted();
                        return Ok(Started::Batch(rows));
                    }
                    if self.options.across_epochs {
                        self.carried_rows = Some(rows.into_batch()?);
                    }
                }
                Step::Pending => return Ok(Started::Pending),
                Step::End => {
                    self.reading = None;
                    self.check_epoch_rows()?;
                    // Without a limit on epochs, epochs that yield no batch would repeat forever.
                    let empty = self.started_position.batches == 0
                        && matches!(self.started_position.place, EpochPosition::Start);
                    let ended = empty && self.options.epochs.is_none();
                    let (epoch, rows) = (self.started_position.next_epoch(), self.started_position.rows);
                    let counted = self.report.counted();
                    self.started_position =
                        Progress { epoch, place: EpochPosition::Start, rows, batches: 0, counted };
                    if ended {
                        break;
                    }
                }
            }
        }
        // Rows remain if the last epochs had no rows to fill their batch.
        let carried = self.carried_rows.take();
        self.dropped_rows = carried.is_some() && self.options.drop_remainder;
        match carried.filter(|_| !self.options.drop_remainder) {
            Some(carried) => {
                self.started_position.rows += carried.num_rows() as u64;
                self.started_position.counted = self.report.counted();
                Ok(Started::Batch(Rows::Whole(carried)))
            }
            None => Ok(Started::Over),
        }
    }

    fn is_over(&self) -> bool {
        self.options.end_epoch().is_some_and(|end| self.started_position.epoch >= end)
    }

    /// Whether the last rows of this epoch are yielded as a batch even if they do not fill it.
    fn gives_short(&self) -> bool {
        let is_last = self.options.end_epoch().is_some_and(|end| self.started_position.next_epoch() == end);
        !self.options.drop_remainder && (is_last || !self.options.across_epochs)
    }

    /// Takes or starts the epoch whose first batch is next.
    fn next_epoch(&mut self) -> Result<Epoch, FeedError> {
        self.options.ask()?;
        let carried = self.carried_rows.as_ref().map_or(0, RecordBatch::num_rows);
        let mut epoch = match self.following.take() {
            Some(epoch) => epoch,
            None => {
                let (number, place) = (self.started_position.epoch, self.started_position.place.clone());
                self.start_epoch(number, place, carried as u64)?
            }
        };
        let starts = matches!(self.started_position.place, EpochPosition::Start);
        self.epoch_rows = starts.then(|| EpochRows { taken: 0, rejected_before: self.report.rejected() });
        epoch.begin(self.options.batch_size - carried, self.options.decoded_bytes(self.converts_ahead));
        Ok(epoch)
    }

    /// Checks the numbers of rows and batches of an epoch that has ended.
    fn check_epoch_rows(&mut self) -> Result<(), FeedError> {
        let (Some(rows), Some(expected)) = (self.epoch_rows.take(), self.files.known_rows(&self.options))
        else {
            return Ok(());
        };
        let (report, options) = (&self.report, &self.options);
        rows.check(expected, report.rejected(), report.has_skipped())?;
        let batches = options.batches_of(rows.taken);
        if !options.across_epochs && self.started_position.batches != batches {
            return Err(FeedError::defect(format!(
                "expected a number of {} batches in an epoch, found {}",
                thousands(batches),
                thousands(self.started_position.batches)
            )));
        }
        Ok(())
    }

    /// Starts the next epoch once all work of the current one is scheduled, so that no thread is idle at its end.
    fn follow(&mut self, reading: &Epoch) -> Result<(), FeedError> {
        let next = self.started_position.next_epoch();
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
        let (by_caller, options) = (self.files.files.format().is_decoded_by_caller(), self.options.clone());
        let workers = options.workers(by_caller, || self.pool())?;
        let files = self.requesting.get_or_insert_with(|| self.files.files.for_reading());
        let inputs = EpochInputs { files, index, options: &self.options, workers, seed };
        Epoch::start(inputs, number, at, carried)
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
        if self.started_position.rows == self.yielded_position.rows {
            self.yielded_position.counted = self.report.counted();
        }
        Ok(index)
    }

    fn draw_seed(&mut self) -> Result<u64, FeedError> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        Ok(*self.seed.insert(random_seed()?))
    }

    /// The position after the last batch that was yielded.
    pub(super) fn progress(&self) -> Progress {
        self.yielded_position.clone()
    }

    /// A position that [`progress`](Self::progress) returned since the last state was loaded, as JSON.
    pub(super) fn state_at(&mut self, at: &Progress) -> Result<String, DatasetError> {
        let mut state = self.own_state(false)?;
        let files = self.files.counted_files();
        state.place = match &at.place {
            EpochPosition::Start => SavedPosition::Start,
            EpochPosition::Row(after) => SavedPosition::row(*after, &files)?,
            EpochPosition::Window(after) => SavedPosition::window(after.clone(), &files),
        };
        (state.epoch, state.report) = (at.epoch, (&self.report.up_to(&at.counted, at.rows)).into());
        Ok(state.to_json())
    }

    /// The state at the first row. `reads_contents`: see [`Indexed::saved_files`].
    fn own_state(&mut self, reads_contents: bool) -> Result<State, DatasetError> {
        if self.options.shuffles() {
            self.draw_seed()?;
        }
        let chunks = match self.files.needs_index(&self.options) {
            true => Some(self.index()?.digest(&self.files.counted_files())),
            false => None,
        };
        let interrupt = self.options.interrupt.as_ref();
        let files = self.files.saved_files(chunks.is_some(), reads_contents, interrupt)?;
        let mut state = State::new(files, &self.options, self.seed, chunks);
        state.options.split = self.files.shown_restrictions();
        Ok(state)
    }
}

impl BatchRows for FileRows {
    fn schema(&self) -> SchemaRef {
        self.files.files.schema().clone()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn formats(&self) -> Vec<&'static str> {
        vec![self.files.format_name()]
    }

    fn epoch(&self) -> Option<u64> {
        Some(self.yielded_position.epoch)
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn gathers(&self) -> bool {
        self.options.shuffles()
    }

    fn pool(&mut self) -> Result<Arc<Pool>, FeedError> {
        let pool = match &self.pool {
            Some(pool) => pool,
            None => self.pool.insert(Arc::new(Pool::start(self.options.thread_count())?)),
        };
        Ok(pool.clone())
    }

    fn start(&mut self, wait: bool) -> Result<Started, DatasetError> {
        let started = self.next_rows(wait)?;
        if let Started::Batch(_) = started {
            self.started_positions.push_back(self.started_position.clone());
        }
        Ok(started)
    }

    fn yield_started(&mut self) {
        if let Some(position) = self.started_positions.pop_front() {
            self.yielded_position = position;
        }
    }

    fn end(&mut self, is_over: bool) {
        // With more epochs, a resumed iteration yields the rows that this one drops.
        if is_over && !self.dropped_rows {
            self.yielded_position = self.started_position.clone();
        }
        self.yielded_position.counted = self.report.counted();
    }

    fn close(&mut self) {
        if let Some(files) = self.requesting.take() {
            // Otherwise the shutdown would wait for threads that wait for a response.
            files.cancel_requests();
        }
        (self.reading, self.following, self.carried_rows, self.pool) = (None, None, None, None);
        self.started_positions.clear();
    }

    fn report(&self) -> Report {
        self.report.up_to(&self.yielded_position.counted, self.yielded_position.rows)
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(1, Counted::default());
        self.uncounted_alone(&mut counted[0])
    }

    fn state(&mut self) -> Result<String, DatasetError> {
        self.state_at(&self.progress())
    }

    fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        let mut state = State::from_json(state)?;
        let own = self.own_state(how == FileMatch::Contents)?;
        let files = self.files.counted_files();
        state.check(&own, self.options.seed, &files, how)?;
        state.place = state.place.in_set(&files);
        check_epoch(state.epoch, &self.options)?;
        if self.files.needs_index(&self.options) {
            let index = self.index()?;
            state.place.check_in(&index, &self.options, (state.seed.unwrap_or(0), state.epoch))?;
        }
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
        self.close();
        let report: Report = state.report.into();
        self.seed = state.seed;
        self.report = ReportLog::default();
        let rows = report.rows;
        self.report.add(report);
        let counted = self.report.counted();
        self.yielded_position = Progress { epoch: state.epoch, place, rows, batches: 0, counted };
        self.started_position = self.yielded_position.clone();
        Ok(())
    }

    /// The option `epochs` also counts the epochs from `start_epoch` on that are before it.
    fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.yielded_position = Progress { epoch, ..Progress::START };
        self.started_position = self.yielded_position.clone();
    }
}
