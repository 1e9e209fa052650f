//! The rows of global batches: batches that several processes make together, of files or of a mixture.
//!
//! ```text
//! stream 0: StreamReader ──┐
//! stream 1: StreamReader ──┼─ the same number of rows of each ──> Gather
//! stream 2: StreamReader ──┘
//! ```
//! A position is the number of an epoch and of a batch, whatever the number of processes. A mixture draws the dataset of
//! each row of a stream.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_source::{FeedError, Report};

use super::plan::GlobalPlan;
use super::reading::GlobalReading;
use super::stream_laps::StreamLaps;
use super::stream_reader::{StreamReader, StreamStart};
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::files::indexed::SelectedFiles;
use crate::dataset::options::{COMMON_SEED, GlobalBatches, IterationOptions};
use crate::dataset::random::random_seed;
use crate::dataset::rows::gather::{Gather, Rows};
use crate::dataset::rows::source::{Ledger, RowSource, Started, pool_of};
use crate::dataset::sources::Sources;
use crate::dataset::state::checkpoint::{Checkpoint, SavedSource};
use crate::dataset::state::position::Position;
use crate::dataset::state::reported::{Counted, ReportLog, ReportMark};
use crate::error::DatasetError;

/// The rows of global batches.
pub(crate) struct GlobalRows {
    sources: Sources,
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
    at: Ledger<Progress>,
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
    pub(crate) fn new(
        sources: Sources,
        options: IterationOptions,
        global: GlobalBatches,
    ) -> Result<Self, FeedError> {
        sources.check_rows_of(&options)?;
        options.check()?;
        // Resolved once: the number depends on the calling thread.
        let threads = NonZeroUsize::new(options.thread_count());
        let batch_size = usize::try_from(global.size as u64 / options.shard.1).unwrap_or(usize::MAX);
        let options = IterationOptions { threads, batch_size, ..options };
        let start = Progress { epoch: options.start_epoch, batch: 0, rows: 0, counted: ReportMark::NONE };
        Ok(Self {
            sources,
            indexes: None,
            seed: options.seed,
            first_epoch: options.start_epoch,
            options,
            pool: None,
            reading: None,
            report: ReportLog::default(),
            others: global.turn.0,
            global,
            at: Ledger::new(start),
        })
    }

