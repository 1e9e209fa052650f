//! The rows of batches by length: windows of the order of a dataset, each divided into batches of rows of similar length.
//!
//! ```text
//! BatchRows ──batches of one window──> lengths ──length_plan──> batches
//! ```
//! A position is the position of the dataset before a window, and the number of batches of the window that were yielded. So
//! the rows of a window are read again when an iteration is resumed inside it.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, Report};

use super::iteration::{BatchRows, Started};
use super::length_plan::{batches, shuffle};
use super::length_state::{LengthState, Passed};
use super::options::{IterationOptions, LengthBatches};
use super::reported::Counted;
use super::row_lengths::LengthColumn;
use super::rows::{Gather, Pick, Rows, WindowPieces};
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The rows of batches by length.
pub(super) struct LengthRows {
    /// Its batches are windows.
    rows: Box<dyn BatchRows>,
    options: IterationOptions,
    by_length: LengthBatches,
    column: LengthColumn,
    /// The rows of the current window, and its batches that were not started yet.
    window: Option<Window>,
    /// Number of batches of the next window that were yielded before a loaded state was taken.
    resumed: usize,
    /// The batches that were started but not yielded yet.
    started: VecDeque<StartedBatch>,
    /// The batches of the current window that were yielded.
    passed: Passed,
}

struct Window {
    pieces: WindowPieces,
    batches: VecDeque<Vec<Pick>>,
}

struct StartedBatch {
    rows: u64,
    is_last_of_window: bool,
}

impl LengthRows {
    /// `rows` makes the batches of the options of [`LengthBatches::windows`].
    ///
    /// # Errors
    /// The column of lengths is not read, or has no lengths.
    pub(super) fn new(
        rows: Box<dyn BatchRows>,
        options: IterationOptions,
        by_length: LengthBatches,
    ) -> Result<Self, FeedError> {
        let column = LengthColumn::find(&by_length.column, &rows.schema())?;
        let options = IterationOptions { threads: rows.options().threads, ..options };
        let (window, started) = (None, VecDeque::new());
        Ok(Self { rows, options, by_length, column, window, resumed: 0, started, passed: Passed::default() })
    }

    /// Divides the rows of a window into batches.
    fn divide(&self, rows: Rows) -> Result<Window, DatasetError> {
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
        if self.options.shuffles() {
            shuffle(&mut batches, &lengths, self.options.seed.unwrap_or(0));
        }
        let batches = batches.into_iter().map(|batch| batch.into_iter().map(|row| picks[row]).collect());
        Ok(Window { pieces, batches: batches.collect() })
    }

    /// Leaves out the batches of a resumed window that were yielded before.
    fn resume(&mut self, window: &mut Window) -> Result<(), StateError> {
        let (passed, found) = (std::mem::take(&mut self.resumed), window.batches.len());
        if passed >= found {
            let expected = format!("a position in a window of {found} batches");
            return Err(StateError::new(StateErrorKind::Invalid, expected, passed));
        }
        window.batches.drain(..passed);
        Ok(())
    }

    fn discard(&mut self) {
        self.window = None;
        self.started.clear();
    }
}

impl BatchRows for LengthRows {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    fn options(&self) -> &IterationOptions {
        &self.options
    }

    /// Batches of long rows have fewer ones.
    fn batch_rows(&self) -> usize {
        0
    }

    fn epoch(&self) -> Option<u64> {
        self.rows.epoch()
    }

    fn gathers(&self) -> bool {
        true
    }

    fn pool(&mut self) -> Result<Arc<Pool>, FeedError> {
        self.rows.pool()
    }

    fn start(&mut self, wait: bool) -> Result<Started, DatasetError> {
        let window = match &mut self.window {
            Some(window) => window,
            None => {
                let rows = match self.rows.start(wait)? {
                    Started::Batch(rows) => rows,
                    Started::Pending => return Ok(Started::Pending),
                    Started::Over => return Ok(Started::Over),
                };
                let mut window = self.divide(rows)?;
                if self.resumed > 0 {
                    self.resume(&mut window)?;
                }
                self.window.insert(window)
            }
        };
        let picks = window.batches.pop_front().unwrap_or_default();
        let pieces = window.pieces.clone();
        let is_last_of_window = window.batches.is_empty();
        if is_last_of_window {
            self.window = None;
        }
        self.started.push_back(StartedBatch { rows: picks.len() as u64, is_last_of_window });
        Ok(Started::Batch(Rows::Gathered(Gather::new(vec![pieces], picks))))
    }

    fn yield_started(&mut self) {
        let Some(started) = self.started.pop_front() else { return };
        if started.is_last_of_window {
            self.rows.yield_started();
            self.passed = Passed::default();
        } else {
            self.passed.batches += 1;
            self.passed.rows += started.rows;
        }
    }

    fn end(&mut self, is_over: bool) {
        self.rows.end(is_over);
    }

    fn close(&mut self) {
        self.rows.close();
        self.discard();
    }

    fn report(&self) -> Report {
        let report = self.rows.report();
        Report { rows: report.rows + self.passed.rows, ..report }
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        let report = self.rows.uncounted(counted);
        Report { rows: report.rows + self.passed.rows, ..report }
    }

    fn state(&mut self) -> Result<String, DatasetError> {
        let rows = self.rows.state()?;
        Ok(LengthState::new(&self.by_length, &self.options, self.passed, &rows).to_json())
    }

    fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        let state = LengthState::from_json(state)?;
        state.check(&self.by_length, &self.options)?;
        self.rows.load_state(&state.window())?;
        self.discard();
        (self.passed, self.resumed) = (state.passed, state.passed.batches);
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        self.rows.start_at_epoch(epoch);
        self.discard();
        (self.passed, self.resumed) = (Passed::default(), 0);
    }
}
