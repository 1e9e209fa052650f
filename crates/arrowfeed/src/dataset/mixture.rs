//! Iteration over mixed datasets. A random number chooses the dataset of each row, by weight; each dataset keeps the order
//! that it has alone.
//!
//! ```text
//! Iteration of dataset 0 ──┐
//! Iteration of dataset 1 ──┼─ drawn rows ──> Gather ──> MapStage ──> next
//! Iteration of dataset 2 ──┘
//! ```

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{MapStage, Pool};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Report};
use rand::TryRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha8Rng;

use super::batches::Unchanged;
use super::iteration::{Conversion, Iteration, Progress};
use super::mixed::Mixed;
use super::mixture_state::{MixtureState, SourceState};
use super::options::IterationOptions;
use super::order::{DRAWS, draw, random_of, skip_draws};
use super::reported::Counted;
use super::rows::{Gather, Rows};
use super::selected::check_mixed_rows;
use crate::error::DatasetError;

/// Iterator over the converted batches of mixed datasets.
pub(super) struct Mixture<C: Conversion> {
    mixed: Arc<Mixed>,
    options: IterationOptions,
    conversion: Arc<C>,
    seed: u64,
    /// Epoch of the datasets that the iteration began with.
    first_epoch: u64,
    sources: Vec<Source>,
    /// Sums of the weights of the datasets that have more rows, up to each dataset.
    sums: Vec<f64>,
    random: ChaCha8Rng,
    /// Position after the last batch that was started.
    ahead: Position,
    /// Position after the last batch that was yielded.
    given: Position,
    /// Started with the first batch, if there are several threads.
    pool: Option<Arc<Pool>>,
    /// Batches that were started but not yielded yet, with the position after each of them.
    begun: Option<MapStage<Result<C::Output, DatasetError>>>,
    positions: VecDeque<Position>,
    /// Bytes of the last converted batch that was yielded.
    bytes: usize,
    /// Set when no more batches can be started: the error, if there was one.
    end: Option<Result<(), DatasetError>>,
    closed: bool,
}

/// The rows of one dataset.
struct Source {
    rows: Iteration<Unchanged>,
    /// The current batch.
    batch: Option<RecordBatch>,
    position: SourcePosition,
}

#[derive(Debug, Clone)]
struct SourcePosition {
    /// The position before the current batch.
    before: Progress,
    /// Number of rows of the current batch that have been drawn.
    drawn: usize,
    /// Whether there are no more rows.
    has_ended: bool,
}

#[derive(Debug, Clone)]
struct Position {
    draws: u64,
    rows: u64,
    sources: Vec<SourcePosition>,
}