    fn is_over(&self) -> bool {
        self.options.end_epoch().is_some_and(|end| self.at.started.epoch >= end)
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
                    reading.check_end(self.at.started.batch, self.options.on_error)?;
                    // Without a limit on epochs, epochs that yield no batch would repeat forever.
                    let is_empty = self.at.started.batch == 0 && self.options.epochs.is_none();
                    if is_empty || is_continuous {
                        break;
                    }
                    reading.end_lap()?;
                    let Progress { epoch, rows, .. } = self.at.started;
                    let (epoch, counted) = (epoch.saturating_add(1), self.report.counted());
                    self.at.started = Progress { epoch, batch: 0, rows, counted };
                }
                Composed::Rows(count, gather) => {
                    self.at.started.batch += 1;
                    let Some(gather) = gather else {
                        self.others -= 1;
                        continue;
                    };
                    self.others = self.global.turn.1 - 1;
                    self.at.started.rows += count;
                    self.at.started.counted = self.report.counted();
                    return Ok(Started::Batch(Rows::Gathered(gather)));
                }
            }
        }
        Ok(Started::Over)
    }

    /// The rows of the next batch. Those of another process are passed over.
    fn compose(&self, reading: &mut GlobalReading, wait: bool) -> Result<Composed, DatasetError> {
        if reading.limit.is_some_and(|limit| self.at.started.batch >= limit) {
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
        let seed = match self.options.shuffles() || self.sources.is_mixed() {
            true => self.draw_seed()?,
            false => 0,
        };
        let indexes = self.indexes()?;
        let sizes = self.sizes(&indexes);
        let plan = self.plan(self.first_epoch);
        let Progress { epoch, batch, .. } = self.at.started;
        let first_epoch = if plan.is_continuous() { self.first_epoch } else { epoch };
        let (draws, rows) = plan.draws(seed, &sizes, batch)?;
        let (lengths, quota) = (plan.lengths(&sizes), plan.quota(&sizes));
        let batches = (plan.batches(&sizes), plan.own_batches(&sizes));
        let (laps, streams) = (plan.laps(first_epoch), self.global.streams_of(self.options.shard));
        let prefetch_bytes = self.options.decoded_bytes(true) / self.sources.datasets.len();
        let schema = self.sources.is_mixed().then(|| self.sources.schema.clone());
        let mut readers = Vec::with_capacity(self.sources.datasets.len());
        for (nth, rows) in rows.into_iter().enumerate() {
            let by_caller = self.sources.datasets[nth].files.files.format().is_decoded_by_caller();
            let options = self.sources.datasets[nth].in_file_rows(self.options.clone());
            let workers = options.workers(by_caller, || self.pool())?;
            let (index, order) = (indexes[nth].clone(), (seed, first_epoch));
            let count = streams.end - streams.start;
            let windows = StreamLaps::new(index, options.clone(), lengths[nth], order, count);
            let batch_rows = self.global.stream_rows();
            let start = StreamStart { streams: streams.clone(), rows, laps, quota, batch_rows };
            let (files, options) = (&self.sources.datasets[nth].files.files, (options, prefetch_bytes));
            readers.push(StreamReader::new(files, windows, options, schema.clone(), workers, start));
        }
        Ok(GlobalReading::new(readers, draws, batches))
    }

    /// Number of batches of this process in all epochs, if no row is skipped. `None`: without end.
    pub(crate) fn num_batches(&mut self) -> Result<Option<u64>, FeedError> {
        let indexes = self.indexes()?;
        Ok(self.plan(self.first_epoch).num_batches(&self.sizes(&indexes)))
    }

    /// Number of rows of an epoch of each dataset.
    fn sizes(&self, indexes: &[Arc<ChunkIndex>]) -> Vec<u64> {
        let size = |(dataset, index): (&SelectedFiles, &Arc<ChunkIndex>)| {
            let rows = dataset.in_file_rows(self.options.clone()).selected_rows(index.rows());
            rows.end - rows.start
        };
        self.sources.datasets.iter().zip(indexes).map(size).collect()
    }

    /// The division into batches, with the first epoch of batches that may have rows of several ones.
    fn plan(&self, first_epoch: u64) -> GlobalPlan<'_> {
        GlobalPlan {
            options: &self.options,
            global: &self.global,
            weights: self.sources.weights(),
            first_epoch,
        }
    }

    fn indexes(&mut self) -> Result<Vec<Arc<ChunkIndex>>, FeedError> {
        let indexes = match &self.indexes {
            Some(indexes) => indexes.clone(),
            None => {
                let mut indexes = Vec::with_capacity(self.sources.datasets.len());
                for dataset in &self.sources.datasets {
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
        if self.at.started.rows == self.at.yielded.rows {
            self.at.yielded.counted = self.report.counted();
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
}

/// The rows of a batch.
enum Composed {
    /// Their number, and their locations unless they were passed over.
    Rows(u64, Option<Gather>),
    Pending,
    /// The end of the epoch, or of all epochs if batches have rows of several ones.
    End,
}

impl RowSource for GlobalRows {
    fn schema(&self) -> SchemaRef {
        self.sources.schema.clone()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn formats(&self) -> Vec<&'static str> {
        self.sources.datasets.iter().map(|dataset| dataset.files.format_name()).collect()
    }

    fn epoch(&self) -> Option<u64> {
        (!self.plan(self.first_epoch).is_continuous()).then_some(self.at.yielded.epoch)
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn gathers(&self) -> bool {
        true
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
        if is_over {
            self.at.end();
        }
        self.at.yielded.counted = self.report.counted();
    }

    fn close(&mut self) {
        (self.reading, self.pool) = (None, None);
        self.at.discard();
    }

    fn report(&self) -> Report {
        self.report.up_to(&self.at.yielded.counted, self.at.yielded.rows)
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(1, Counted::default());
        let at = &self.at.yielded;
        Report { rows: at.rows, ..self.report.uncounted(&at.counted, &mut counted[0]) }
    }

    fn files(&self) -> Vec<CountedFiles<'_>> {
        self.sources.datasets.iter().map(|dataset| dataset.files.counted_files()).collect()
    }

    fn checkpoint(&mut self, _reads_contents: bool) -> Result<Checkpoint, DatasetError> {
        let indexes = self.indexes()?;
        if self.options.shuffles() || self.sources.is_mixed() {
            self.draw_seed()?;
        }
        let mut files = Vec::with_capacity(indexes.len());
        for (dataset, index) in self.sources.datasets.iter().zip(&indexes) {
            // The checksum of the chunks contains that of the contents.
            let saved = dataset.files.saved_files(true, false, self.options.interrupt.as_ref())?;
            let rows = dataset.in_file_rows(self.options.clone()).rows;
            let digest = Some(index.digest(&dataset.files.counted_files()));
            files.push(SavedSource::new(saved, digest, &rows, dataset.files.shown_restrictions()));
        }
        let (at, plan, sizes) = (&self.at.yielded, self.plan(self.first_epoch), self.sizes(&indexes));
        let epoch = if plan.is_continuous() { plan.epoch_of(at.batch, &sizes) } else { at.epoch };
        let position = Position::Global { epoch, first_epoch: self.first_epoch, batch: at.batch };
        let report = (&self.report.up_to(&at.counted, at.rows)).into();
        Ok(Checkpoint::new(&self.options, self.seed, self.sources.weights(), files, position, report))
    }

    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError> {
        let Position::Global { epoch, first_epoch, batch } = at.position else {
            return Err(Position::other_kind().into());
        };
        let indexes = self.indexes()?;
        let sizes = self.sizes(&indexes);
        let epoch = self.plan(first_epoch).resumed_epoch((epoch, batch), at.epochs(), &sizes)?;
        self.close();
        (self.seed, self.first_epoch) = (at.seed, first_epoch);
        self.report = ReportLog::default();
        self.report.add(at.report.clone().into());
        let (rows, counted) = (at.report.rows, self.report.counted());
        self.at = Ledger::new(Progress { epoch, batch, rows, counted });
        self.others = self.global.turn.0;
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        self.close();
        self.first_epoch = epoch;
        self.others = self.global.turn.0;
        self.at = Ledger::new(Progress { epoch, batch: 0, rows: 0, counted: ReportMark::NONE });
    }
}
