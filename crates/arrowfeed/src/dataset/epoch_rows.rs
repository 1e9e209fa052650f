//! A check at the end of each epoch: an iteration never ends without an error if its rows do not add up.

use arrowfeed_source::FeedError;

use super::row_errors::miscounted;

/// The rows of an epoch that was read from its first row on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EpochRows {
    /// Rows that were returned, kept for the next epoch, or dropped because they do not fill a batch.
    pub(super) taken: u64,
    /// The number of rejected rows of the report when the epoch began.
    pub(super) rejected_before: u64,
}

/// The number of rows of an epoch, from the positions of all blocks.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedRows {
    /// The rows that are read. Rows that a filter rejects are not among them.
    Read(u64),
    /// The rows that are read, and the rows that the filter rejects.
    ReadOrRejected(u64),
}

impl EpochRows {
    /// Compares the rows of an epoch that has ended with those of the files. `has_skipped`: parts of the files were skipped, so
    /// rows may be missing.
    ///
    /// # Errors
    /// Rows are missing, or there are too many: a defect of this library, unless a file changed in a way that its fingerprint does
    /// not show.
    pub(super) fn check(
        self,
        expected: ExpectedRows,
        rejected: u64,
        has_skipped: bool,
    ) -> Result<(), FeedError> {
        let (expected, found) = match expected {
            ExpectedRows::Read(rows) => (rows, self.taken),
            ExpectedRows::ReadOrRejected(rows) => (rows, self.taken + (rejected - self.rejected_before)),
        };
        if found > expected || found < expected && !has_skipped {
            return Err(miscounted(expected, "in an epoch of unchanged files", found));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_whose_rows_do_not_add_up_is_an_error() {
        let message = |found| {
            format!(
                "a defect of this library, please report it: expected 1,000 rows in an epoch of unchanged files, found {found}"
            )
        };
        let (read, all) = (ExpectedRows::Read(1000), ExpectedRows::ReadOrRejected(1000));
        for (taken, rejected, expected, has_skipped, error) in [
            (1000, 0, read, false, None),
            (999, 0, read, false, Some(message("999"))),
            (999, 0, read, true, None),
            (1001, 0, read, true, Some(message("1,001"))),
            (400, 600, read, false, Some(message("400"))),
            (400, 600, all, false, None),
            (400, 599, all, false, Some(message("999"))),
            (400, 599, all, true, None),
        ] {
            let rows = EpochRows { taken, rejected_before: 7 };
            let found = rows.check(expected, 7 + rejected, has_skipped);
            assert_eq!(found.err().map(|error| error.to_string()), error, "{taken} {rejected} {expected:?}");
        }
    }
}
