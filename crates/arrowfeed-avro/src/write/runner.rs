//! Encoding of jobs in the caller's thread or in several threads. Their blocks are emitted in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrowfeed_source::run::{MapStage, Pool};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, thread_count};

use super::blocks::{BlockEncoder, BoundRows, Encoded};
use super::options::WriteOptions;
use crate::container::framing::SYNC;

/// Encodes jobs. Dropping it stops its threads and waits for them.
#[derive(Debug)]
pub(super) enum Runner {
    Inline(Box<BlockEncoder>),
    /// Several threads, which are started with the second job. Until then, the first job is only stored.
    Later {
        options: WriteOptions,
        sync: [u8; SYNC],
        first: Option<Vec<BoundRows>>,
    },
    Parallel(Parallel),
}

/// Consumer of finished blocks.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), FeedError>;

impl Runner {
    pub(super) fn new(options: &WriteOptions, sync: [u8; SYNC]) -> Result<Self, FeedError> {
        Ok(match thread_count(options.threads) {
            1 => Self::Inline(Box::new(BlockEncoder::new(options, sync)?)),
            _ => Self::Later { options: options.clone(), sync, first: None },
        })
    }

    /// Adds a job, and passes the blocks of finished jobs to `sink`.
    pub(super) fn run(
        &mut self,
        job: Vec<BoundRows>,
        sink: Sink<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Encoded, FeedError> {
        match self {
            Self::Inline(encoder) => encoder.encode(&job, &mut |block| {
                Check::of(interrupt).now()?;
                sink(block)
            }),
            Self::Later { first: first @ None, .. } => {
                *first = Some(job);
                Ok(Encoded::default())
            }
            Self::Later { options, sync, first } => {
                let mut parallel = Parallel::start(thread_count(options.threads), options.clone(), *sync)?;
                first.take().map_or(Ok(()), |first| parallel.submit(first))?;
                parallel.submit(job)?;
                *self = Self::Parallel(parallel);
                Ok(Encoded::default())
            }
            Self::Parallel(parallel) => {
                parallel.submit(job)?;
                parallel.collect(2 * parallel.pool.count() - 1, sink, interrupt)
            }
        }
    }

    /// Passes all remaining blocks to `sink`.
    pub(super) fn finish(
        &mut self,
        sink: Sink<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Encoded, FeedError> {
        match self {
            Self::Inline(_) => Ok(Encoded::default()),
            Self::Later { options, sync, first } => {
                let Some(job) = first.take() else { return Ok(Encoded::default()) };
                *self = Self::Inline(Box::new(BlockEncoder::new(options, *sync)?));
                self.run(job, sink, interrupt)
            }
            Self::Parallel(parallel) => parallel.collect(0, sink, interrupt),
        }
    }
}

/// Threads of the writer, and the jobs in flight.
#[derive(Debug)]
pub(super) struct Parallel {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    jobs: MapStage<Result<(Encoded, Vec<u8>), FeedError>>,
}

#[derive(Debug)]
struct Shared {
    options: WriteOptions,
    sync: [u8; SYNC],
    cancelled: AtomicBool,
    /// Encoders and buffers that no job uses.
    idle: ForkLock<Vec<BlockEncoder>>,
    buffers: ForkLock<Vec<Vec<u8>>>,
}

impl Shared {
    /// Fails if the writer has been dropped.
    fn check_wanted(&self) -> Result<(), FeedError> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(FeedError::new(FeedErrorKind::Interrupted, "the writer was dropped"));
        }
        Ok(())
    }

    /// Encodes the blocks of a job into one buffer.
    fn encode(&self, job: &[BoundRows]) -> Result<(Encoded, Vec<u8>), FeedError> {
        self.check_wanted()?;
        let mut encoder = match self.idle.try_with(Vec::pop).flatten() {
            Some(encoder) => encoder,
            None => BlockEncoder::new(&self.options, self.sync)?,
        };
        let mut blocks = self.buffers.try_with(Vec::pop).flatten().unwrap_or_default();
        blocks.clear();
        let encoded = encoder.encode(job, &mut |block| {
            // Dropping the writer waits for the threads, and a job has many blocks, so each block checks for it.
            self.check_wanted()?;
            blocks.extend_from_slice(block);
            Ok(())
        })?;
        self.idle.try_with(|idle| idle.push(encoder));
        Ok((encoded, blocks))
    }
}

impl Parallel {
    fn start(count: usize, options: WriteOptions, sync: [u8; SYNC]) -> Result<Self, FeedError> {
        let pool = Arc::new(Pool::start_for("writer", "arrowfeed-write", count)?);
        let (cancelled, idle, buffers) = (AtomicBool::new(false), ForkLock::default(), ForkLock::default());
        let shared = Arc::new(Shared { options, sync, cancelled, idle, buffers });
        Ok(Self { shared, jobs: MapStage::new(pool.clone()), pool })
    }

    fn submit(&mut self, job: Vec<BoundRows>) -> Result<(), FeedError> {
        self.pool.check_not_forked()?;
        let shared = self.shared.clone();
        // The arrays of the job are freed before its result becomes visible.
        self.jobs.add(move || shared.encode(&job));
        Ok(())
    }

    /// Passes blocks to `sink` until at most `most` jobs are in flight. This thread does not encode: the writer uses as many
    /// threads as the caller asked for.
    fn collect(
        &mut self,
        most: usize,
        sink: Sink<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Encoded, FeedError> {
        let mut sum = Encoded::default();
        let check = Check::of(interrupt);
        while self.jobs.len() > most {
            // Where threads end jobs faster than the caller polls, no wait is long enough to check.
            check.now()?;
            let Some(result) = self.jobs.next_of_pool(&check)? else { break };
            let (encoded, blocks) = result?;
            sink(&blocks)?;
            self.shared.buffers.try_with(|buffers| buffers.push(blocks));
            sum = Encoded { rows: sum.rows + encoded.rows, blocks: sum.blocks + encoded.blocks };
        }
        Ok(sum)
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }
}
