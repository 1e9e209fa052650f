//! The counts of a checkpoint.

use arrowfeed_source::{Report, Skipped};
use serde::{Deserialize, Serialize};

use crate::error::{StateError, StateErrorKind};

/// What an iteration has read and skipped. Requests to stores are not part of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) rows: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) rejected: u64,
    pub(crate) blocks: u64,
    pub(crate) bytes: u64,
    pub(crate) skipped: Vec<SavedSkipped>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedSkipped {
    path: String,
    block: Option<u64>,
    offset: Option<u64>,
    rows: Option<u64>,
    error: String,
}

impl Counts {
    /// Checks that an iteration can add to the counts.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        let most = i64::MAX as u64;
        match [self.rows, self.rejected, self.blocks, self.bytes].into_iter().find(|count| *count > most) {
            Some(found) => {
                let expected = format!("counts of a report up to {most}");
                Err(StateError::new(StateErrorKind::Invalid, expected, found))
            }
            None => Ok(()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<&Report> for Counts {
    fn from(report: &Report) -> Self {
        let Report { rows, rejected, blocks, bytes, skipped, .. } = report.clone();
        let skipped = skipped.into_iter().map(|it| {
            let Skipped { path, block, offset, rows, error } = it;
            SavedSkipped { path, block, offset, rows, error }
        });
        Self { rows, rejected, blocks, bytes, skipped: skipped.collect() }
    }
}

impl From<Counts> for Report {
    fn from(counts: Counts) -> Self {
        let Counts { rows, rejected, blocks, bytes, skipped } = counts;
        let skipped = skipped.into_iter().map(|it| {
            let SavedSkipped { path, block, offset, rows, error } = it;
            Skipped { path, block, offset, rows, error }
        });
        Self { rows, rejected, blocks, bytes, skipped: skipped.collect(), ..Self::default() }
    }
}
