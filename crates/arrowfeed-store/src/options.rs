//! Options of a store.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use arrowfeed_source::io::remote::ReadAheadLimits;
use arrowfeed_source::{FeedError, FeedErrorKind};

/// Maximum size of a request, so that sums of sizes do not overflow.
const MAX_REQUEST_BYTES: u64 = 1 << 40;

/// Options of a store. [`Debug`](fmt::Debug) and [`Display`](fmt::Display) show only the keys, never a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreOptions {
    /// Maximum requests in flight while these request 16 MiB or more in total.
    pub max_requests: usize,
    /// Maximum requests in flight while these request less than 16 MiB in total. The key `max_requests` also sets this
    /// option.
    pub max_small_requests: usize,
    /// Maximum bytes that are in flight or buffered.
    pub read_ahead_bytes: u64,
    /// Maximum bytes of one request.
    pub request_bytes: u64,
    /// Ranges are merged into one request if at most this many unread bytes are between them.
    pub gap_bytes: u64,
    /// Maximum number of retries of a request.
    pub max_retries: u64,
    /// Time after the start of a request from which no further attempt is made.
    pub retry_timeout: Duration,
    /// An attempt fails if no byte arrives for this time.
    pub request_timeout: Duration,
    /// An attempt fails if fewer bytes per second arrive during `request_timeout`. 0: no such check.
    pub min_bytes_per_second: u64,
    /// Keys, in lower case, and values that are passed to the client of the store.
    client: BTreeMap<String, String>,
    /// Keys of the public options that the caller has set.
    own: Vec<&'static str>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        let limits = ReadAheadLimits::default();
        Self {
            max_requests: limits.max_requests,
            max_small_requests: limits.max_small_requests,
            read_ahead_bytes: limits.bytes,
            request_bytes: limits.request_bytes,
            gap_bytes: limits.gap,
            max_retries: 10,
            retry_timeout: Duration::from_secs(180),
            request_timeout: Duration::from_secs(30),
            min_bytes_per_second: 1000,
            client: BTreeMap::new(),
            own: Vec::new(),
        }
    }
}

impl StoreOptions {
    /// Parses options from keys, in upper or lower case, and values.
    ///
    /// ```
    /// use arrowfeed_store::StoreOptions;
    /// # fn main() -> Result<(), arrowfeed_source::FeedError> {
    /// let options = StoreOptions::parse([("max_requests", "32"), ("AWS_SECRET_ACCESS_KEY", "hush")])?;
    /// assert_eq!(options.max_requests, 32);
    /// assert_eq!(options.to_string(), "aws_secret_access_key, max_requests");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A value does not have the type of its key. Keys of the client of a store are checked when the store is opened.
    pub fn parse<K: AsRef<str>, V: Into<String>>(
        options: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, FeedError> {
        let mut parsed = Self::default();
        for (key, value) in options {
            parsed.set(&key.as_ref().to_ascii_lowercase(), value.into())?;
        }
        parsed.own.sort_unstable();
        parsed.own.dedup();
        Ok(parsed)
    }

    fn set(&mut self, key: &str, value: String) -> Result<(), FeedError> {
        let own = match key {
            "max_requests" => {
                self.max_requests = number(key, &value, 1)?.try_into().unwrap_or(usize::MAX);
                self.max_small_requests = self.max_requests;
                "max_requests"
            }
            "read_ahead_bytes" => {
                self.read_ahead_bytes = number(key, &value, 1)?;
                "read_ahead_bytes"
            }
            "request_bytes" => {
                self.request_bytes = number(key, &value, 1)?;
                "request_bytes"
            }
            "gap_bytes" => {
                self.gap_bytes = number(key, &value, 0)?;
                "gap_bytes"
            }
            "max_retries" => {
                self.max_retries = number(key, &value, 0)?;
                "max_retries"
            }
            "retry_timeout" => {
                self.retry_timeout = time(key, &value)?;
                "retry_timeout"
            }
            "request_timeout" => {
                self.request_timeout = time(key, &value)?;
                "request_timeout"
            }
            "min_bytes_per_second" => {
                self.min_bytes_per_second = number(key, &value, 0)?;
                "min_bytes_per_second"
            }
            _ => {
                self.client.insert(key.to_owned(), value);
                return Ok(());
            }
        };
        self.own.push(own);
        Ok(())
    }

    /// Keys, in lower case, and values that are passed to the client of the store.
    pub(crate) fn client(&self) -> impl Iterator<Item = (&str, &str)> {
        self.client.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Limits of read-ahead.
    pub fn limits(&self) -> ReadAheadLimits {
        ReadAheadLimits {
            max_requests: self.max_requests,
            max_small_requests: self.max_small_requests,
            bytes: self.read_ahead_bytes,
            request_bytes: self.request_bytes.min(MAX_REQUEST_BYTES),
            gap: self.gap_bytes,
            ..ReadAheadLimits::default()
        }
    }
}

fn wrong(key: &str, expected: &str) -> FeedError {
    let message = format!("storage_options: expected {expected} for {key}, found a different value");
    FeedError::new(FeedErrorKind::Options, message)
}

fn number(key: &str, value: &str, least: u64) -> Result<u64, FeedError> {
    let number = value.trim().parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| wrong(key, &format!("a whole number of at least {least}")))
}

fn time(key: &str, value: &str) -> Result<Duration, FeedError> {
    let text = value.trim();
    let seconds = text.strip_suffix('s').unwrap_or(text).trim_end().parse().ok();
    let time = seconds
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| wrong(key, "a number of seconds"))
}

impl fmt::Display for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys: Vec<&str> =
            self.client.keys().map(String::as_str).chain(self.own.iter().copied()).collect();
        keys.sort_unstable();
        f.write_str(&keys.join(", "))
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreOptions({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(key: &str, value: &str) -> String {
        StoreOptions::parse([(key, value)]).unwrap_err().to_string()
    }

    #[test]
    fn own_keys_have_types() {
        let pairs = [
            ("max_requests", "3"),
            ("READ_AHEAD_BYTES", "1000"),
            ("request_bytes", " 10 "),
            ("max_retries", "0"),
            ("retry_timeout", "30s"),
            ("request_timeout", "0.5"),
            ("min_bytes_per_second", "0"),
            ("Region", "x"),
        ];
        let options = StoreOptions::parse(pairs).unwrap();
        assert_eq!((options.max_requests, options.read_ahead_bytes, options.request_bytes), (3, 1000, 10));
        assert_eq!((options.max_retries, options.retry_timeout), (0, Duration::from_secs(30)));
        assert_eq!(options.request_timeout, Duration::from_millis(500));
        assert_eq!(options.min_bytes_per_second, 0);
        assert_eq!(options.client().collect::<Vec<_>>(), [("region", "x")]);
        assert_eq!((options.limits().max_requests, options.limits().max_small_requests), (3, 3));
    }

    #[test]
    fn a_wrong_value_names_its_key_and_not_the_value() {
        let number = "storage_options: expected a whole number of at least 1 for max_requests, found a different value";
        assert_eq!(message("max_requests", "0"), number);
        assert_eq!(message("max_requests", "secret"), number);
        let time = "storage_options: expected a number of seconds for retry_timeout, found a different value";
        for wrong in ["secret", "-1", "1e99", "NaN", "0"] {
            assert_eq!(message("retry_timeout", wrong), time);
        }
    }

    #[test]
    fn no_value_is_shown() {
        let options = StoreOptions::parse([("token", "hush"), ("max_retries", "77")]).unwrap();
        assert_eq!(format!("{options} {options:?}"), "max_retries, token StoreOptions(max_retries, token)");
    }
}
