//! The rows of the batches of mixed datasets. A random number chooses the dataset of each row, by weight; each dataset keeps
//! the order that it has alone.
//!
//! ```text
//! Iteration of dataset 0 ──┐
//! Iteration of dataset 1 ──┼─ drawn rows ──> Gather
//! Iteration of dataset 2 ──┘
//! ```

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, Report};
use rand_chacha::ChaCha8Rng;

use super::conversion::Unchanged;
use super::file_rows::{FileRows, Progress};
use super::iteration::{BatchRows, Iteration, Started};
use super::mixed::{Mixed, check_mixed_rows, with_schema};
use super::mixture_state::{MixtureState, SourceState};
use super::options::{COMMON_SEED, FileMatch, IterationOptions};
use super::random::{choose, random_of, random_seed, skip_draws, weight_sums};
use super::reported::Counted;
use super::rows::{Gather, Rows};
use super::selected_files::SelectedFiles;
use crate::error::DatasetError;

/// The rows of the batches of mixed datasets.
pub(super) struct MixedRows {
    mixed: Arc<Mixed>,
    options: IterationOptions,
    seed: u64,
    /// Epoch of the datasets that the iteration began with.
    first_epoch: u64,
    sources: Vec<Source>,
    /// Sums of the weights of the datasets that have more rows, up to each dataset.
    sums: Vec<f64>,
    random: ChaCha8Rng,
    /// Position after the last batch that was started.
    started_position: Position,
    /// Position after each batch that was started but not yielded yet.
    started_positions: VecDeque<Position>,
    /// Position after the last batch that was yielded.
    yielded_position: Position,
    /// Started with the first batch, if there are several threads.
    pool: Option<Arc<Pool>>,
}

/// The rows of one dataset.
struct Source {
    rows: Iteration<FileRows, Unchanged>,
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

impl MixedRows {
    /// `is_shared`: other processes read the same rows.
    pub(super) fn new(
        mixed: Arc<Mixed>,
        options: IterationOptions,
        is_shared: bool,
    ) -> Result<Self, DatasetError> {
        options.check()?;
        check_mixed_rows(&options.rows)?;
        // Resolved once: the number depends on the calling thread.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        let seed = match options.seed {
            Some(seed) => seed,
            None if is_shared && !options.shuffles() => COMMON_SEED,
            None => random_seed()?,
        };
        let sources = sources(&mixed, &options, seed)?;
        let position = Position { draws: 0, rows: 0, sources: positions(&sources) };
        let first_epoch = options.start_epoch;
        let random = random(seed, first_epoch, options.shard);
        let mut rows = Self {
            mixed,
            options,
            seed,
            first_epoch,
            sources,
            sums: Vec::new(),
            random,
            started_position: position.clone(),
            started_positions: VecDeque::new(),
            yielded_position: position,
            pool: None,
        };
        rows.sum_weights();
        Ok(rows)
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
        self.started_position.rows += picks.len() as u64;
        self.started_position.sources = positions(&self.sources);
        Ok(Some(Gather::of_pieces(pieces, picks)))
    }

    /// Draws the dataset of the next row. Returns `None` if no dataset has more rows.
    fn draw(&mut self) -> Option<usize> {
        let drawn = choose(&mut self.random, &self.sums)?;
        self.started_position.draws += 1;
        Some(drawn)
    }

    fn sum_weights(&mut self) {
        let weights = self.mixed.weights.iter().zip(&self.sources);
        let weights = weights.map(|(weight, source)| if source.position.has_ended { 0.0 } else { *weight });
        self.sums = weight_sums(weights);
    }

    fn restart(&mut self, sources: Vec<Source>, random: ChaCha8Rng, (draws, rows): (u64, u64)) {
        self.close();
        self.random = random;
        self.yielded_position = Position { draws, rows, sources: positions(&sources) };
        self.started_position = self.yielded_position.clone();
        self.sources = sources;
        self.sum_weights();
    }
}

