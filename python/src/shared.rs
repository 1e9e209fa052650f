//! A reader that several Python threads share and that can be handed over to Arrow's C interface.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::source::run::FileReader;
use arrowfeed::source::stats::{Meter, Stats};
use arrowfeed::source::{Report, SchemaMerge, Skipped};

use crate::guarded::{CallError, Guarded};
use crate::progress::{Progress, Shown};
use crate::skipped::SkippedFiles;

/// A reader that one thread at a time may use, and only in the process that created it.
pub(crate) struct SharedReader {
    schema: SchemaRef,
    merge: Option<Arc<SchemaMerge>>,
    state: Guarded<State>,
    /// Outside of the state, so that no thread waits for its figures.
    meter: Arc<Meter>,
    progress: Progress,
}

struct State {
    source: Source,
    skipped: SkippedFiles,
    /// Whether the batches go through the C interface.
    handed_over: bool,
}

enum Source {
    Open(Box<FileReader>),
    Closed(Report),
}

const CLOSED: &str = "expected an open reader, found it closed";
const HANDED_OVER: &str = "this reader was already consumed through __arrow_c_stream__; open a new one";

impl SharedReader {
    /// `stop`: part of the interrupt that the reader checks.
    pub(crate) fn new(reader: FileReader, stop: Arc<AtomicBool>, progress: Progress) -> Self {
        let (schema, merge, meter) = (reader.schema(), reader.merge().cloned(), reader.meter().clone());
        let source = Source::Open(Box::new(reader));
        let state = State { source, skipped: SkippedFiles::default(), handed_over: false };
        Self { schema, merge, state: Guarded::new("reader", state, stop), meter, progress }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The result of the merge that made the schema, if there was one.
    pub(crate) fn merge(&self) -> Option<&SchemaMerge> {
        self.merge.as_deref()
    }

    /// The figures so far.
    pub(crate) fn stats(&self) -> Stats {
        self.meter.stats()
    }

    /// Returns the next batch, unless the reader was handed over. `skipped` receives the first skipped part of each file that
    /// is new since the last batch.
    pub(crate) fn next(&self, skipped: &mut Vec<Skipped>) -> Result<Option<RecordBatch>, CallError> {
        self.followed(self.state.with(|state| {
            state.check_own()?;
            let next = self.or_closed(state.next());
            *skipped = state.first_skipped();
            next
        }))
    }

    /// Hands the reader over. After that, only [`next_of_stream`](Self::next_of_stream) returns batches.
    pub(crate) fn hand_over(&self) -> Result<(), CallError> {
        self.state.with(|state| {
            state.check_own()?;
            if matches!(state.source, Source::Closed(_)) {
                return Err(CallError::state(CLOSED));
            }
            state.handed_over = true;
            Ok(())
        })
    }

    /// Returns the next batch to the consumer of a reader that was handed over. `skipped`: as for [`next`](Self::next).
    pub(crate) fn next_of_stream(
        &self,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Option<RecordBatch>, CallError> {
        self.followed(self.state.with(|state| {
            let next = self.or_closed(state.next());
            *skipped = state.first_skipped();
            next
        }))
    }

    /// Moves the progress bar.
    fn followed(
        &self,
        next: Result<Option<RecordBatch>, CallError>,
    ) -> Result<Option<RecordBatch>, CallError> {
        if !matches!(next, Err(CallError::State(_))) {
            self.progress.follow(&next, || self.shown());
        }
        next
    }

    fn shown(&self) -> Option<Shown> {
        let rows = self.report().ok()?.rows;
        Some(Shown { rows, wait_share: self.stats().waits.share })
    }

    /// The result for a thread that stopped because another thread closes the reader. It must be called before the other
    /// thread continues.
    fn or_closed<T>(&self, next: Result<T, CallError>) -> Result<T, CallError> {
        match next {
            Err(CallError::Error(error)) if self.state.was_stopped(&error) => Err(CallError::state(CLOSED)),
            next => next,
        }
    }

    pub(crate) fn report(&self) -> Result<Report, CallError> {
        self.state.with(|state| {
            Ok(match &state.source {
                Source::Open(reader) => reader.report(),
                Source::Closed(report) => report.clone(),
            })
        })
    }

    /// Ends the reading and its threads. In a forked child there is nothing to end.
    pub(crate) fn close(&self) -> Result<(), CallError> {
        if self.state.is_forked() {
            return Ok(());
        }
        self.state.stop_and(|state| {
            if let Source::Open(reader) = &mut state.source {
                reader.close();
                state.source = Source::Closed(reader.report());
            }
            Ok(())
        })?;
        self.progress.close(|| self.shown());
        Ok(())
    }

    /// Closes a reader whose Python object is dropped, unless it was handed over.
    pub(crate) fn abandon(&self) {
        let alone: Result<bool, CallError> = self.state.with(|state| Ok(!state.handed_over));
        if matches!(alone, Ok(true)) {
            // The call above has succeeded in this thread, so `close` is not refused.
            let _ = self.close();
        }
    }
}

impl State {
    fn check_own(&self) -> Result<(), CallError> {
        if self.handed_over { Err(CallError::state(HANDED_OVER)) } else { Ok(()) }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, CallError> {
        match &mut self.source {
            Source::Open(reader) => reader.next().transpose().map_err(CallError::Error),
            Source::Closed(_) => Err(CallError::state(CLOSED)),
        }
    }

    fn first_skipped(&mut self) -> Vec<Skipped> {
        match &self.source {
            Source::Open(reader) => self.skipped.first(reader.skipped()),
            Source::Closed(report) => self.skipped.first(&report.skipped),
        }
    }
}

impl Default for State {
    /// The state after a panic, and in a forked child.
    fn default() -> Self {
        let source = Source::Closed(Report::default());
        Self { source, skipped: SkippedFiles::default(), handed_over: false }
    }
}
