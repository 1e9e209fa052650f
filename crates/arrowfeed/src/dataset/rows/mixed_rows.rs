//! The rows of the batches of mixed datasets. A random number chooses the dataset of each row, by weight; each dataset keeps
//! the order that it has alone.
//!
//! ```text
//! Iteration of dataset 0 ──┐
//! Iteration of dataset 1 ──┼─ drawn rows ──> Gather
//! Iteration of dataset 2 ──┘
//! ```

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, Report};
use rand_chacha::ChaCha8Rng;

use super::file_rows::{FileRows, Progress};
use super::gather::{Gather, Rows};
use super::source::{Ledger, RowSource, Started, pool_of};
use crate::dataset::conversion::Unchanged;
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::files::indexed::SelectedFiles;
use crate::dataset::iteration::Iteration;
use crate::dataset::options::{COMMON_SEED, IterationOptions};
use crate::dataset::random::{choose, random_of, random_seed, skip_draws, weight_sums};
use crate::dataset::sources::{Sources, with_schema};
use crate::dataset::state::checkpoint::Checkpoint;
use crate::dataset::state::counts::Counts;
use crate::dataset::state::position::{DrawnPlace, Position};
use crate::dataset::state::reported::Counted;
use crate::error::DatasetError;

/// The rows of the batches of mixed datasets.
pub(crate) struct MixedRows {
    mixed: Sources,
    options: IterationOptions,
    seed: u64,
    /// Epoch of the datasets that the iteration began with.
    first_epoch: u64,
    sources: Vec<Source>,
    /// Sums of the weights of the datasets that have more rows, up to each dataset.
    sums: Vec<f64>,
    random: ChaCha8Rng,
    at: Ledger<Drawn>,
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

/// The position in one dataset.
#[derive(Debug, Clone)]
struct SourcePosition {
    /// The position before the current batch.
    before: Progress,
    /// Number of rows of the current batch that have been drawn.
    drawn: usize,
    /// Whether there are no more rows.
    has_ended: bool,
}

/// The position after a batch.
#[derive(Debug, Clone)]
struct Drawn {
    draws: u64,
    rows: u64,
    sources: Vec<SourcePosition>,
}

impl MixedRows {
    /// `is_shared`: other processes read the same rows.
    pub(crate) fn new(
        mixed: Sources,
        options: IterationOptions,
        is_shared: bool,
    ) -> Result<Self, DatasetError> {
        options.check()?;
        mixed.check_rows_of(&options)?;
        // Resolved once: the number depends on the calling thread.
        let threads = NonZeroUsize::new(options.thread_count());
        let options = IterationOptions { threads, ..options };
        let seed = match options.seed {
            Some(seed) => seed,
            None if is_shared && !options.shuffles() => COMMON_SEED,
            None => random_seed()?,
        };
        let sources = sources(&mixed, &options, seed)?;
        let position = Drawn { draws: 0, rows: 0, sources: positions(&sources) };
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
            at: Ledger::new(position),
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
        self.at.started.rows += picks.len() as u64;
        self.at.started.sources = positions(&self.sources);
        Ok(Some(Gather::of_pieces(pieces, picks)))
    }

    /// Draws the dataset of the next row. Returns `None` if no dataset has more rows.
    fn draw(&mut self) -> Option<usize> {
        let drawn = choose(&mut self.random, &self.sums)?;
        self.at.started.draws += 1;
        Some(drawn)
    }

    fn sum_weights(&mut self) {
        let weights = self.mixed.weights().unwrap_or_default().iter().zip(&self.sources);
        let weights = weights.map(|(weight, source)| if source.position.has_ended { 0.0 } else { *weight });
        self.sums = weight_sums(weights);
    }

    fn restart(&mut self, sources: Vec<Source>, random: ChaCha8Rng, (draws, rows): (u64, u64)) {
        self.close();
        self.random = random;
        self.at = Ledger::new(Drawn { draws, rows, sources: positions(&sources) });
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

fn sources(mixed: &Sources, options: &IterationOptions, seed: u64) -> Result<Vec<Source>, DatasetError> {
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
        let rows = FileRows::new(dataset.files.clone(), dataset.in_file_rows(options.clone()), false)?;
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

impl RowSource for MixedRows {
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
        pool_of(&mut self.pool, &self.options)
    }

    fn start(&mut self, _wait: bool) -> Result<Started, DatasetError> {
        let Some(gather) = self.draw_batch()? else { return Ok(Started::Over) };
        self.at.start_batch();
        Ok(Started::Batch(Rows::Gathered(gather)))
    }

    fn yield_started(&mut self) {
        self.at.yield_batch();
    }

    fn end(&mut self, _is_over: bool) {}

    fn close(&mut self) {
        for source in &mut self.sources {
            source.rows.close();
        }
        self.pool = None;
        self.at.discard();
    }

    fn report(&self) -> Report {
        let mut sum = Report { rows: self.at.yielded.rows, ..Report::default() };
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
        Report { rows: self.at.yielded.rows, ..sum }
    }

    fn files(&self) -> Vec<CountedFiles<'_>> {
        self.mixed.datasets.iter().map(|dataset| dataset.files.counted_files()).collect()
    }

    fn checkpoint(&mut self, reads_contents: bool) -> Result<Checkpoint, DatasetError> {
        let (mut files, mut datasets) = (Vec::new(), Vec::new());
        for (source, position) in self.sources.iter_mut().zip(&self.at.yielded.sources) {
            let &SourcePosition { ref before, drawn, has_ended } = position;
            files.push(source.rows.rows.saved_source(reads_contents)?);
            let (before, report) = source.rows.rows.place_of(before)?;
            datasets.push(DrawnPlace { before, drawn, has_ended, report });
        }
        let Drawn { draws, rows, .. } = self.at.yielded;
        let (first_epoch, report) = (self.first_epoch, Counts { rows, ..Counts::default() });
        let position = Position::Mixture { first_epoch, draws, datasets };
        Ok(Checkpoint::new(&self.options, Some(self.seed), self.mixed.weights(), files, position, report))
    }

    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError> {
        let (&Position::Mixture { first_epoch, draws, ref datasets }, Some(seed)) = (&at.position, at.seed)
        else {
            return Err(Position::other_kind().into());
        };
        let mut sources = sources(&self.mixed, &self.options, seed)?;
        if datasets.len() != sources.len() {
            return Err(Position::other_kind().into());
        }
        let is_longer = at.epochs() != self.options.epochs.map(u64::from);
        for (source, saved) in sources.iter_mut().zip(datasets) {
            source.rows.rows.resume_at(&saved.before, &saved.report, Some(seed), at.epochs())?;
            let at = SourcePosition::at(&source.rows);
            // With another number of epochs, a dataset that has ended may have more rows. If not, it ends again.
            let has_ended = saved.has_ended && !is_longer;
            source.position = SourcePosition { drawn: saved.drawn, has_ended, ..at };
        }
        (self.seed, self.first_epoch) = (seed, first_epoch);
        let mut random = random(seed, first_epoch, self.options.shard);
        skip_draws(&mut random, draws);
        self.restart(sources, random, (draws, at.report.rows));
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
