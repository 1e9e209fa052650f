//! The rows of global batches: batches that several processes make together, of files or of a mixture.
//!
//! ```text
//! stream 0: StreamReader ──┐
//! stream 1: StreamReader ──┼─ the same number of rows of each ──> Gather
//! stream 2: StreamReader ──┘
//! ```
//! A position is the number of an epoch and of a batch, whatever the number of processes. A mixture draws the dataset of
//! each row of a stream.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_source::{FeedError, Report};

use super::chunk_index::ChunkIndex;
use super::global_plan::GlobalPlan;
use super::global_reading::GlobalReading;
use super::global_state::{GlobalState, Source};
use super::iteration::{BatchRows, Started};
use super::mixed::{Mixed, check_mixed_rows};
use super::options::{COMMON_SEED, FileMatch, GlobalBatches, IterationOptions};
use super::random::random_seed;
use super::reported::{Counted, ReportLog, ReportMark};
use super::rows::{Gather, Rows};
use super::selected_files::SelectedFiles;
use super::stream_laps::StreamLaps;
use super::stream_reader::{StreamReader, StreamStart};
use crate::error::DatasetError;

/// The rows of global batches.
pub(super) struct GlobalRows {
    datasets: Vec<SelectedFiles>,
    /// The weights of the datasets of a mixture. `None`: one dataset.
    weights: Option<Vec<f64>>,
    schema: SchemaRef,
    /// `batch_size` is the number of rows of this process in a batch.
    options: IterationOptions,
    global: GlobalBatches,
    indexes: Option<Vec<Arc<ChunkIndex>>>,
    /// Drawn with the first batch if the caller has set none: at random for a shuffle.
    seed: Option<u64>,
    pool: Option<Arc<Pool>>,
    reading: Option<GlobalReading>,
    report: ReportLog,
    /// The epoch with which batches are counted that may have rows of several epochs.
    first_epoch: u64,
    /// Number of batches of other processes before the next one, see [`GlobalBatches::turn`].
    others: u64,
    started_position: Progress,
    started_positions: VecDeque<Progress>,
    yielded_position: Progress,
}

/// Position and counts of an iteration after a batch.
#[derive(Debug, Clone)]
struct Progress {
    epoch: u64,
    /// Number of batches in the epoch before the position; of all epochs, if batches have rows of several ones.
    batch: u64,
    rows: u64,
    counted: ReportMark,
}

impl GlobalRows {
    pub(super) fn of_files(
        dataset: SelectedFiles,
        options: IterationOptions,
        global: GlobalBatches,
    ) -> Result<Self, FeedError> {
        let schema = dataset.schema().clone();
        Self::new(vec![dataset], None, schema, options, global)
    }

    pub(super) fn mixed(
        mixed: &Mixed,
        options: IterationOptions,
        global: GlobalBatches,
    ) -> Result<Self, FeedError> {
        check_mixed_rows(&options.rows)?;
        let (weights, schema) = (Some(mixed.weights.clone()), mixed.schema.clone());
        Self::new(mixed.datasets.clone(), weights, schema, options, global)
    }

    fn new(
        datasets: Vec<SelectedFiles>,
        weights: Option<Vec<f64>>,
        schema: SchemaRef,
        options: IterationOptions,
        global: GlobalBatches,
    ) -> Result<Self, FeedError> {
        options.check()?;
        // Resolved once: the number depends on the calling thread.
        let threads = NonZeroUsize::new(options.thread_count());
        let batch_size = usize::try_from(global.size as u64 / options.shard.1).unwrap_or(usize::MAX);
        let options = IterationOptions { threads, batch_size, ..options };
        let start = Progress { epoch: options.start_epoch, batch: 0, rows: 0, counted: ReportMark::NONE };
        Ok(Self {
            datasets,
            weights,
            schema,
            indexes: None,
            seed: options.seed,
            first_epoch: options.start_epoch,
            options,
            pool: None,
            reading: None,
            report: ReportLog::default(),
            others: global.turn.0,
            global,
            started_position: start.clone(),
            started_positions: VecDeque::new(),
            yielded_position: start,
        })
    }

    fn is_over(&self) -> bool {
        self.options.end_epoch().is_some_and(|end| self.started_position.epoch >= end)
    }

