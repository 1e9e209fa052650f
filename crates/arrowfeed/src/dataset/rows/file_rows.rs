//! The rows of the batches of files, epoch after epoch, with a resumable position.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{FileSet, Pool};
use arrowfeed_source::{FeedError, FeedErrorKind, Report, thousands};

use super::epoch::{Epoch, EpochInputs, EpochPosition};
use super::epoch_rows::EpochRows;
use super::gather::{Rows, Step};
use super::shuffled::window_sizes;
use super::source::{Ledger, RowSource, Started, pool_of};
use crate::dataset::files::chunk_index::{ChunkIndex, RowPosition};
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::files::indexed::Indexed;
use crate::dataset::options::IterationOptions;
use crate::dataset::random::random_seed;
use crate::dataset::state::checkpoint::{Checkpoint, SavedSource, check_epoch, within_epochs};
use crate::dataset::state::counts::Counts;
use crate::dataset::state::position::{EpochPlace, Place, Position, WindowPlace};
use crate::dataset::state::reported::{Counted, ReportLog, ReportMark};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The rows of the batches of files.
pub(crate) struct FileRows {
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
    at: Ledger<Progress>,
}

/// Position and counts of an iteration after a batch.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// Epoch, and position in it after the last batch.
    epoch: u64,
    place: EpochPosition,
    rows: u64,
    /// Number of batches in the epoch.
    batches: u64,
    counted: ReportMark,
}

impl Progress {
    const START: Self =
        Self { epoch: 0, place: EpochPosition::Start, rows: 0, batches: 0, counted: ReportMark::NONE };

    /// The number of the epoch after this one. The last number repeats.
    fn next_epoch(&self) -> u64 {
        self.epoch.saturating_add(1)
    }
}