impl<C: Conversion> Mixture<C> {
    pub(super) fn new(
        mixed: Arc<Mixed>,
        options: IterationOptions,
        conversion: C,
    ) -> Result<Self, DatasetError> {
        options.check()?;
        check_mixed_rows(&options.rows)?;
        // Resolved once: the number depends on the calling thread.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        let seed = match options.seed {
            Some(seed) => seed,
            None => SysRng.try_next_u64().map_err(|error| FeedError::io(std::io::Error::other(error)))?,
        };
        let sources = sources(&mixed, &options, seed)?;
        let position = Position { draws: 0, rows: 0, sources: positions(&sources) };
        let first_epoch = options.start_epoch;
        let random = random(seed, first_epoch, options.shard);
        let mut mixture = Self {
            mixed,
            options,
            conversion: Arc::new(conversion),
            seed,
            first_epoch,
            sources,
            sums: Vec::new(),
            random,
            ahead: position.clone(),
            given: position,
            pool: None,
            begun: None,
            positions: VecDeque::new(),
            bytes: 0,
            end: None,
            closed: false,
        };
        mixture.sum_weights();
        Ok(mixture)
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.mixed.schema.clone()
    }

    pub(super) fn options(&self) -> &IterationOptions {
        &self.options
    }

    /// Counts of what the datasets have read and skipped.
    pub(super) fn report(&self) -> Report {
        let mut sum = Report { rows: self.given.rows, ..Report::default() };
        for source in &self.sources {
            let Report { blocks, bytes, skipped, requests, .. } = source.rows.report();
            sum.blocks += blocks;
            sum.bytes += bytes;
            sum.skipped.extend(skipped);
            sum.requests.add(requests);
        }
        sum
    }

    /// See [`AnyIteration::uncounted`](super::any_iteration::AnyIteration::uncounted).
    pub(super) fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(self.sources.len(), Counted::default());
        let mut sum = Report::default();
        for (source, counted) in self.sources.iter().zip(counted) {
            sum.add(source.rows.uncounted_alone(counted));
        }
        Report { rows: self.given.rows, ..sum }
    }

    /// Ends the iteration and its threads.
    pub(super) fn close(&mut self) {
        for source in &mut self.sources {
            source.rows.close();
        }
        (self.begun, self.pool, self.end, self.closed) = (None, None, None, true);
        self.positions.clear();
    }

    /// The next batch, converted.
    pub(super) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        if self.closed {
            return None;
        }
        let next = self.step();
        if !matches!(next, Ok(Some(_))) {
            self.close();
        }
        next.transpose()
    }

    fn step(&mut self) -> Result<Option<C::Output>, DatasetError> {
        let threads = self.options.thread_count();
        if threads == 1 {
            let Some(gather) = self.draw_batch()? else { return Ok(None) };
            let output = self.conversion.convert(Rows::Gathered(gather).into_batch()?)?;
            self.given = self.ahead.clone();
            return Ok(Some(output));
        }
        while self.has_room(threads) {
            self.begin()?;
        }
        let next = match &mut self.begun {
            Some(begun) => begun.next(&Check::of(self.options.interrupt.as_ref()))?,
            None => None,
        };
        match (next, self.positions.pop_front()) {
            (Some(output), Some(position)) => {
                let output = output?;
                self.bytes = C::bytes(&output);
                self.given = position;
                Ok(Some(output))
            }
            _ => self.end.take().unwrap_or(Ok(())).map(|()| None),
        }
    }

    /// Whether another batch may be started. One batch may always be in flight, further ones only within the memory
    /// limits.
    fn has_room(&self, threads: usize) -> bool {
        let waiting = self.positions.len();
        let bytes = (waiting + 1).saturating_mul(self.bytes);
        let may_wait = waiting <= threads && self.bytes > 0 && bytes <= self.options.begun_bytes();
        self.end.is_none() && (waiting == 0 || may_wait)
    }

    /// Starts the next batch.
    fn begin(&mut self) -> Result<(), DatasetError> {
        match self.draw_batch() {
            Ok(Some(gather)) => {
                let pool = match &self.pool {
                    Some(pool) => pool.clone(),
                    None => self.pool.insert(Arc::new(Pool::start(self.options.thread_count())?)).clone(),
                };
                self.positions.push_back(self.ahead.clone());
                let conversion = self.conversion.clone();
                let work = move || conversion.convert(Rows::Gathered(gather).into_batch()?);
                self.begun.get_or_insert_with(|| MapStage::new(pool)).add(work);
            }
            Ok(None) => self.end = Some(Ok(())),
            Err(error) => self.end = Some(Err(error)),
        }
        Ok(())
    }

    /// Draws the rows of the next batch. Returns `None` if there are no more.
    fn draw_batch(&mut self) -> Result<Option<Gather>, DatasetError> {
        let (mut pieces, mut picks) = (Vec::new(), Vec::new());
        let mut piece_of = vec![None; self.sources.len()];
        while picks.len() < self.options.batch_size {
            let Some(drawn) = self.draw() else { break };
            let source = &mut self.sources[drawn];
            let batch = match source.current() {
                Some(batch) => batch,
                None => {
                    piece_of[drawn] = None;
                    match source.advance(&self.mixed.schema)? {
                        Some(batch) => batch,
                        None => {
                            self.sum_weights();
                            continue;
                        }
                    }
                }
            };
            let piece = *piece_of[drawn].get_or_insert_with(|| {
                pieces.push(batch.clone());
                pieces.len() - 1
            });
            picks.push((piece, source.position.drawn));
            source.position.drawn += 1;
        }
        if picks.is_empty() || picks.len() < self.options.batch_size && self.options.drop_remainder {
            return Ok(None);
        }
        self.ahead.rows += picks.len() as u64;
        self.ahead.sources = positions(&self.sources);
        Ok(Some(Gather { windows: vec![Arc::new(pieces)], picks }))
    }

    /// Draws the dataset of the next row. Returns `None` if no dataset has more rows.
    fn draw(&mut self) -> Option<usize> {
        let total = self.sums.last().copied().filter(|total| *total > 0.0)?;
        self.ahead.draws += 1;
        let place = draw(&mut self.random) as f64 / DRAWS * total;
        let drawn = self.sums.partition_point(|sum| *sum <= place);
        // Rounding may give the total itself.
        let last = self.sources.iter().rposition(|source| !source.position.has_ended)?;
        Some(drawn.min(last))
    }

    fn sum_weights(&mut self) {
        let weights = self.mixed.weights.iter().zip(&self.sources);
        let weights = weights.map(|(weight, source)| if source.position.has_ended { 0.0 } else { *weight });
        let weights: Vec<f64> = weights.collect();
        // Weights whose sum is not finite are divided by the largest one.
        let largest = match weights.iter().sum::<f64>().is_finite() {
            true => 1.0,
            false => weights.iter().copied().fold(1.0, f64::max),
        };
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight / largest;
            Some(*sum)
        });
        self.sums = sums.collect();
    }

    /// The position of the iteration after the last batch that was yielded, as JSON.
    pub(super) fn state(&mut self) -> Result<String, DatasetError> {
        let mut sources = Vec::with_capacity(self.sources.len());
        for (source, position) in self.sources.iter_mut().zip(&self.given.sources) {
            let state = source.rows.state_at(&position.before)?;
            sources.push(SourceState::new(&state, position.drawn, position.has_ended));
        }
        let (Position { draws, rows, .. }, seed) = (&self.given, (self.seed, self.first_epoch));
        Ok(MixtureState::new(&self.mixed, &self.options, seed, (*draws, *rows), sources).to_json())
    }

    /// Resumes after the last batch before the state was taken.
    pub(super) fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = MixtureState::from_json(state)?;
        state.check(&self.mixed, &self.options)?;
        let mut sources = sources(&self.mixed, &self.options, state.seed)?;
        for (source, saved) in sources.iter_mut().zip(&state.sources) {
            source.rows.load_state(&saved.before())?;
            let at = SourcePosition::at(&source.rows);
            source.position = SourcePosition { drawn: saved.drawn, has_ended: saved.has_ended, ..at };
        }
        (self.seed, self.first_epoch) = (state.seed, state.first_epoch);
        let mut random = random(self.seed, self.first_epoch, self.options.shard);
        skip_draws(&mut random, state.draws);
        self.restart(sources, random, (state.draws, state.rows));
        Ok(())
    }

    /// Starts at the first row of this epoch of each dataset.
    pub(super) fn start_at_epoch(&mut self, epoch: u64) {
        let mut sources = std::mem::take(&mut self.sources);
        for source in &mut sources {
            source.rows.start_at_epoch(epoch);
            source.batch = None;
            source.position = SourcePosition::at(&source.rows);
        }
        self.first_epoch = epoch;
        self.restart(sources, random(self.seed, epoch, self.options.shard), (0, 0));
    }

    fn restart(&mut self, sources: Vec<Source>, random: ChaCha8Rng, (draws, rows): (u64, u64)) {
        self.close();
        self.closed = false;
        self.random = random;
        self.given = Position { draws, rows, sources: positions(&sources) };
        self.ahead = self.given.clone();
        self.sources = sources;
        self.sum_weights();
    }
}