    /// The rows of the next batch of this process.
    fn next_rows(&mut self, wait: bool) -> Result<Started, DatasetError> {
        while !self.is_over() {
            let mut reading = match self.reading.take() {
                Some(reading) => reading,
                None => self.start_reading()?,
            };
            let next = self.compose(&mut reading, wait);
            self.report.add(reading.take_report());
            let next = next?;
            let is_continuous = self.plan(self.first_epoch).is_continuous();
            let reading = self.reading.insert(reading);
            match next {
                Composed::Pending => return Ok(Started::Pending),
                Composed::End => {
                    reading.check_end(self.started_position.batch, self.options.on_error)?;
                    // Without a limit on epochs, epochs that yield no batch would repeat forever.
                    let is_empty = self.started_position.batch == 0 && self.options.epochs.is_none();
                    if is_empty || is_continuous {
                        break;
                    }
                    reading.end_lap()?;
                    let Progress { epoch, rows, .. } = self.started_position;
                    let (epoch, counted) = (epoch.saturating_add(1), self.report.counted());
                    self.started_position = Progress { epoch, batch: 0, rows, counted };
                }
                Composed::Rows(count, gather) => {
                    self.started_position.batch += 1;
                    let Some(gather) = gather else {
                        self.others -= 1;
                        continue;
                    };
                    self.others = self.global.turn.1 - 1;
                    self.started_position.rows += count;
                    self.started_position.counted = self.report.counted();
                    return Ok(Started::Batch(Rows::Gathered(gather)));
                }
            }
        }
        Ok(Started::Over)
    }

    /// The rows of the next batch. Those of another process are passed over.
    fn compose(&self, reading: &mut GlobalReading, wait: bool) -> Result<Composed, DatasetError> {
        if reading.limit.is_some_and(|limit| self.started_position.batch >= limit) {
            return Ok(Composed::End);
        }
        let (streams, count) = (self.global.streams_of(self.options.shard), self.global.stream_rows());
        let streams = (streams.end - streams.start) as usize;
        if !reading.prepare(streams, count, wait)? {
            return Ok(Composed::Pending);
        }
        let mut gather = (self.others == 0).then(Gather::default);
        let shuffling = enter(Stage::Shuffle);
        let taken = reading.take(streams, count, gather.as_mut())?;
        drop(shuffling);
        let is_short = taken < self.options.batch_size as u64;
        let drops = self.options.drop_remainder || self.global.even.is_some();
        Ok(match taken == 0 || is_short && drops {
            true => Composed::End,
            false => Composed::Rows(taken, gather),
        })
    }

    /// Starts to read at the started position.
    fn start_reading(&mut self) -> Result<GlobalReading, DatasetError> {
        self.options.ask()?;
        let seed = match self.options.shuffles() || self.weights.is_some() {
            true => self.draw_seed()?,
            false => 0,
        };
        let indexes = self.indexes()?;
        let sizes = self.sizes(&indexes);
        let plan = self.plan(self.first_epoch);
        let Progress { epoch, batch, .. } = self.started_position;
        let first_epoch = if plan.is_continuous() { self.first_epoch } else { epoch };
        let (draws, rows) = plan.draws(seed, &sizes, batch)?;
        let (lengths, quota) = (plan.lengths(&sizes), plan.quota(&sizes));
        let batches = (plan.batches(&sizes), plan.own_batches(&sizes));
        let (laps, streams) = (plan.laps(first_epoch), self.global.streams_of(self.options.shard));
        let prefetch_bytes = self.options.decoded_bytes(true) / self.datasets.len();
        let schema = self.weights.is_some().then(|| self.schema.clone());
        let mut readers = Vec::with_capacity(self.datasets.len());
        for (nth, rows) in rows.into_iter().enumerate() {
            let by_caller = self.datasets[nth].files.files.format().is_decoded_by_caller();
            let options = self.datasets[nth].in_file_rows(self.options.clone());
            let workers = options.workers(by_caller, || self.pool())?;
            let (index, order) = (indexes[nth].clone(), (seed, first_epoch));
            let count = streams.end - streams.start;
            let windows = StreamLaps::new(index, options.clone(), lengths[nth], order, count);
            let batch_rows = self.global.stream_rows();
            let start = StreamStart { streams: streams.clone(), rows, laps, quota, batch_rows };
            let (files, options) = (&self.datasets[nth].files.files, (options, prefetch_bytes));
            readers.push(StreamReader::new(files, windows, options, schema.clone(), workers, start));
        }
        Ok(GlobalReading::new(readers, draws, batches))
    }

    /// Number of batches of this process in all epochs, if no row is skipped. `None`: without end.
    pub(super) fn num_batches(&mut self) -> Result<Option<u64>, FeedError> {
        let indexes = self.indexes()?;
        Ok(self.plan(self.first_epoch).num_batches(&self.sizes(&indexes)))
    }

    /// Number of rows of an epoch of each dataset.
    fn sizes(&self, indexes: &[Arc<ChunkIndex>]) -> Vec<u64> {
        let size = |(dataset, index): (&SelectedFiles, &Arc<ChunkIndex>)| {
            let rows = dataset.in_file_rows(self.options.clone()).selected_rows(index.rows());
            rows.end - rows.start
        };
        self.datasets.iter().zip(indexes).map(size).collect()
    }

