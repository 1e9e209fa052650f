//! The rows of batches by length: windows of the order of a dataset, each divided into batches of rows of similar length.
//!
//! ```text
//! RowSource ──batches of one window──> lengths ──length_plan──> batches
//! ```
//! A position is the position of the dataset before a window, and the number of batches of the window that were yielded. So
//! the rows of a window are read again when an iteration is resumed inside it. Shards that take turns read the same windows,
//! and yield one batch of each group of as many batches.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, Report};

use super::plan::{batches, shuffle};
use super::row_lengths::LengthColumn;
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::files::row_errors::miscounted;
use crate::dataset::options::{IterationOptions, LengthBatches};
use crate::dataset::rows::gather::{Gather, Pick, Rows, WindowPieces};
use crate::dataset::rows::source::{RowSource, Started};
use crate::dataset::state::checkpoint::{Checkpoint, other_epochs};
use crate::dataset::state::counts::Counts;
use crate::dataset::state::position::Position;
use crate::dataset::state::reported::Counted;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The rows of batches by length.
pub(crate) struct LengthRows {
    /// Its batches are windows.
    rows: Box<dyn RowSource>,
    options: IterationOptions,
    by_length: LengthBatches,
    column: LengthColumn,
    /// Index of the batch that this iteration yields of each group of batches, and the number of batches of a group.
    turn: (usize, usize),
    /// The batches of windows that were not started yet.
    batches: VecDeque<WindowBatch>,
    /// Number of batches of the next window that were yielded before a loaded state was taken.
    resumed: usize,
    /// Number of batches of the current window that were started.
    started_batches: usize,
    /// The batches that were started but not yielded yet.
    started: VecDeque<StartedBatch>,
    /// The position after the last batch that was yielded.
    passed: Passed,
}

/// A batch of the rows of a window.
struct WindowBatch {
    pieces: WindowPieces,
    picks: Vec<Pick>,
    is_last_of_window: bool,
}

/// The position after a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Passed {
    /// Number of batches of the current window before it.
    batches: usize,
    /// Number of rows of all batches that were yielded.
    rows: u64,
}

struct StartedBatch {
    rows: u64,
    /// Number of windows that end with its group.
    windows: usize,
    /// Number of batches of the current window after its group.
    batches: usize,
}

impl LengthRows {
    /// `rows` makes the batches of the options of [`LengthBatches::windows`].
    ///
    /// # Errors
    /// The column of lengths is not read, or has no lengths.
    pub(crate) fn new(
        rows: Box<dyn RowSource>,
        options: IterationOptions,
        by_length: LengthBatches,
    ) -> Result<Self, FeedError> {
        let column = LengthColumn::find(&by_length.column, &rows.schema())?;
        let options = IterationOptions { threads: rows.options().threads, ..options };
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let turn = match by_length.takes_turns {
            true => (number(options.shard.0), number(options.shard.1)),
            false => (0, 1),
        };
        Ok(Self {
            rows,
            options,
            by_length,
            column,
            turn,
            batches: VecDeque::new(),
            resumed: 0,
            started_batches: 0,
            started: VecDeque::new(),
            passed: Passed::default(),
        })
    }

    /// Adds the batches of a window.
    fn add_window(&mut self, rows: Rows) -> Result<(), DatasetError> {
        let (pieces, picks) = rows.into_picks();
        let mut known: Vec<Option<Vec<u64>>> = vec![None; pieces.len()];
        let mut lengths = Vec::with_capacity(picks.len());
        for &(piece, row) in &picks {
            let of_piece = match &mut known[piece] {
                Some(lengths) => lengths,
                unknown => unknown.insert(self.column.lengths(&pieces[piece])?),
            };
            lengths.push(of_piece[row]);
        }
        if let (Some(most), Some(longest)) = (self.by_length.max_tokens, lengths.iter().max())
            && *longest > most.get()
        {
            return Err(self.column.too_long(*longest, most.get()).into());
        }
        let mut batches = batches(&lengths, &self.by_length, self.options.batch_size);
        let rows: usize = batches.iter().map(Vec::len).sum();
        if rows != lengths.len() {
            return Err(miscounted(lengths.len() as u64, "in the batches of a window", rows as u64).into());
        }
        if self.options.shuffles() {
            shuffle(&mut batches, &lengths, self.rows.seed().unwrap_or(0));
        }
        let (resumed, count) = (std::mem::take(&mut self.resumed), batches.len());
        if resumed > 0 && resumed >= count {
            let expected = format!("a position in a window of {count} batches");
            return Err(StateError::new(StateErrorKind::Invalid, expected, resumed).into());
        }
        self.batches.extend(batches.into_iter().enumerate().skip(resumed).map(|(number, batch)| {
            WindowBatch {
                pieces: pieces.clone(),
                picks: batch.into_iter().map(|row| picks[row]).collect(),
                is_last_of_window: number + 1 == count,
            }
        }));
        Ok(())
    }

