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
use arrowfeed_source::run::{Pool, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Report};
use rand::TryRng;
use rand::rngs::SysRng;

use super::chunk_index::ChunkIndex;
use super::global_draws::StreamDraws;
use super::global_state::{GlobalState, Source};
use super::iteration::{BatchRows, Started};
use super::mixed::{Mixed, check_mixed_rows};
use super::options::{Even, GlobalBatches, IterationOptions};
use super::reported::{Counted, ReportLog, ReportMark};
use super::rows::{Gather, Rows};
use super::selected_files::SelectedFiles;
use super::selection::shown_splits;
use super::stream_laps::StreamLaps;
use super::stream_lengths::StreamLengths;
use super::stream_reader::{Quota, StreamReader, StreamStart};
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
    /// Drawn at random with the first batch if the caller has set none.
    seed: Option<u64>,
    pool: Option<Arc<Pool>>,
    reading: Option<Reading>,
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

/// The rows that are being read.
struct Reading {
    /// One for each dataset.
    readers: Vec<StreamReader>,
    /// The choices of each stream of this process, in a mixture.
    draws: Vec<StreamDraws>,
    /// The datasets of the rows of the next batch, for each stream, if they were drawn.
    drawn: Option<Vec<Vec<usize>>>,
    /// Number of batches of the epoch, or of all epochs. `None`: without end.
    limit: Option<u64>,
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

