//! Errors of values that the requested type cannot represent.

use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, TimeUnit};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use super::ValueCast;
use crate::int96;

/// Maximum characters of a value in a message.
const SHOWN: usize = 60;

/// An array with a value that cannot be converted.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// Names of the nested fields, innermost first.
    path: Vec<String>,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    /// One of these values.
    Value(ValueCast, ArrayRef),
    /// An unexpected null, a list of another length, or too many values.
    Array(String),
}

impl Unfit {
    pub(super) fn value(cast: &ValueCast, values: &ArrayRef) -> Self {
        Self { path: Vec::new(), cause: Cause::Value(cast.clone(), values.clone()) }
    }

    pub(super) fn array(message: String) -> Self {
        Self { path: Vec::new(), cause: Cause::Array(message) }
    }

    pub(super) fn in_field(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// Makes the error for a row of a row group.
    #[cold]
    pub(crate) fn into_error(mut self, column: &str, row: u64) -> FeedError {
        let message = match self.cause {
            Cause::Array(text) => text,
            Cause::Value(value_cast, values) => {
                let to = &value_cast.to;
                let at = first_that(values.len(), |at| value_cast.apply(&values.slice(0, at + 1)).is_err());
                match at < values.len() {
                    true => format!(
                        "expected a value that {to} can hold, found {}{}",
                        shown(&values, at),
                        hint(&value_cast)
                    ),
                    false => format!(
                        "expected values that {to} can hold, found too many values in a batch: use a smaller batch_size"
                    ),
                }
            }
        };
        self.path.push(column.to_owned());
        self.path.reverse();
        FeedError::new(FeedErrorKind::Conversion, message).in_field(self.path.join(".")).in_record(row)
    }
}

/// The first number below `end` for which the test is true, found by binary search: the test must be true for all
/// larger numbers as well. `end` if there is none.
pub(crate) fn first_that(end: usize, test: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if test(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// What a user can do.
fn hint(cast: &ValueCast) -> &'static str {
    match (&cast.from, &cast.to) {
        (&int96::EXACT, DataType::Timestamp(TimeUnit::Nanosecond, _) | DataType::Int64) => {
            ": request a schema with a timestamp of microseconds"
        }
        (&int96::EXACT, DataType::Timestamp(TimeUnit::Microsecond, _)) => {
            ": request a schema with a timestamp of nanoseconds"
        }
        _ => "",
    }
}

fn shown(values: &ArrayRef, at: usize) -> String {
    let (values, at) = match *values.data_type() == int96::EXACT {
        true => (&int96::for_message(&values.slice(at, 1)), 0),
        false => (values, at),
    };
    // A time in a named zone cannot be formatted without a time zone library.
    let ticks = || array_value_to_string(&cast(values, &DataType::Int64)?, at);
    let text = array_value_to_string(values, at).or_else(|_| ticks()).unwrap_or_default();
    let cut: String = text.chars().take(SHOWN).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    match values.data_type().is_numeric() {
        true => text,
        false => format!("{}{dots}", quoted(&cut)),
    }
}