    /// Discards the batches that were read, and continues at the yielded position.
    fn discard(&mut self) {
        self.batches.clear();
        self.started.clear();
        (self.resumed, self.started_batches) = (self.passed.batches, self.passed.batches);
    }
}

impl RowSource for LengthRows {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    fn formats(&self) -> Vec<&'static str> {
        self.rows.formats()
    }

    /// Batches of long rows have fewer ones.
    fn batch_rows(&self) -> usize {
        0
    }

    fn epoch(&self) -> Option<u64> {
        self.rows.epoch()
    }

    fn seed(&self) -> Option<u64> {
        self.rows.seed()
    }

    fn gathers(&self) -> bool {
        true
    }

    fn pool(&mut self) -> Result<Arc<Pool>, FeedError> {
        self.rows.pool()
    }

    fn start(&mut self, wait: bool) -> Result<Started, DatasetError> {
        let (index, count) = self.turn;
        while self.batches.len() < count {
            match self.rows.start(wait)? {
                Started::Batch(rows) => self.add_window(rows)?,
                Started::Pending => return Ok(Started::Pending),
                // The last batches, which do not fill a group, are dropped.
                Started::Over => return Ok(Started::Over),
            }
        }
        let (mut own, mut windows) = (None, 0);
        for (number, batch) in self.batches.drain(..count).enumerate() {
            self.started_batches += 1;
            if batch.is_last_of_window {
                (windows, self.started_batches) = (windows + 1, 0);
            }
            if number == index {
                own = Some(Gather::new(vec![batch.pieces], batch.picks));
            }
        }
        let own = own.unwrap_or_default();
        let (rows, batches) = (own.picks.len() as u64, self.started_batches);
        self.started.push_back(StartedBatch { rows, windows, batches });
        Ok(Started::Batch(Rows::Gathered(own)))
    }

    fn yield_started(&mut self) {
        let Some(started) = self.started.pop_front() else { return };
        for _ in 0..started.windows {
            self.rows.yield_started();
        }
        self.passed = Passed { batches: started.batches, rows: self.passed.rows + started.rows };
    }

    fn end(&mut self, is_over: bool) {
        self.rows.end(is_over);
        if is_over {
            self.passed.batches = 0;
        }
    }

    fn close(&mut self) {
        self.rows.close();
        self.discard();
    }

    fn report(&self) -> Report {
        Report { rows: self.passed.rows, ..self.rows.report() }
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        Report { rows: self.passed.rows, ..self.rows.uncounted(counted) }
    }

    fn files(&self) -> Vec<CountedFiles<'_>> {
        self.rows.files()
    }

    fn checkpoint(&mut self, reads_contents: bool) -> Result<Checkpoint, DatasetError> {
        let at = self.rows.checkpoint(reads_contents)?;
        let Passed { batches, rows } = self.passed;
        let window = Box::new(at.position.clone());
        let position = Position::Length { window, rows: at.report.rows, batches };
        let report = Counts { rows, ..at.report.clone() };
        Ok(at.with_options(&self.options).with_position(position, report))
    }

    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError> {
        let &Position::Length { ref window, rows, batches } = &at.position else {
            return Err(Position::other_kind().into());
        };
        // A window of several epochs has other rows, and so other batches, if it is the last one.
        let crosses_epochs = self.options.across_epochs || at.is_mixed();
        let own_epochs = self.options.epochs.map(u64::from);
        if own_epochs != at.epochs() && batches > 0 && crosses_epochs {
            let error = other_epochs(own_epochs, at.epochs(), |saved| {
                format!(
                    "epochs {saved} and a position inside a window of several epochs: load it with epochs {saved}"
                )
            });
            return Err(error.into());
        }
        let report = Counts { rows, ..at.report.clone() };
        self.rows.resume(&at.clone().with_position((**window).clone(), report))?;
        self.passed = Passed { batches, rows: at.report.rows };
        self.discard();
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        self.rows.start_at_epoch(epoch);
        self.passed = Passed::default();
        self.discard();
    }
}
