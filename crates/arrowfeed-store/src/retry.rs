//! Retries of requests.

use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::time::{Duration, Instant};

use arrowfeed_source::io::remote::RequestCounts;
use arrowfeed_source::{FeedErrorKind, thousands};

use crate::StoreOptions;
use crate::failure::{Failed, Fault, Reason};

/// Maximum delay before the second attempt. It doubles with each further attempt.
const FIRST: Duration = Duration::from_millis(100);
/// Maximum delay before any attempt.
const LONGEST: Duration = Duration::from_secs(5);

/// Reason why a request has failed.
#[derive(Debug, Clone)]
pub(crate) enum RequestFailure {
    /// An error for the caller, and the status of the last response.
    Failed(Failed, Option<u16>),
    /// The server does not support ranges.
    WithoutRanges,
    /// The range starts at or past the end of the object.
    PastEnd,
}

impl From<Failed> for RequestFailure {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed, None)
    }
}

impl RequestFailure {
    /// Converts to the error for a caller for which ranges do not matter.
    pub(crate) fn failed(self, expected: &str) -> Failed {
        let message = |found| Failed::io(io::ErrorKind::Other, format!("expected {expected}, found {found}"));
        match self {
            Self::Failed(failed, _) => failed,
            Self::WithoutRanges => message("that the server does not support ranges"),
            Self::PastEnd => message("status 416 Range Not Satisfiable"),
        }
    }
}

/// Repeats `attempt` as the options allow. Error messages begin with `expected`.
pub(crate) async fn retried<T, F: Future<Output = Result<T, Fault>>>(
    options: &StoreOptions,
    counts: Option<&RequestCounts>,
    expected: &str,
    mut attempt: impl FnMut() -> F,
) -> Result<T, RequestFailure> {
    let start = Instant::now();
    let mut attempts = 0;
    loop {
        if let Some(counts) = counts {
            counts.attempt(attempts > 0);
        }
        attempts += 1;
        let reason = match attempt().await {
            Ok(done) => return Ok(done),
            Err(Fault::WithoutRanges) => return Err(RequestFailure::WithoutRanges),
            Err(Fault::PastEnd) => return Err(RequestFailure::PastEnd),
            Err(Fault::Changed(message)) => {
                let message = message.unwrap_or_else(|| format!("{OPENED}, found it changed"));
                let failed = Failed { kind: FeedErrorKind::Changed, io: io::ErrorKind::Other, message };
                return Err(failed.into());
            }
            Err(Fault::Permanent(reason)) => return Err(gave_up(expected, reason, attempts, start)),
            Err(Fault::Transient(reason)) => reason,
        };
        let delay = random(FIRST.saturating_mul(1 << (attempts - 1).min(16)).min(LONGEST));
        if attempts > options.max_retries || start.elapsed() + delay > options.retry_timeout {
            return Err(gave_up(expected, reason, attempts, start));
        }
        tokio::time::sleep(delay).await;
    }
}

/// Start of the messages of errors of kind [`Changed`](FeedErrorKind::Changed).
const OPENED: &str = "expected the object to be unchanged since it was opened";

fn gave_up(expected: &str, reason: Reason, attempts: u64, start: Instant) -> RequestFailure {
    let Reason { kind, text, status } = reason;
    let mut message = format!("expected {expected}, found {text}");
    if attempts > 1 {
        message += &format!(" after {} attempts in {}", thousands(attempts), seconds(start.elapsed()));
    }
    RequestFailure::Failed(Failed::io(kind, message), status)
}

/// A random time between zero and `most`, so that clients that failed together do not retry together.
fn random(most: Duration) -> Duration {
    let mut hasher = RandomState::new().build_hasher();
    // The child of a fork has the hash keys of its parent.
    hasher.write_u32(std::process::id());
    most.mul_f64(hasher.finish() as f64 / u64::MAX as f64)
}

/// Formats a time: `30 s`, `12.3 s`.
pub(crate) fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_spread() {
        let delays: Vec<Duration> = (0..100).map(|_| random(LONGEST)).collect();
        assert!(delays.iter().all(|delay| *delay <= LONGEST));
        assert!(delays.iter().any(|delay| *delay < LONGEST / 2));
        assert!(delays.iter().any(|delay| *delay > LONGEST / 2));
    }

    #[test]
    fn seconds_are_short() {
        assert_eq!(seconds(Duration::from_secs(30)), "30 s");
        assert_eq!(seconds(Duration::from_millis(12_345)), "12.3 s");
        assert_eq!(seconds(Duration::from_millis(20)), "0 s");
    }
}
