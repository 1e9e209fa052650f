//! One reader, used by several Python threads and, once it is handed over, by Arrow's C interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::avro::Report;
use arrowfeed::{AvroError, AvroReader};

/// A reader that one thread at a time is in, and only threads of the process that made it.
///
/// Whoever waits for it has let go of the interpreter, since the thread in it may want that for a moment.
pub(crate) struct SharedReader {
    schema: SchemaRef,
    process: u32,
    state: Mutex<State>,
    /// The thread that is in the reader: a signal handler that runs there must not wait for itself.
    inside: Mutex<Option<ThreadId>>,
}

struct State {
    source: Source,
    /// Whether batches go through the C interface.
    handed_over: bool,
}

enum Source {
    Open(Box<AvroReader>),
    Closed(Report),
}

/// Why there is no answer.
pub(crate) enum Refusal {
    /// The reader cannot be used in this way; the text says why.
    State(&'static str),
    Error(AvroError),
}

const CLOSED: &str = "expected an open reader, found it closed";
const HANDED_OVER: &str = "expected a reader of one's own, found it handed over by __arrow_c_stream__";
const FORKED: &str =
    "expected a reader of this process, found one that was made before a fork: make a new one after it";
const REENTERED: &str = "expected a reader that is not in use, found a call from inside another call of it";

impl From<AvroError> for Refusal {
    fn from(error: AvroError) -> Self {
        Self::Error(error)
    }
}

impl SharedReader {
    pub(crate) fn new(reader: AvroReader) -> Self {
        Self {
            schema: reader.schema(),
            process: std::process::id(),
            state: Mutex::new(State { source: Source::Open(Box::new(reader)), handed_over: false }),
            inside: Mutex::new(None),
        }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs `work` when no other thread is in the reader. A panic closes it.
    fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T, Refusal>) -> Result<T, Refusal> {
        // First: after a fork, a lock may be held by a thread that is not there.
        if self.is_forked() {
            return Err(Refusal::State(FORKED));
        }
        let here = std::thread::current().id();
        if *lock(&self.inside) == Some(here) {
            return Err(Refusal::State(REENTERED));
        }
        let mut state = lock(&self.state);
        *lock(&self.inside) = Some(here);
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut state)));
        *lock(&self.inside) = None;
        done.unwrap_or_else(|panic| {
            state.source = Source::Closed(Report::default());
            Err(AvroError::from_panic(&*panic).into())
        })
    }

    /// The next batch, for an owner who has not handed the reader over.
    pub(crate) fn next(&self) -> Result<Option<RecordBatch>, Refusal> {
        self.with(|state| {
            state.check_own()?;
            state.next()
        })
    }

    /// From now on, only [`next_of_stream`](Self::next_of_stream) gives batches.
    pub(crate) fn hand_over(&self) -> Result<(), Refusal> {
        self.with(|state| {
            state.check_own()?;
            if matches!(state.source, Source::Closed(_)) {
                return Err(Refusal::State(CLOSED));
            }
            state.handed_over = true;
            Ok(())
        })
    }

    /// The next batch, for who it was handed over to.
    pub(crate) fn next_of_stream(&self) -> Result<Option<RecordBatch>, Refusal> {
        self.with(State::next)
    }

    pub(crate) fn report(&self) -> Result<Report, Refusal> {
        self.with(|state| {
            Ok(match &state.source {
                Source::Open(reader) => reader.report(),
                Source::Closed(report) => report.clone(),
            })
        })
    }

    /// Ends the reading and its threads. In a child of the process that made the reader there is nothing to end.
    pub(crate) fn close(&self) -> Result<(), Refusal> {
        if self.is_forked() {
            return Ok(());
        }
        self.with(|state| {
            if let Source::Open(reader) = &mut state.source {
                reader.close();
                state.source = Source::Closed(reader.report());
            }
            Ok(())
        })
    }

    /// [`close`](Self::close), unless it goes on as a stream: its owner is gone.
    pub(crate) fn abandon(&self) {
        let alone = self.with(|state| Ok(!state.handed_over));
        if matches!(alone, Ok(true)) {
            // It has just been seen to be open to this thread.
            let _ = self.close();
        }
    }
}

impl State {
    fn check_own(&self) -> Result<(), Refusal> {
        if self.handed_over { Err(Refusal::State(HANDED_OVER)) } else { Ok(()) }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Refusal> {
        match &mut self.source {
            Source::Open(reader) => reader.next().transpose().map_err(Refusal::Error),
            Source::Closed(_) => Err(Refusal::State(CLOSED)),
        }
    }
}

impl Drop for SharedReader {
    fn drop(&mut self) {
        if self.is_forked() {
            // Its locks may be held by threads that only the parent has.
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(&mut state.source, Source::Closed(Report::default())));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
