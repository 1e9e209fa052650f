//! Counts of durations in buckets whose width grows with the duration, so that memory is fixed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Buckets for each power of two of nanoseconds. A bucket is at most 1/16 wider than its durations.
const STEPS: u64 = 16;

/// Number of buckets for all durations of up to 2^64 nanoseconds.
const BUCKETS: usize = 61 * STEPS as usize;

/// A histogram that one thread fills while others read it.
#[derive(Debug)]
pub(super) struct Histogram([AtomicU64; BUCKETS]);

impl Default for Histogram {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

/// The bucket of a duration.
fn bucket(nanoseconds: u64) -> usize {
    let shift = (nanoseconds | STEPS).ilog2() - STEPS.ilog2();
    (u64::from(shift) * STEPS + (nanoseconds >> shift)) as usize
}

/// The middle of the durations of a bucket.
fn middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / STEPS).saturating_sub(1);
    let first = (bucket - shift * STEPS) << shift;
    first + ((1 << shift) - 1) / 2
}

impl Histogram {
    pub(super) fn add(&self, nanoseconds: u64) {
        self.0[bucket(nanoseconds)].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn clear(&self) {
        self.0.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// The durations below which these shares of all durations are, within 4 %. Zero if there is none.
    pub(super) fn percentiles<const N: usize>(&self, shares: [f64; N]) -> [Duration; N] {
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let total: u64 = counts.iter().sum();
        shares.map(|share| {
            let wanted = ((total as f64 * share).ceil() as u64).clamp(1, total.max(1));
            let mut seen = 0;
            let found = counts.iter().position(|count| {
                seen += count;
                seen >= wanted
            });
            Duration::from_nanos(found.map_or(0, middle))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_narrow() {
        let mut before = None;
        for shift in 0..64 {
            for nanoseconds in
                [1_u64 << shift, (1 << shift) + ((1 << shift) / 3), (1 << shift) + ((1 << shift) - 1)]
            {
                let found = bucket(nanoseconds);
                assert!(found < BUCKETS && before.is_none_or(|before| before <= found), "{nanoseconds}");
                before = Some(found);
                let error = middle(found).abs_diff(nanoseconds);
                assert!(error <= nanoseconds / 32, "{nanoseconds}: {}", middle(found));
            }
        }
        assert_eq!((bucket(0), bucket(u64::MAX)), (0, BUCKETS - 1));
        for bucket in 0..BUCKETS {
            assert_eq!(super::bucket(middle(bucket)), bucket);
        }
    }

    #[test]
    fn percentiles_are_close_to_those_of_the_sorted_durations() {
        let histogram = Histogram::default();
        assert_eq!(histogram.percentiles([0.5]), [Duration::ZERO]);
        for milliseconds in 1..=1000 {
            histogram.add(milliseconds * 1_000_000);
        }
        let [p50, p95, p99, all] = histogram.percentiles([0.5, 0.95, 0.99, 1.0]);
        for (found, expected) in [(p50, 0.5), (p95, 0.95), (p99, 0.99), (all, 1.0)] {
            assert!((found.as_secs_f64() / expected - 1.0).abs() < 0.04, "{found:?} {expected}");
        }
        histogram.clear();
        assert_eq!(histogram.percentiles([0.5]), [Duration::ZERO]);
    }
}
