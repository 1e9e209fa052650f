//! Finds the records of a block that pass a predicate: decodes its columns, and skips the other fields.

use std::sync::Arc;

use arrowfeed_predicate::CompiledPredicate;
use arrowfeed_source::Limits;
use arrowfeed_source::format::{Incomparable, passing_rows};

use super::rows::RootColumn;
use crate::plan::DecodePlan;
use crate::wire::cursor::{Cursor, Stop};

/// A predicate, and the plan that decodes only its columns.
#[derive(Debug)]
pub(crate) struct Probe {
    pub(crate) plan: DecodePlan,
    pub(crate) predicate: CompiledPredicate,
}

/// Finds passing records, one run of records after another.
#[derive(Debug)]
pub(crate) struct Selector {
    probe: Arc<Probe>,
    root: RootColumn,
    /// Where the records of a run start, as the number of bytes that are left.
    starts: Vec<usize>,
}

/// Passing records that are not decoded yet, by the number of bytes that are left where they start.
#[derive(Debug, Default, Clone)]
pub(crate) struct Selected {
    starts: Vec<usize>,
    next: usize,
}

/// What was found in a run of records.
pub(crate) struct Found<'a> {
    /// Number of records, at least one.
    pub(crate) records: usize,
    pub(crate) after: Cursor<'a>,
    /// The first record of the run that cannot be compared. It and the records after it do not pass.
    pub(crate) incomparable: Option<Incomparable>,
}

impl Selector {
    pub(crate) fn new(probe: Arc<Probe>, limits: &Limits) -> Self {
        let root = RootColumn::new(&probe.plan, limits, limits.batch_bytes);
        Self { probe, root, starts: Vec::new() }
    }

    /// Finds the passing ones of the next `n` records, or of fewer records if `n` do not fit or take too long. `selected` then has
    /// only these.
    pub(crate) fn find<'a>(
        &mut self,
        n: usize,
        cur: Cursor<'a>,
        selected: &mut Selected,
    ) -> Result<Found<'a>, Stop> {
        let (records, after) = self.root.read_with_starts(n, cur, &mut self.starts)?;
        if let Err(stop) = self.root.check_utf8() {
            self.root.clear();
            return Err(stop);
        }
        let batch = self.probe.plan.batch(&self.root.finish());
        let (mask, incomparable) = passing_rows(&self.probe.predicate, &batch);
        selected.clear();
        selected.starts.extend(mask.set_indices().map(|row| self.starts[row]));
        Ok(Found { records, after, incomparable })
    }

    /// The work of the last run, see [`RootColumn::work`].
    pub(crate) fn work(&self) -> usize {
        self.root.work()
    }
}

impl Selected {
    /// The records that are left.
    pub(crate) fn rest(&self) -> &[usize] {
        &self.starts[self.next..]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    /// Removes the first `n` records.
    pub(crate) fn advance(&mut self, n: usize) {
        self.next += n;
    }

    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.next = 0;
    }
}
