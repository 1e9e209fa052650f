//! Encoding of jobs in the caller's thread or in several threads. Their blocks are emitted in order.

#![expect(
    clippy::disallowed_types,
    reason = "threads of a writer and their consumer; in a child, every method and the destructor return before they lock"
)]

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, POLL_INTERVAL, Threads, thread_count};

use super::blocks::{BlockEncoder, Encoded, Piece};
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
        first: Option<Vec<Piece>>,
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
        job: Vec<Piece>,
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
                parallel.collect(2 * parallel.threads.count() - 1, sink, interrupt)
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
pub(super) struct Parallel {
    shared: Arc<Shared>,
    threads: Threads,
    /// Numbers of the jobs in flight, oldest first.
    jobs: VecDeque<u64>,
    next_job: u64,
}

struct Shared {
    options: WriteOptions,
    sync: [u8; SYNC],
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    results: HashMap<u64, Result<(Encoded, Vec<u8>), FeedError>>,
    /// Encoders and buffers that no job uses.
    idle: Vec<BlockEncoder>,
    buffers: Vec<Vec<u8>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state, or fails if the writer has been dropped.
    fn wanted(&self) -> Result<MutexGuard<'_, State>, FeedError> {
        let state = self.lock();
        if state.cancelled {
            return Err(FeedError::new(FeedErrorKind::Interrupted, "the writer was dropped"));
        }
        Ok(state)
    }

    /// Encodes the blocks of a job into one buffer.
    fn encode(&self, job: &[Piece]) -> Result<(Encoded, Vec<u8>), FeedError> {
        let (idle, buffer) = {
            let mut state = self.wanted()?;
            (state.idle.pop(), state.buffers.pop())
        };
        let mut encoder = match idle {
            Some(encoder) => encoder,
            None => BlockEncoder::new(&self.options, self.sync)?,
        };
        let mut blocks = buffer.unwrap_or_default();
        blocks.clear();
        let encoded = encoder.encode(job, &mut |block| {
            // Dropping the writer waits for the threads, and a job has many blocks, so each block checks for it.
            drop(self.wanted()?);
            blocks.extend_from_slice(block);
            Ok(())
        })?;
        self.lock().idle.push(encoder);
        Ok((encoded, blocks))
    }
}

impl Parallel {
    fn start(count: usize, options: WriteOptions, sync: [u8; SYNC]) -> Result<Self, FeedError> {
        let threads = Threads::start("arrowfeed-write", count)?;
        let (state, done) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { options, sync, state, done });
        Ok(Self { shared, threads, jobs: VecDeque::new(), next_job: 0 })
    }

    fn submit(&mut self, job: Vec<Piece>) -> Result<(), FeedError> {
        if self.threads.is_forked() {
            let message = "this writer was started in another process: make a new one after a fork";
            return Err(FeedError::new(FeedErrorKind::Internal, message));
        }
        let id = self.next_job;
        self.next_job += 1;
        self.jobs.push_back(id);
        let shared = self.shared.clone();
        self.threads.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| shared.encode(&job)));
            // The arrays of the job are freed before its result becomes visible.
            drop(job);
            let result = result.unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic)));
            shared.lock().results.insert(id, result);
            shared.done.notify_one();
        });
        Ok(())
    }

    /// Passes blocks to `sink` until at most `most` jobs are in flight.
    fn collect(
        &mut self,
        most: usize,
        sink: Sink<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Encoded, FeedError> {
        let mut sum = Encoded::default();
        while self.jobs.len() > most {
            let Some(id) = self.jobs.front() else { break };
            let mut state = self.shared.lock();
            let Some(result) = state.results.remove(id) else {
                let waited = self.shared.done.wait_timeout(state, POLL_INTERVAL);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                Check::of(interrupt).now()?;
                continue;
            };
            drop(state);
            self.jobs.pop_front();
            let (encoded, blocks) = result?;
            sink(&blocks)?;
            self.shared.lock().buffers.push(blocks);
            sum = Encoded { rows: sum.rows + encoded.rows, blocks: sum.blocks + encoded.blocks };
        }
        Ok(sum)
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        if self.threads.is_forked() {
            // A thread of the parent may have held the lock, so the state is leaked.
            std::mem::forget(self.shared.clone());
            return;
        }
        self.shared.lock().cancelled = true;
    }
}

impl fmt::Debug for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel")
            .field("threads", &self.threads)
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}
