//! Decoder of one unit: turns some blocks of one file into batches, in order, on one thread.
//!
//! With a predicate, it decodes each block in one of two ways, see [`Way`]. A block that cannot be decoded in one way is decoded
//! in the other, so the choice has no effect on the rows that pass, and on the errors. [`Way::Passing`] accepts damaged values of
//! records that do not pass, outside the columns of the predicate. [`Way::All`] accepts nested values that are too deep to be
//! skipped.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::format::{
    ChunkRun, Claim, Claims, DecodeOptions, LocatedBatch, PassingShare, Unit, UnitDecoder,
};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped, counted, stopped};

use super::file::AvroFile;
use crate::container::block::{Block, BlockReader};
use crate::container::codec::Codec;
use crate::decode::batcher::{Batcher, OpenBlock, Way};
use crate::locate::locate;
use crate::wire::cursor::Stop;

/// Share of passing rows from which on all rows are decoded, and filtered afterwards. On `wide_flat` and `linkedin`, this was
/// slower at 0.8, and faster at 1.
const MANY_PASS: f64 = 0.85;

/// Decodes one unit, batch after batch.
pub(super) struct AvroDecoder {
    file: Arc<AvroFile>,
    on_error: OnError,
    /// Also tracks the block that is being decoded.
    blocks: BlockReader,
    batcher: Batcher,
    /// Present if rows that do not pass a predicate may be left out.
    share: Option<Arc<PassingShare>>,
    /// Rows of the blocks that were decoded in the way [`Way::Passing`].
    selected: PassingShare,
    /// A block that could not be decoded in the first way, and is decoded in the other one next.
    retried: Option<Retry>,
    /// Runs that have not been started.
    runs: VecDeque<ChunkRun>,
    dropped: u64,
    kept: u64,
    /// No more blocks are read, but batches may remain.
    ended: bool,
    /// An error that is returned after the batches before it.
    failure: Option<FeedError>,
    failed: bool,
    claims: Claims,
    /// Covers the time since the last `take_report`.
    report: Report,
}

impl AvroDecoder {
    pub(super) fn new(
        file: Arc<AvroFile>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
        share: Option<Arc<PassingShare>>,
    ) -> Result<Self, FeedError> {
        let mut runs = unit.runs;
        let first = runs.pop_front().unwrap_or(ChunkRun::new(0..0, 0));
        let (dropped, kept) = (first.dropped, first.kept);
        let blocks = file.take_blocks(first).map_err(|error| error.in_file(file.name()))?;
        let mut batcher = file.decoders().take(file.options());
        batcher.start(options.batch_size as u64, unit.first_batch);
        Ok(Self {
            batcher,
            share,
            selected: PassingShare::default(),
            retried: None,
            runs,
            file,
            on_error: options.on_error,
            blocks,
            dropped,
            kept,
            ended: false,
            failure: None,
            failed: false,
            claims: Claims::new(claim),
            report: Report::default(),
        })
    }
}

impl UnitDecoder for AvroDecoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        loop {
            if let Some(batch) = self.batcher.pop() {
                return Ok(Some(batch));
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.ended {
                return Ok(None);
            }
            check.now()?;
            if let Err(error) = self.advance(check) {
                if check.has_stopped() {
                    return Err(error);
                }
                let error = self.file.check_unchanged().err().unwrap_or(error);
                self.failure = Some(error.in_file(self.file.name()));
                (self.ended, self.failed) = (true, true);
                self.end_batch()?;
            }
        }
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    /// Returns the buffers for reuse, except after an error, when their state is unknown.
    fn recycle(self: Box<Self>) {
        if self.ended && !self.failed {
            self.file.decoders().give_back(self.batcher);
            self.file.give_blocks_back(self.blocks);
        }
    }
}

impl AvroDecoder {
    /// Decodes to the end of a block or of a batch, or detects the end.
    fn advance(&mut self, check: &Check<'_>) -> Result<(), FeedError> {
        if self.batcher.in_block() {
            return self.step(check);
        }
        if let Some(retry) = self.retried.take() {
            return self.retry(retry, check);
        }
        if self.kept == 0 {
            return self.end_run();
        }
        match self.blocks.next(check) {
            Ok(Some(block)) => self.begin(block, check),
            Ok(None) => self.end_run(),
            Err(error) => match self.claims.ask_for_damage(error.location().offset)? {
                true => self.skip_frame(error, check),
                false => self.end(),
            },
        }
    }

    fn begin(&mut self, block: Block, check: &Check<'_>) -> Result<(), FeedError> {
        if !self.claims.ask(block.offset)? {
            return self.end();
        }
        let dropped = std::mem::take(&mut self.dropped).min(block.count);
        let kept = (block.count - dropped).min(self.kept);
        self.kept -= kept;
        let way = self.way();
        match self.decode(block, (dropped, kept), way, check) {
            Ok(()) => Ok(()),
            Err(Reason::Stop(stop)) if self.share.is_some() && stop != Stop::Cancelled => {
                self.retried = Some(Retry { block, way, stop });
                Ok(())
            }
            Err(reason) => self.skip_block(block, (dropped, kept), reason, check),
        }
    }

    /// The way that is faster for the next block.
    fn way(&self) -> Way {
        let Some(share) = &self.share else { return Way::All };
        // Until the engine has seen rows, those that this decoder has selected count.
        match share.get().or_else(|| self.selected.get()) {
            Some(share) if share >= MANY_PASS => Way::All,
            _ => Way::Passing,
        }
    }