    /// The division into batches, with the first epoch of batches that may have rows of several ones.
    fn plan(&self, first_epoch: u64) -> GlobalPlan<'_> {
        GlobalPlan {
            options: &self.options,
            global: &self.global,
            weights: self.weights.as_deref(),
            first_epoch,
        }
    }

    fn indexes(&mut self) -> Result<Vec<Arc<ChunkIndex>>, FeedError> {
        let indexes = match &self.indexes {
            Some(indexes) => indexes.clone(),
            None => {
                let mut indexes = Vec::with_capacity(self.datasets.len());
                for dataset in &self.datasets {
                    let (index, requests) = dataset.files.index(&self.options)?;
                    self.report.add_requests(requests);
                    indexes.push(index);
                }
                self.indexes.insert(indexes).clone()
            }
        };
        for index in &indexes {
            self.report.leave_out(index.skipped.clone());
        }
        if self.started_position.rows == self.yielded_position.rows {
            self.yielded_position.counted = self.report.counted();
        }
        Ok(indexes)
    }

    fn draw_seed(&mut self) -> Result<u64, FeedError> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        let seed = if self.options.shuffles() { random_seed()? } else { COMMON_SEED };
        Ok(*self.seed.insert(seed))
    }

    /// The state of an iteration at its first row.
    fn own_state(&mut self, indexes: &[Arc<ChunkIndex>]) -> Result<GlobalState, DatasetError> {
        if self.options.shuffles() || self.weights.is_some() {
            self.draw_seed()?;
        }
        let mut sources = Vec::with_capacity(self.datasets.len());
        for (dataset, index) in self.datasets.iter().zip(indexes) {
            let files = dataset.files.saved_files(true, false, self.options.interrupt.as_ref())?;
            let rows = dataset.in_file_rows(self.options.clone()).rows;
            let digest = index.digest(&dataset.files.counted_files());
            sources.push(Source::new(files, digest, rows, dataset.files.shown_restrictions()));
        }
        let weights = self.weights.as_ref().map(|weights| format!("{weights:?}"));
        Ok(GlobalState::new(&self.options, &self.global, weights, self.seed, sources))
    }
}

/// The rows of a batch.
enum Composed {
    /// Their number, and their locations unless they were passed over.
    Rows(u64, Option<Gather>),
    Pending,
    /// The end of the epoch, or of all epochs if batches have rows of several ones.
    End,
}

impl BatchRows for GlobalRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn formats(&self) -> Vec<&'static str> {
        self.datasets.iter().map(|dataset| dataset.files.format_name()).collect()
    }

    fn epoch(&self) -> Option<u64> {
        (!self.plan(self.first_epoch).is_continuous()).then_some(self.yielded_position.epoch)
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn gathers(&self) -> bool {
        true
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
        if is_over {
            self.yielded_position = self.started_position.clone();
        }
        self.yielded_position.counted = self.report.counted();
    }

    fn close(&mut self) {
        (self.reading, self.pool) = (None, None);
        self.started_positions.clear();
    }

    fn report(&self) -> Report {
        self.report.up_to(&self.yielded_position.counted, self.yielded_position.rows)
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(1, Counted::default());
        let at = &self.yielded_position;
        Report { rows: at.rows, ..self.report.uncounted(&at.counted, &mut counted[0]) }
    }

    fn state(&mut self) -> Result<String, DatasetError> {
        let indexes = self.indexes()?;
        let (own, sizes) = (self.own_state(&indexes)?, self.sizes(&indexes));
        let (at, plan) = (&self.yielded_position, self.plan(self.first_epoch));
        let epoch = if plan.is_continuous() { plan.epoch_of(at.batch, &sizes) } else { at.epoch };
        let report = self.report.up_to(&at.counted, at.rows);
        Ok(own.at((epoch, at.batch), self.first_epoch, &report).to_json())
    }

    fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        let state = GlobalState::from_json(state)?;
        let indexes = self.indexes()?;
        let own = self.own_state(&indexes)?;
        let files = self.datasets.iter().map(|dataset| dataset.files.counted_files());
        state.check(&own, self.options.seed, files, how)?;
        let sizes = self.sizes(&indexes);
        let plan = self.plan(state.first_epoch);
        let is_continuous = plan.is_continuous();
        let epoch = is_continuous.then(|| plan.epoch_of(state.global_batch, &sizes));
        let rows = is_continuous.then(|| sizes.iter().sum());
        state.check_position(&self.options, plan.batches(&sizes), epoch, rows)?;
        self.close();
        self.seed = state.seed;
        self.first_epoch = state.first_epoch;
        self.report = ReportLog::default();
        let report = state.report();
        let rows = report.rows;
        self.report.add(report);
        let counted = self.report.counted();
        let epoch = if is_continuous { state.first_epoch } else { state.epoch };
        self.yielded_position = Progress { epoch, batch: state.global_batch, rows, counted };
        self.started_position = self.yielded_position.clone();
        self.others = self.global.turn.0;
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.first_epoch = epoch;
        self.others = self.global.turn.0;
        self.yielded_position = Progress { epoch, batch: 0, rows: 0, counted: ReportMark::NONE };
        self.started_position = self.yielded_position.clone();
    }
}
