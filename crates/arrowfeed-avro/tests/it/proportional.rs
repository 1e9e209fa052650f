//! A check that the time of work is proportional to its input.

use std::time::{Duration, Instant};

/// The time of `work`.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

/// Asserts that four times the input takes less than ten times as long: quadratic work would take sixteen times as long. `time`
/// gets the factor of the input.
///
/// Four runs over the small input are compared with one run over the large input. The fastest of three runs counts. Other work on
/// the machine changes the result, so only ignored tests, which `make test-alone` runs, call this function.
#[track_caller]
pub(crate) fn is_proportional(time: impl Fn(usize) -> Duration) {
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        few = few.min((0..4).map(|_| time(1)).sum());
        many = many.min(time(4));
    }
    assert!(4 * many < 10 * few, "{:?}, and of four times as many {many:?}", few / 4);
}
