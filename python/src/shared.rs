//! One reader, used by several Python threads and, once it is handed over, by Arrow's C interface.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::source::Report;
use arrowfeed::source::run::FileReader;

use crate::guarded::{Guarded, Refusal};

/// A reader that one thread at a time is in, and only threads of the process that made it.
pub(crate) struct SharedReader {
    schema: SchemaRef,
    state: Guarded<State>,
}

struct State {
    source: Source,
    /// Whether batches go through the C interface.
    handed_over: bool,
}

enum Source {
    Open(Box<FileReader>),
    Closed(Report),
}

const CLOSED: &str = "expected an open reader, found it closed";
const HANDED_OVER: &str = "expected a reader of one's own, found it handed over by __arrow_c_stream__";

impl SharedReader {
    /// `stop`: part of the interrupt that the reader asks.
    pub(crate) fn new(reader: FileReader, stop: Arc<AtomicBool>) -> Self {
        let schema = reader.schema();
        let state = State { source: Source::Open(Box::new(reader)), handed_over: false };
        Self { schema, state: Guarded::new("reader", state, stop) }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch, for an owner who has not handed the reader over.
    pub(crate) fn next(&self) -> Result<Option<RecordBatch>, Refusal> {
        self.state.with(|state| {
            state.check_own()?;
            self.or_closed(state.next())
        })
    }

    /// From now on, only [`next_of_stream`](Self::next_of_stream) gives batches.
    pub(crate) fn hand_over(&self) -> Result<(), Refusal> {
        self.state.with(|state| {
            state.check_own()?;
            if matches!(state.source, Source::Closed(_)) {
                return Err(Refusal::state(CLOSED));
            }
            state.handed_over = true;
            Ok(())
        })
    }

    /// The next batch, for who it was handed over to.
    pub(crate) fn next_of_stream(&self) -> Result<Option<RecordBatch>, Refusal> {
        self.state.with(|state| self.or_closed(state.next()))
    }

    /// The answer for a thread that stopped because another one closes the reader; asked before that one goes on.
    fn or_closed<T>(&self, next: Result<T, Refusal>) -> Result<T, Refusal> {
        match next {
            Err(Refusal::Error(error)) if self.state.was_stopped(&error) => Err(Refusal::state(CLOSED)),
            next => next,
        }
    }

    pub(crate) fn report(&self) -> Result<Report, Refusal> {
        self.state.with(|state| {
            Ok(match &state.source {
                Source::Open(reader) => reader.report(),
                Source::Closed(report) => report.clone(),
            })
        })
    }

    /// Ends the reading and its threads. In a child of the process that made the reader there is nothing to end.
    pub(crate) fn close(&self) -> Result<(), Refusal> {
        if self.state.is_forked() {
            return Ok(());
        }
        self.state.stop_and(|state| {
            if let Source::Open(reader) = &mut state.source {
                reader.close();
                state.source = Source::Closed(reader.report());
            }
            Ok(())
        })
    }

    /// [`close`](Self::close), unless it goes on as a stream: its owner is gone.
    pub(crate) fn abandon(&self) {
        let alone: Result<bool, Refusal> = self.state.with(|state| Ok(!state.handed_over));
        if matches!(alone, Ok(true)) {
            // It has just been seen to be open to this thread.
            let _ = self.close();
        }
    }
}

impl State {
    fn check_own(&self) -> Result<(), Refusal> {
        if self.handed_over { Err(Refusal::state(HANDED_OVER)) } else { Ok(()) }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Refusal> {
        match &mut self.source {
            Source::Open(reader) => reader.next().transpose().map_err(Refusal::Error),
            Source::Closed(_) => Err(Refusal::state(CLOSED)),
        }
    }
}

impl Default for State {
    /// What is left after a panic, and in a child of the process that made the reader.
    fn default() -> Self {
        Self { source: Source::Closed(Report::default()), handed_over: false }
    }
}