    /// Whether batches have rows of several epochs.
    fn is_continuous(&self) -> bool {
        self.options.across_epochs || self.weights.is_some()
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
            for reader in &mut reading.readers {
                self.report.add(reader.take_report());
            }
            let next = next?;
            match next {
                Composed::Pending => {
                    self.reading = Some(reading);
                    return Ok(Started::Pending);
                }
                Composed::End if self.is_continuous() => {
                    self.reading = Some(reading);
                    break;
                }
                Composed::End => {
                    // Without a limit on epochs, epochs that yield no batch would repeat forever.
                    if self.started_position.batch == 0 && self.options.epochs.is_none() {
                        break;
                    }
                    for reader in &mut reading.readers {
                        reader.end_lap()?;
                    }
                    self.reading = Some(reading);
                    let counted = self.report.counted();
                    let (epoch, rows) =
                        (self.started_position.epoch.saturating_add(1), self.started_position.rows);
                    self.started_position = Progress { epoch, batch: 0, rows, counted };
                }
                Composed::Rows(count, gather) => {
                    self.reading = Some(reading);
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
    fn compose(&self, reading: &mut Reading, wait: bool) -> Result<Composed, DatasetError> {
        if reading.limit.is_some_and(|limit| self.started_position.batch >= limit) {
            return Ok(Composed::End);
        }
        let count = self.global.stream_rows();
        let streams = self.global.streams_of(self.options.shard);
        let streams = (streams.end - streams.start) as usize;
        let mut gather = (self.others == 0).then(Gather::default);
        let mut taken = 0;
        if self.weights.is_none() {
            let reader = &mut reading.readers[0];
            for stream in 0..streams {
                if !reader.prepare(stream, count, wait)? {
                    return Ok(Composed::Pending);
                }
            }
            for stream in 0..streams {
                taken += reader.take(stream, count, gather.as_mut())?;
            }
        } else {
            if !self.prepare_drawn(reading, count, wait)? {
                return Ok(Composed::Pending);
            }
            for (stream, drawn) in reading.drawn.take().into_iter().flatten().enumerate() {
                taken += drawn.len() as u64;
                take_drawn(&mut reading.readers, stream, &drawn, gather.as_mut())?;
            }
        }
        let is_short = taken < self.options.batch_size as u64;
        let drops = self.options.drop_remainder || self.global.even.is_some();
        Ok(match taken == 0 || is_short && drops {
            true => Composed::End,
            false => Composed::Rows(taken, gather),
        })
    }

    /// Draws the datasets of the rows of a batch, and decodes these rows.
    fn prepare_drawn(&self, reading: &mut Reading, count: u64, wait: bool) -> Result<bool, DatasetError> {
        let draws = &mut reading.draws;
        let drawn = reading.drawn.get_or_insert_with(|| {
            let of_stream = |draws: &mut StreamDraws| (0..count).map_while(|_| draws.next()).collect();
            draws.iter_mut().map(of_stream).collect()
        });
        for (stream, drawn) in drawn.iter().enumerate() {
            for (dataset, reader) in reading.readers.iter_mut().enumerate() {
                let count = drawn.iter().filter(|drawn| **drawn == dataset).count() as u64;
                if count > 0 && !reader.prepare(stream, count, wait)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Starts to read at the started position.
    fn start_reading(&mut self) -> Result<Reading, DatasetError> {
        self.options.ask()?;
        let seed = match self.options.shuffles() || self.weights.is_some() {
            true => self.draw_seed()?,
            false => 0,
        };
        let indexes = self.indexes()?;
        let sizes = self.sizes()?;
        let limit = self.batches_of(&sizes);
        let streams = self.global.streams_of(self.options.shard);
        let lengths = self.lengths(&sizes);
        let (draws, rows) = self.draws(seed, &sizes, &lengths)?;
        let quota = self.quota(limit);
        let first_epoch = if self.is_continuous() { self.first_epoch } else { self.started_position.epoch };
        let laps = self.options.end_epoch().map(|end| end.saturating_sub(first_epoch));
        let repeats = self.is_continuous() && self.global.even == Some(Even::Repeat);
        let prefetch_bytes = self.options.decoded_bytes(true) / self.datasets.len();
        let mut readers = Vec::with_capacity(self.datasets.len());
        for (nth, (dataset, rows)) in self.datasets.clone().iter().zip(rows).enumerate() {
            let options = dataset.in_file_rows(self.options.clone());
            let workers = self.workers(dataset)?;
            let count = streams.end - streams.start;
            let laps_of = StreamLaps::new(
                indexes[nth].clone(),
                options.clone(),
                lengths[nth],
                (seed, first_epoch),
                count,
            );
            let start = StreamStart {
                streams: streams.clone(),
                rows,
                laps: laps.filter(|_| !repeats),
                quota,
                batch_rows: self.global.stream_rows(),
            };
            let schema = self.weights.is_some().then(|| self.schema.clone());
            let files = &dataset.files.files;
            readers.push(StreamReader::new(
                files,
                laps_of,
                (options, prefetch_bytes),
                schema,
                workers,
                start,
            ));
        }
        Ok(Reading { readers, draws, drawn: None, limit })
    }

    /// Number of batches of this process in all epochs, if no row is skipped. `None`: without end.
    pub(super) fn num_batches(&mut self) -> Result<Option<u64>, FeedError> {
        let sizes = self.sizes()?;
        let Some(epochs) = self.options.epochs.map(u64::from) else {
            return Ok(sizes.iter().all(|rows| *rows == 0).then_some(0));
        };
        let Some(limit) = self.batches_of(&sizes) else { return Ok(None) };
        let is_even = self.global.even.is_some() || self.options.drop_remainder;
        let own = match is_even {
            true => limit,
            // A process may have no row of the last batch.
            false => {
                let lengths = self.lengths(&sizes);
                let laps = if self.is_continuous() { epochs } else { 1 };
                let rows_of = |stream| {
                    lengths.iter().map(|lengths| lengths.rows_of(stream, laps)).fold(0, u64::saturating_add)
                };
                let most = self.global.streams_of(self.options.shard).map(rows_of).max().unwrap_or(0);
                most.div_ceil(self.global.stream_rows()).min(limit)
            }
        };
        Ok(Some(if self.is_continuous() { own } else { own.saturating_mul(epochs) }))
    }

    /// The epoch of the first row after a number of batches, if batches have rows of several epochs. The datasets of a mixture
    /// have epochs of their own; it is in the first one.
    fn epoch_of(&self, batches: u64, sizes: &[u64]) -> u64 {
        let (Some(rows), None) = (sizes.first().filter(|rows| **rows > 0), &self.weights) else {
            return self.first_epoch;
        };
        let epochs = u128::from(batches) * self.global.size as u128 / u128::from(*rows);
        let epoch = self.first_epoch.saturating_add(u64::try_from(epochs).unwrap_or(u64::MAX));
        self.options.end_epoch().map_or(epoch, |end| epoch.min(end))
    }

    /// Number of rows of an epoch of each dataset.
    fn sizes(&mut self) -> Result<Vec<u64>, FeedError> {
        let indexes = self.indexes()?;
        Ok(self.datasets.iter().zip(&indexes).map(|(dataset, index)| self.size(dataset, index)).collect())
    }

    /// Number of rows of an epoch of a dataset.
    fn size(&self, dataset: &SelectedFiles, index: &ChunkIndex) -> u64 {
        let rows = dataset.in_file_rows(self.options.clone()).selected_rows(index.rows());
        rows.end - rows.start
    }

    /// Number of batches of an epoch, or of all epochs if batches have rows of several ones. `None`: without end.
    fn batches_of(&self, sizes: &[u64]) -> Option<u64> {
        let epochs = match self.is_continuous() {
            true => self.options.end_epoch()?.saturating_sub(self.first_epoch),
            false => 1,
        };
        let rows = sizes.iter().fold(0_u64, |sum, rows| sum.saturating_add(*rows)).saturating_mul(epochs);
        Some(self.options.num_global_batches(&self.global, rows))
    }

    fn lengths(&self, sizes: &[u64]) -> Vec<StreamLengths> {
        let epochs = self.options.end_epoch().map(|end| end.saturating_sub(self.first_epoch));
        let mut before = 0_u64;
        let of_dataset = |rows: &u64| {
            let continuous = self.is_continuous().then_some(before);
            before = before.saturating_add(rows.saturating_mul(epochs.unwrap_or(0)));
            StreamLengths { streams: self.global.streams, rows: *rows, continuous }
        };
        sizes.iter().map(of_dataset).collect()
    }

    fn quota(&self, limit: Option<u64>) -> Quota {
        let rows = limit.unwrap_or(u64::MAX).saturating_mul(self.global.stream_rows());
        match (self.is_continuous(), self.global.even) {
            (true, _) => Quota::All,
            (false, Some(_)) => Quota::Exactly(rows),
            (false, None) => Quota::AtMost(rows),
        }
    }

    /// The choices of each stream after the started position, and the number of rows of each dataset before it in each stream.
    fn draws(
        &self,
        seed: u64,
        sizes: &[u64],
        lengths: &[StreamLengths],
    ) -> Result<(Vec<StreamDraws>, Vec<Vec<u64>>), FeedError> {
        let streams = self.global.streams_of(self.options.shard);
        let passed = self.started_position.batch.saturating_mul(self.global.stream_rows());
        let Some(weights) = &self.weights else {
            return Ok((Vec::new(), vec![streams.map(|_| passed).collect()]));
        };
        let epochs = self.options.end_epoch().map(|end| end.saturating_sub(self.first_epoch));
        let repeats = self.global.even == Some(Even::Repeat);
        let weights: Vec<f64> =
            weights.iter().zip(sizes).map(|(weight, rows)| if *rows == 0 { 0.0 } else { *weight }).collect();
        let (mut draws, mut rows) = (Vec::new(), vec![Vec::new(); sizes.len()]);
        for stream in streams {
            let left = lengths.iter().map(|lengths| match epochs {
                Some(epochs) => lengths.rows_of(stream, epochs),
                None => {
                    if lengths.rows == 0 {
                        0
                    } else {
                        u64::MAX
                    }
                }
            });
            let key = (seed, self.first_epoch, stream, self.global.streams);
            let mut own = StreamDraws::new(key, weights.clone(), left.collect(), repeats);
            let mut counts = vec![0; sizes.len()];
            for row in 0..passed {
                if row.is_multiple_of(1 << 20) {
                    self.options.ask()?;
                }
                let Some(dataset) = own.next() else { break };
                counts[dataset] += 1;
            }
            for (rows, count) in rows.iter_mut().zip(counts) {
                rows.push(count);
            }
            draws.push(own);
        }
        Ok((draws, rows))
    }

    fn workers(&mut self, dataset: &SelectedFiles) -> Result<Workers, FeedError> {
        let threads = self.options.thread_count();
        let by_caller = dataset.files.files.format().is_decoded_by_caller();
        if by_caller || threads == 1 && !self.options.decodes_ahead {
            return Ok(Workers::Caller);
        }
        Ok(Workers::Pool(self.pool()?))
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
        let seed = SysRng.try_next_u64().map_err(|error| FeedError::io(std::io::Error::other(error)))?;
        Ok(*self.seed.insert(seed))
    }

    /// The state of an iteration at its first row.
    fn own_state(&mut self) -> Result<GlobalState, DatasetError> {
        if self.options.shuffles() || self.weights.is_some() {
            self.draw_seed()?;
        }
        let indexes = self.indexes()?;
        let mut sources = Vec::with_capacity(self.datasets.len());
        for (dataset, index) in self.datasets.iter().zip(indexes) {
            let files = dataset.files.file_checksums(self.options.interrupt.as_ref())?;
            let rows = dataset.in_file_rows(self.options.clone()).rows;
            sources.push(Source::new(files, index.digest, rows, shown_splits(&dataset.files.splits)));
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

/// Takes rows of a stream of the datasets that were drawn, in this order.
fn take_drawn(
    readers: &mut [StreamReader],
    stream: usize,
    drawn: &[usize],
    mut gather: Option<&mut Gather>,
) -> Result<(), FeedError> {
    let first = gather.as_ref().map_or(0, |gather| gather.picks.len());
    // The first pick of each dataset.
    let mut next = Vec::with_capacity(readers.len());
    let mut at = 0;
    for (dataset, reader) in readers.iter_mut().enumerate() {
        next.push(at);
        let count = drawn.iter().filter(|drawn| **drawn == dataset).count();
        if count > 0 && reader.take(stream, count as u64, gather.as_deref_mut())? != count as u64 {
            let message = "expected the rows of the index in a stream of a mixture, found fewer";
            return Err(FeedError::new(FeedErrorKind::Changed, message));
        }
        at += count;
    }
    if let Some(gather) = gather {
        let picks = gather.picks.split_off(first);
        gather.picks.extend(drawn.iter().map(|dataset| {
            next[*dataset] += 1;
            picks[next[*dataset] - 1]
        }));
    }
    Ok(())
}

impl BatchRows for GlobalRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn epoch(&self) -> Option<u64> {
        (!self.is_continuous()).then_some(self.yielded_position.epoch)
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
        let (own, sizes) = (self.own_state()?, self.sizes()?);
        let at = &self.yielded_position;
        let epoch = match self.is_continuous() {
            true => self.epoch_of(at.batch, &sizes),
            false => at.epoch,
        };
        let report = self.report.up_to(&at.counted, at.rows);
        Ok(own.at((epoch, at.batch), self.first_epoch, &report).to_json())
    }

    fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = GlobalState::from_json(state)?;
        let own = self.own_state()?;
        let files = self.datasets.iter().map(|dataset| &*dataset.files.files);
        state.check(&own, self.options.seed, files)?;
        let sizes = self.sizes()?;
        let first_epoch = std::mem::replace(&mut self.first_epoch, state.first_epoch);
        let most = self.batches_of(&sizes);
        let epoch = self.is_continuous().then(|| self.epoch_of(state.global_batch, &sizes));
        self.first_epoch = first_epoch;
        state.check_position(&self.options, most, epoch)?;
        self.close();
        self.seed = state.seed;
        self.first_epoch = state.first_epoch;
        self.report = ReportLog::default();
        let report = state.report();
        let rows = report.rows;
        self.report.add(report);
        let counted = self.report.counted();
        let epoch = if self.is_continuous() { state.first_epoch } else { state.epoch };
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
