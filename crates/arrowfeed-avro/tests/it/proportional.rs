//! A check that the time of work is proportional to its input.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::sync::{Mutex, PoisonError};
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
/// Four runs over the small input are compared with one run over the large input. If the work is proportional, both take equally
/// long, so other load slows down both alike. The fastest of three runs counts, and of more runs on a busy machine.
#[track_caller]
pub(crate) fn is_proportional(time: impl Fn(usize) -> Duration) {
    // Tests that run at the same time would slow each other down.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    for run in 1..=20 {
        few = few.min((0..4).map(|_| time(1)).sum());
        many = many.min(time(4));
        if run >= 3 && 4 * many < 10 * few {
            return;
        }
    }
    panic!("{:?}, and of four times as many {many:?}", few / 4);
}
