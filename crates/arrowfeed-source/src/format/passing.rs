//! The rows of a batch that pass a predicate, and the share of rows that pass.

use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::Schema;
use arrowfeed_predicate::{CompiledPredicate, Lists, Predicate, PredicateError};

use crate::{FeedError, FeedErrorKind, out_of_memory};

/// Number of rows after which earlier rows count half.
const RECENT: u64 = 1 << 16;

/// Compiles a predicate for the columns of a format.
///
/// # Errors
/// The predicate names a column that does not exist, or compares one with a value of another type.
pub fn compiled(
    predicate: &Predicate,
    schema: &Schema,
    lists: Lists,
) -> Result<CompiledPredicate, FeedError> {
    let compiled = predicate.compile(schema, lists);
    compiled.map_err(|error| FeedError::new(FeedErrorKind::Options, error.to_string()))
}

/// The first row of a batch that a predicate cannot compare.
#[derive(Debug)]
pub struct Incomparable {
    /// The row in the batch.
    pub row: usize,
    error: PredicateError,
}

impl Incomparable {
    /// The error, with the number of the row in its chunk.
    pub fn error(self, record: u64) -> FeedError {
        let error = match self.error {
            PredicateError::SeveralValues { path, values, .. } => {
                let row = usize::try_from(record).unwrap_or(usize::MAX);
                PredicateError::SeveralValues { path, row, values }
            }
            other => other,
        };
        predicate_error(FeedErrorKind::Conversion, &error).with_record(record)
    }
}

/// The error of a predicate: that of a failed allocation, or else one of this kind.
#[cold]
pub fn predicate_error(kind: FeedErrorKind, error: &PredicateError) -> FeedError {
    let memory = if let PredicateError::Arrow(error) = error { out_of_memory(error) } else { None };
    memory.unwrap_or_else(|| FeedError::new(kind, error.to_string()))
}

/// Finds the rows of a batch that pass. Rows from the first incomparable one on do not.
pub fn passing_rows(
    predicate: &CompiledPredicate,
    batch: &RecordBatch,
) -> (BooleanBuffer, Option<Incomparable>) {
    let mut incomparable = None;
    let mut rows = batch.num_rows();
    // Another comparison may fail in an earlier row.
    loop {
        match predicate.keeps(&batch.slice(0, rows)) {
            Ok(mask) if rows == batch.num_rows() => return (mask.values().clone(), None),
            Ok(mask) => {
                let mut padded = BooleanBufferBuilder::new(batch.num_rows());
                padded.append_buffer(mask.values());
                padded.append_n(batch.num_rows() - rows, false);
                return (padded.finish(), incomparable);
            }
            Err(error) => {
                let row = match &error {
                    PredicateError::SeveralValues { row, .. } => *row,
                    _ => 0,
                };
                incomparable = Some(Incomparable { row, error });
                if row == 0 {
                    return (BooleanBuffer::new_unset(batch.num_rows()), incomparable);
                }
                rows = row;
            }
        }
    }
}

/// The share of the recent rows that passed a predicate, of all files and threads. The engine counts the rows.
#[derive(Debug, Default)]
pub struct PassingShare {
    seen: AtomicU64,
    passed: AtomicU64,
}

impl PassingShare {
    /// Counts rows, of which `passed` passed.
    pub fn count(&self, seen: u64, passed: u64) {
        self.seen.fetch_add(seen, Ordering::Relaxed);
        self.passed.fetch_add(passed, Ordering::Relaxed);
        // Threads may do this at the same time. The share only chooses between ways with the same result.
        while self.seen.load(Ordering::Relaxed) >= RECENT {
            for count in [&self.seen, &self.passed] {
                count.store(count.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
            }
        }
    }

    /// The share, from 0 to 1. `None`: no rows were counted.
    pub fn get(&self) -> Option<f64> {
        let seen = self.seen.load(Ordering::Relaxed);
        (seen > 0).then(|| (self.passed.load(Ordering::Relaxed) as f64 / seen as f64).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_follows_the_recent_rows() {
        let share = PassingShare::default();
        assert_eq!(share.get(), None);
        share.count(1000, 250);
        assert_eq!(share.get(), Some(0.25));
        for _ in 0..1000 {
            share.count(1000, 1000);
        }
        assert!(share.get().unwrap() > 0.99);
        for _ in 0..1000 {
            share.count(1000, 0);
        }
        assert!(share.get().unwrap() < 0.01);
    }
}