impl FileRows {
    /// `converts`: each batch is converted with enough work to run on a worker.
    pub(crate) fn new(
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
            at: Ledger::new(start),
        })
    }

    /// The counts of one of several datasets, see [`RowSource::uncounted`].
    pub(crate) fn uncounted_alone(&self, counted: &mut Counted) -> Report {
        let at = &self.at.yielded;
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
                    self.at.started.batches += u64::from(gives || self.options.across_epochs);
                    if gives {
                        self.at.started.place = at;
                        self.at.started.rows += count as u64;
                        self.at.started.counted = self.report.counted();
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
                    let empty =
                        self.at.started.batches == 0 && matches!(self.at.started.place, EpochPosition::Start);
                    let ended = empty && self.options.epochs.is_none();
                    let (epoch, rows) = (self.at.started.next_epoch(), self.at.started.rows);
                    let counted = self.report.counted();
                    self.at.started =
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
                self.at.started.rows += carried.num_rows() as u64;
                self.at.started.counted = self.report.counted();
                Ok(Started::Batch(Rows::Whole(carried)))
            }
            None => Ok(Started::Over),
        }
    }

    fn is_over(&self) -> bool {
        self.options.end_epoch().is_some_and(|end| self.at.started.epoch >= end)
    }

    /// Whether the last rows of this epoch are yielded as a batch even if they do not fill it.
    fn gives_short(&self) -> bool {
        let is_last = self.options.end_epoch().is_some_and(|end| self.at.started.next_epoch() == end);
        !self.options.drop_remainder && (is_last || !self.options.across_epochs)
    }

    /// Takes or starts the epoch whose first batch is next.
    fn next_epoch(&mut self) -> Result<Epoch, FeedError> {
        self.options.ask()?;
        let carried = self.carried_rows.as_ref().map_or(0, RecordBatch::num_rows);
        let mut epoch = match self.following.take() {
            Some(epoch) => epoch,
            None => {
                let (number, place) = (self.at.started.epoch, self.at.started.place.clone());
                self.start_epoch(number, place, carried as u64)?
            }
        };
        let starts = matches!(self.at.started.place, EpochPosition::Start);
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
        if !options.across_epochs && self.at.started.batches != batches {
            return Err(FeedError::defect(format!(
                "expected a number of {} batches in an epoch, found {}",
                thousands(batches),
                thousands(self.at.started.batches)
            )));
        }
        Ok(())
    }

    /// Starts the next epoch once all work of the current one is scheduled, so that no thread is idle at its end.
    fn follow(&mut self, reading: &Epoch) -> Result<(), FeedError> {
        let next = self.at.started.next_epoch();
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
        if self.at.started.rows == self.at.yielded.rows {
            self.at.yielded.counted = self.report.counted();
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
    pub(crate) fn progress(&self) -> Progress {
        self.at.yielded.clone()
    }

    /// A position that [`progress`](Self::progress) returned since the last checkpoint was loaded, and its counts.
    pub(crate) fn place_of(&self, at: &Progress) -> Result<(EpochPlace, Counts), DatasetError> {
        let files = self.files.counted_files();
        let place = match &at.place {
            EpochPosition::Start => Place::Start,
            EpochPosition::Row(after) => Place::row(*after, &files)?,
            EpochPosition::Window(after) => Place::window(after.clone(), &files),
        };
        let counts = (&self.report.up_to(&at.counted, at.rows)).into();
        Ok((EpochPlace { epoch: at.epoch, place }, counts))
    }

    /// The files, and the rows of them that are read. `reads_contents`: see [`Indexed::saved_files`].
    pub(crate) fn saved_source(&mut self, reads_contents: bool) -> Result<SavedSource, FeedError> {
        let chunks = match self.files.needs_index(&self.options) {
            true => Some(self.index()?.digest(&self.files.counted_files())),
            false => None,
        };
        let interrupt = self.options.interrupt.as_ref();
        let files = self.files.saved_files(chunks.is_some(), reads_contents, interrupt)?;
        Ok(SavedSource::new(files, chunks, &self.options.rows, self.files.shown_restrictions()))
    }

    /// Resumes at a position. `saved_epochs`: the number of epochs of the iteration that saved it.
    pub(crate) fn resume_at(
        &mut self,
        at: &EpochPlace,
        counts: &Counts,
        seed: Option<u64>,
        saved_epochs: Option<u64>,
    ) -> Result<(), DatasetError> {
        let epochs = self.options.epochs.map(u64::from);
        if epochs != saved_epochs {
            let begun = at.epoch.saturating_sub(self.options.start_epoch);
            within_epochs(epochs, begun.saturating_add(u64::from(at.place != Place::Start)), at.epoch)?;
        }
        check_epoch(at.epoch, &self.options)?;
        let place = self.position_of(at, seed)?;
        self.close();
        self.seed = seed;
        self.report = ReportLog::default();
        self.report.add(counts.clone().into());
        let counted = self.report.counted();
        self.at = Ledger::new(Progress { epoch: at.epoch, place, rows: counts.rows, batches: 0, counted });
        Ok(())
    }

    /// A position of a checkpoint, with the numbers that its files have in the set.
    fn position_of(&mut self, at: &EpochPlace, seed: Option<u64>) -> Result<EpochPosition, DatasetError> {
        let index = if self.files.needs_index(&self.options) { Some(self.index()?) } else { None };
        let files = self.files.counted_files();
        let in_set = |file: usize| files.in_set().get(file).copied();
        match (&at.place, self.options.shuffles()) {
            (Place::Start, _) => Ok(EpochPosition::Start),
            (&Place::Row { file, chunk, offset, row, .. }, false) => {
                let after = RowPosition { file: in_set(file).unwrap_or(file), chunk, offset, row };
                index.map_or(Ok(()), |index| check_row(&index, after))?;
                Ok(EpochPosition::Row(after))
            }
            (Place::Window(after), true) => {
                let order = (seed.unwrap_or(0), at.epoch);
                index.map_or(Ok(()), |index| check_window(after, &index, &self.options, order))?;
                let left_out = after.left_out.iter().copied().filter_map(in_set).collect();
                Ok(EpochPosition::Window(WindowPlace { left_out, ..after.clone() }))
            }
            _ => Err(Position::other_kind().into()),
        }
    }
}

/// Checks that the index has a row.
fn check_row(index: &ChunkIndex, at: RowPosition) -> Result<(), StateError> {
    let RowPosition { file, chunk, offset, row } = at;
    let found = index.nth_chunk(file, offset).map(|nth_chunk| index.chunks(file)[nth_chunk]);
    if found.is_some_and(|found| found.number == chunk && row <= found.rows) {
        return Ok(());
    }
    let found = format!("row {row} of block {chunk} at byte {offset} of file {file}");
    Err(StateError::new(StateErrorKind::Invalid, "a row of a block of the index", found))
}

/// Checks that the order of an epoch has a position.
fn check_window(
    at: &WindowPlace,
    index: &ChunkIndex,
    options: &IterationOptions,
    order: (u64, u64),
) -> Result<(), StateError> {
    let sizes = window_sizes(index, options, order);
    let beyond = |expected: String, found: String| StateError::new(StateErrorKind::Invalid, expected, found);
    match usize::try_from(at.window).ok().and_then(|window| sizes.get(window)) {
        Some(rows) if at.passed as u64 <= *rows => Ok(()),
        Some(rows) => {
            Err(beyond(format!("a position of up to {rows} rows in a window"), at.passed.to_string()))
        }
        None => Err(beyond(format!("a window below {}", sizes.len()), at.window.to_string())),
    }
}

impl RowSource for FileRows {
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
        Some(self.at.yielded.epoch)
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn gathers(&self) -> bool {
        self.options.shuffles()
    }

    fn pool(&mut self) -> Result<Arc<Pool>, FeedError> {
        pool_of(&mut self.pool, &self.options)
    }

    fn start(&mut self, wait: bool) -> Result<Started, DatasetError> {
        let started = self.next_rows(wait)?;
        if let Started::Batch(_) = started {
            self.at.start_batch();
        }
        Ok(started)
    }

    fn yield_started(&mut self) {
        self.at.yield_batch();
    }

    fn end(&mut self, is_over: bool) {
        // With more epochs, a resumed iteration yields the rows that this one drops.
        if is_over && !self.dropped_rows {
            self.at.end();
        }
        self.at.yielded.counted = self.report.counted();
    }

    fn close(&mut self) {
        if let Some(files) = self.requesting.take() {
            // Otherwise the shutdown would wait for threads that wait for a response.
            files.cancel_requests();
        }
        (self.reading, self.following, self.carried_rows, self.pool) = (None, None, None, None);
        self.at.discard();
    }

    fn report(&self) -> Report {
        self.report.up_to(&self.at.yielded.counted, self.at.yielded.rows)
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(1, Counted::default());
        self.uncounted_alone(&mut counted[0])
    }

    fn files(&self) -> Vec<CountedFiles<'_>> {
        vec![self.files.counted_files()]
    }

    fn checkpoint(&mut self, reads_contents: bool) -> Result<Checkpoint, DatasetError> {
        if self.options.shuffles() {
            self.draw_seed()?;
        }
        let sources = vec![self.saved_source(reads_contents)?];
        let (place, counts) = self.place_of(&self.at.yielded)?;
        let position = Position::Epochs(place);
        Ok(Checkpoint::new(&self.options, self.seed, None, sources, position, counts))
    }

    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError> {
        let Position::Epochs(place) = &at.position else { return Err(Position::other_kind().into()) };
        self.resume_at(place, &at.report, at.seed, at.epochs())
    }

    /// The option `epochs` also counts the epochs from `start_epoch` on that are before it.
    fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.at = Ledger::new(Progress { epoch, ..Progress::START });
    }
}
