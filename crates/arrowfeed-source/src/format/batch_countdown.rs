//! The rule for the ends of batches.

/// Counts down the rows until a batch ends. Batches end at multiples of `batch_size` rows, counted from the end of the
/// first batch of a unit. Skipped rows count too, so that batches end at the same rows whatever is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchCountdown {
    batch_size: u64,
    left: u64,
}

impl BatchCountdown {
    /// Starts a unit whose batches have `batch_size` rows. The first batch has `first` rows instead, if that is set.
    pub fn new(batch_size: u64, first: Option<u64>) -> Self {
        Self { batch_size, left: first.unwrap_or(batch_size).max(1) }
    }

    /// Number of rows until the batch ends.
    #[inline]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Whether the batch has no rows yet and will have `batch_size`.
    pub fn is_at_start(&self) -> bool {
        self.left == self.batch_size
    }

    /// Counts rows of the batch, at most [`left`](Self::left).
    #[inline]
    pub fn count(&mut self, rows: u64) {
        self.left -= rows;
    }

    /// Starts the next batch if the batch has ended.
    pub fn restart(&mut self) {
        if self.left == 0 {
            self.left = self.batch_size;
        }
    }

    /// Ends the batch, and starts the next one.
    pub fn end(&mut self) {
        self.left = self.batch_size;
    }

    /// Counts any number of rows. Returns whether a batch has ended among them; the next one has then started.
    pub fn pass(&mut self, rows: u64) -> bool {
        let is_end = rows >= self.left;
        self.left =
            if is_end { self.batch_size - (rows - self.left) % self.batch_size } else { self.left - rows };
        is_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_rows_end_batches_where_counted_rows_do() {
        for (batch_size, first) in [(1, None), (7, None), (7, Some(3)), (7, Some(0))] {
            for rows in 0..30 {
                let (mut counted, mut passed) =
                    (BatchCountdown::new(batch_size, first), BatchCountdown::new(batch_size, first));
                let mut ends = 0;
                for _ in 0..rows {
                    counted.count(1);
                    ends += u64::from(counted.left() == 0);
                    counted.restart();
                }
                assert_eq!((passed.pass(rows), passed), (ends > 0, counted), "{batch_size} {first:?} {rows}");
            }
        }
    }
}
