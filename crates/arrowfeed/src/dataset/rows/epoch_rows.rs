//! A check at the end of each epoch: an iteration never ends without an error if its rows do not add up.

use arrowfeed_source::{FeedError, FeedErrorKind, counted, thousands};

use crate::dataset::files::indexed::ExpectedRows;
use crate::dataset::files::row_errors::miscounted;

/// The rows of an epoch that was read from its first row on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EpochRows {
    /// Rows that were returned, kept for the next epoch, or dropped because they do not fill a batch.
    pub(crate) taken: u64,
    /// The number of rejected rows of the report when the epoch began.
    pub(crate) rejected_before: u64,
}

impl EpochRows {
    /// Compares the rows of an epoch that has ended with those of the files. `has_skipped`: parts of the files were skipped, so
    /// rows may be missing.
    ///
    /// # Errors
    /// Rows are missing, or there are too many: a wrong saved index or else a defect of this library, unless a file changed in a
    /// way that its fingerprint does not show.
    pub(crate) fn check(
        self,
        expected: ExpectedRows,
        rejected: u64,
        has_skipped: bool,
    ) -> Result<(), FeedError> {
        let ExpectedRows { rows, has_rejected, is_saved } = expected;
        let found = if has_rejected { self.taken + (rejected - self.rejected_before) } else { self.taken };
        let differs = match has_skipped {
            // A block may be skipped after some of its rows were rejected.
            true => !has_rejected && found > rows,
            false => found != rows,
        };
        match (differs, is_saved) {
            (false, _) => Ok(()),
            (true, true) => Err(other_rows(rows, found)),
            (true, false) => Err(miscounted(rows, "in an epoch of unchanged files", found)),
        }
    }
}

#[cold]
fn other_rows(expected: u64, found: u64) -> FeedError {
    let message = format!(
        "expected {} in an epoch, as in the saved index, found {}",
        counted(expected, "row"),
        thousands(found)
    );
    FeedError::new(FeedErrorKind::Changed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_whose_rows_do_not_add_up_is_an_error() {
        let defect = |found| {
            format!(
                "a defect of this library, please report it: expected 1,000 rows in an epoch of unchanged files, found {found}"
            )
        };
        let changed =
            |found| format!("expected 1,000 rows in an epoch, as in the saved index, found {found}");
        let read = ExpectedRows { rows: 1000, has_rejected: false, is_saved: false };
        let (all, saved) =
            (ExpectedRows { has_rejected: true, ..read }, ExpectedRows { is_saved: true, ..read });
        for (taken, rejected, expected, has_skipped, error) in [
            (1000, 0, read, false, None),
            (999, 0, read, false, Some(defect("999"))),
            (999, 0, read, true, None),
            (1001, 0, read, true, Some(defect("1,001"))),
            (400, 600, read, false, Some(defect("400"))),
            (400, 600, all, false, None),
            (400, 599, all, false, Some(defect("999"))),
            (400, 601, all, true, None),
            (999, 0, saved, false, Some(changed("999"))),
        ] {
            let rows = EpochRows { taken, rejected_before: 7 };
            let found = rows.check(expected, 7 + rejected, has_skipped);
            assert_eq!(found.err().map(|error| error.to_string()), error, "{taken} {rejected} {expected:?}");
        }
    }
}