impl SourcePosition {
    /// The position of an iteration whose next batch has not been read.
    fn at(rows: &Iteration<FileRows, Unchanged>) -> Self {
        Self { before: rows.rows.progress(), drawn: 0, has_ended: false }
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
            let before = self.rows.rows.progress();
            let Some(batch) = self.rows.next().transpose()? else {
                self.position.has_ended = true;
                return Ok(None);
            };
            let batch = with_schema(&batch, schema)?;
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
    let source = |dataset: &SelectedFiles| {
        let rows = dataset.batch_rows(options.clone(), false)?;
        let rows = Iteration::new(Box::new(rows), Unchanged);
        let position = SourcePosition::at(&rows);
        Ok(Source { rows, batch: None, position })
    };
    mixed.datasets.iter().map(source).collect()
}

/// The random numbers of a shard. Each row takes one, and so does each dataset when it ends.
fn random(seed: u64, first_epoch: u64, shard: (u64, u64)) -> ChaCha8Rng {
    random_of([seed, first_epoch, shard.0, shard.1])
}

impl BatchRows for MixedRows {
    fn schema(&self) -> SchemaRef {
        self.mixed.schema.clone()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn formats(&self) -> Vec<&'static str> {
        self.mixed.datasets.iter().map(|dataset| dataset.files.format_name()).collect()
    }

    fn epoch(&self) -> Option<u64> {
        None
    }

    fn seed(&self) -> Option<u64> {
        Some(self.seed)
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

    fn start(&mut self, _wait: bool) -> Result<Started, DatasetError> {
        let Some(gather) = self.draw_batch()? else { return Ok(Started::Over) };
        self.started_positions.push_back(self.started_position.clone());
        Ok(Started::Batch(Rows::Gathered(gather)))
    }

    fn yield_started(&mut self) {
        if let Some(position) = self.started_positions.pop_front() {
            self.yielded_position = position;
        }
    }

    fn end(&mut self, _is_over: bool) {}

    fn close(&mut self) {
        for source in &mut self.sources {
            source.rows.close();
        }
        self.pool = None;
        self.started_positions.clear();
    }

    fn report(&self) -> Report {
        let mut sum = Report { rows: self.yielded_position.rows, ..Report::default() };
        for source in &self.sources {
            let Report { rejected, blocks, bytes, skipped, requests, .. } = source.rows.rows.report();
            sum.rejected += rejected;
            sum.blocks += blocks;
            sum.bytes += bytes;
            sum.skipped.extend(skipped);
            sum.requests.add(requests);
        }
        sum
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        counted.resize(self.sources.len(), Counted::default());
        let mut sum = Report::default();
        for (source, counted) in self.sources.iter().zip(counted) {
            sum.add(source.rows.rows.uncounted_alone(counted));
        }
        Report { rows: self.yielded_position.rows, ..sum }
    }

    fn state(&mut self) -> Result<String, DatasetError> {
        let mut sources = Vec::with_capacity(self.sources.len());
        for (source, position) in self.sources.iter_mut().zip(&self.yielded_position.sources) {
            let state = source.rows.rows.state_at(&position.before)?;
            sources.push(SourceState::new(&state, position.drawn, position.has_ended));
        }
        let (Position { draws, rows, .. }, seed) = (&self.yielded_position, (self.seed, self.first_epoch));
        Ok(MixtureState::new(&self.mixed, &self.options, seed, (*draws, *rows), sources).to_json())
    }

    fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        let state = MixtureState::from_json(state)?;
        state.check(&self.mixed, &self.options)?;
        let mut sources = sources(&self.mixed, &self.options, state.seed)?;
        for (source, saved) in sources.iter_mut().zip(&state.sources) {
            source.rows.load_state(&saved.before(), how)?;
            let at = SourcePosition::at(&source.rows);
            // With another number of epochs, a dataset that has ended may have more rows. If not, it ends again.
            let has_ended = saved.has_ended && saved.has_epochs(self.options.epochs);
            source.position = SourcePosition { drawn: saved.drawn, has_ended, ..at };
        }
        (self.seed, self.first_epoch) = (state.seed, state.first_epoch);
        let mut random = random(self.seed, self.first_epoch, self.options.shard);
        skip_draws(&mut random, state.draws);
        self.restart(sources, random, (state.draws, state.rows));
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        let mut sources = std::mem::take(&mut self.sources);
        for source in &mut sources {
            source.rows.start_at_epoch(epoch);
            source.batch = None;
            source.position = SourcePosition::at(&source.rows);
        }
        self.first_epoch = epoch;
        self.restart(sources, random(self.seed, epoch, self.options.shard), (0, 0));
    }
}