impl SourcePosition {
    /// The position of an iteration whose next batch has not been read.
    fn at(rows: &Iteration<Unchanged>) -> Self {
        Self { before: rows.progress(), drawn: 0, has_ended: false }
    }
}

impl Source {
    /// The current batch, if it has rows that have not been drawn.
    fn current(&self) -> Option<&RecordBatch> {
        self.batch.as_ref().filter(|batch| self.position.drawn < batch.num_rows())
    }

    /// Reads the next batch. Returns `None` at the end.
    fn advance(&mut self, schema: &SchemaRef) -> Result<Option<&RecordBatch>, DatasetError> {
        loop {
            // After a state was loaded, rows of the batch that comes first have been drawn already.
            let drawn = if self.batch.take().is_some() { 0 } else { self.position.drawn };
            let before = self.rows.progress();
            let Some(batch) = self.rows.next().transpose()? else {
                self.position.has_ended = true;
                return Ok(None);
            };
            let batch = RecordBatch::try_new_with_options(
                schema.clone(),
                batch.columns().to_vec(),
                &arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows())),
            );
            let batch = batch.map_err(|error| {
                let message = format!(
                    "expected a batch with the schema of the dataset, found a different schema: {error}"
                );
                FeedError::new(FeedErrorKind::Internal, message)
            })?;
            self.position = SourcePosition { before, drawn, has_ended: false };
            let has_rows = drawn < batch.num_rows();
            self.batch = Some(batch);
            if has_rows {
                return Ok(self.batch.as_ref());
            }
        }
    }
}

fn positions(sources: &[Source]) -> Vec<SourcePosition> {
    sources.iter().map(|source| source.position.clone()).collect()
}

fn sources(mixed: &Mixed, options: &IterationOptions, seed: u64) -> Result<Vec<Source>, DatasetError> {
    let count = mixed.datasets.len();
    let threads = NonZeroUsize::new(options.thread_count() / count).unwrap_or(NonZeroUsize::MIN);
    let options = IterationOptions {
        threads: Some(threads),
        // With fewer threads than datasets, each dataset still has one.
        decodes_ahead: options.decodes_ahead || options.thread_count() > 1,
        prefetch_bytes: options.prefetch_bytes / count,
        seed: Some(seed),
        drop_remainder: false,
        across_epochs: true,
        ..options.clone()
    };
    let source = |dataset: &super::Dataset| {
        let rows = dataset.iterate_files(options.clone(), Unchanged)?;
        let position = SourcePosition::at(&rows);
        Ok(Source { rows, batch: None, position })
    };
    mixed.datasets.iter().map(source).collect()
}

/// The random numbers of a shard. Each row takes one, and so does each dataset when it ends.
fn random(seed: u64, first_epoch: u64, shard: (u64, u64)) -> ChaCha8Rng {
    random_of([seed, first_epoch, shard.0, shard.1])
}

impl<C: Conversion> Drop for Mixture<C> {
    fn drop(&mut self) {
        self.close();
    }
}