    /// Decodes a block in the other way. If this fails too, the error is that of all records.
    fn retry(&mut self, retry: Retry, check: &Check<'_>) -> Result<(), FeedError> {
        let Retry { block, way, stop } = retry;
        let rows = (0, block.count);
        match self.decode(block, rows, way.other(), check) {
            Ok(()) => Ok(()),
            Err(Reason::Stop(other)) if way == Way::All && other != Stop::Cancelled => {
                self.skip_block(block, rows, Reason::Stop(stop), check)
            }
            Err(reason) => self.skip_block(block, rows, reason, check),
        }
    }

    /// Begins a block, and decodes its first rows.
    fn decode(
        &mut self,
        block: Block,
        (dropped, kept): (u64, u64),
        way: Way,
        check: &Check<'_>,
    ) -> Result<(), Reason> {
        let open = OpenBlock::new((block.index, block.offset), block.count, dropped, kept).in_way(way);
        let payload = self.blocks.payload(check).map_err(Reason::Error)?;
        self.batcher.begin(open, payload, check).map_err(Reason::Stop)?;
        self.continue_block(block, dropped, check)
    }

    fn step(&mut self, check: &Check<'_>) -> Result<(), FeedError> {
        let (Some(block), Some((dropped, kept))) = (self.blocks.current(), self.batcher.open_rows()) else {
            return Ok(());
        };
        match self.continue_block(block, dropped, check) {
            Ok(()) => Ok(()),
            Err(reason) => self.skip_block(block, (dropped, kept), reason, check),
        }
    }

    fn continue_block(&mut self, block: Block, dropped: u64, check: &Check<'_>) -> Result<(), Reason> {
        let payload = self.blocks.payload(check).map_err(Reason::Error)?;
        self.batcher.step(payload, check).map_err(Reason::Stop)?;
        if self.batcher.in_block() {
            return Ok(());
        }
        // The unit with the first rows of a block counts the block.
        if dropped == 0 {
            self.report.blocks += 1;
            self.report.bytes += block.len();
        }
        let (seen, passed) = self.batcher.take_seen_and_passed();
        self.report.rejected += seen - passed;
        self.selected.count(seen, passed);
        match self.batcher.take_incomparable() {
            Some(error) => Err(Reason::Error(error)),
            None => Ok(()),
        }
    }

    /// Skips a block with corrupt data or returns its error. This unit owns `kept` of its rows, after the first `dropped`.
    fn skip_block(
        &mut self,
        block: Block,
        (dropped, kept): (u64, u64),
        reason: Reason,
        check: &Check<'_>,
    ) -> Result<(), FeedError> {
        let error = match reason {
            Reason::Error(error) => error,
            Reason::Stop(Stop::Cancelled) => stopped(),
            Reason::Stop(stop) => self.locate(block, stop, check),
        };
        if check.has_stopped() {
            return Err(error);
        }
        let error = error.in_block(block.index, block.offset).in_file(self.file.name());
        if !self.on_error.skips_chunk(&error) {
            return Err(error);
        }
        if dropped == 0 {
            self.note(Some(block.index), Some(block.offset), Some(block.count), &error);
        }
        self.batcher.skip_rows(kept).map_err(|_| error)
    }

    /// Skips a block with a corrupt header or sync marker, or returns its error. The number of its rows is unknown.
    fn skip_frame(&mut self, error: FeedError, check: &Check<'_>) -> Result<(), FeedError> {
        let error = error.in_file(self.file.name());
        if !self.on_error.skips_chunk(&error) {
            return Err(error);
        }
        let (block, offset) = (error.location().block, error.location().offset);
        self.note(block, offset, None, &error);
        self.blocks.resync(check)?;
        Ok(())
    }

    fn note(&mut self, block: Option<u64>, offset: Option<u64>, rows: Option<u64>, error: &FeedError) {
        let path = self.file.name().to_string();
        self.report.skipped.push(Skipped { path, block, offset, rows, error: error.to_string() });
    }

    fn locate(&mut self, block: Block, stop: Stop, check: &Check<'_>) -> FeedError {
        let payload = match self.blocks.payload(check) {
            Ok(payload) => payload.bytes(),
            Err(error) => return error,
        };
        let whole = format!("the block after its {}", counted(block.count, "record"));
        let found = locate(
            &self.file.decoders().plan,
            &self.file.options().limits,
            payload,
            block.count,
            stop,
            check,
            &whole,
        );
        let within = found.location().offset.unwrap_or(0);
        let null_codec = self.file.header().codec == Codec::Null;
        let offset = if null_codec { block.data + within } else { block.offset };
        found.with_offset(offset)
    }

    /// Starts the next run, or ends.
    fn end_run(&mut self) -> Result<(), FeedError> {
        let Some(run) = self.runs.pop_front() else { return self.end() };
        (self.dropped, self.kept) = (run.dropped, run.kept);
        self.blocks.restart(run.range, run.first_number)
    }

    fn end(&mut self) -> Result<(), FeedError> {
        self.ended = true;
        self.file.check_unchanged()?;
        self.end_batch()
    }

    fn end_batch(&mut self) -> Result<(), FeedError> {
        let internal =
            |_| FeedError::new(FeedErrorKind::Internal, "rows that passed the checks cannot form a batch");
        self.batcher.finish().map_err(internal)
    }
}

/// A block that is decoded again, in the way that is not `way`, which has stopped.
struct Retry {
    block: Block,
    way: Way,
    stop: Stop,
}

/// The reason why a block cannot be decoded.
enum Reason {
    Stop(Stop),
    Error(FeedError),
}
