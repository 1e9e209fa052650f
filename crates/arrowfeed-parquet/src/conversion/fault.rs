//! Errors of values that the requested type cannot represent.

use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
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
                    true => {
                        let value = printable(&values.slice(at, 1));
                        let hint = hint(&value_cast, value.data_type());
                        format!("expected a value that {to} can hold, found {}{hint}", shown(&value))
                    }
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

/// What a user can do. `shown` is the type of the value in the message.
fn hint(cast: &ValueCast, shown: &DataType) -> &'static str {
    match (&cast.from, &cast.to, shown) {
        (&int96::EXACT, DataType::Timestamp(..), DataType::Timestamp(TimeUnit::Second, _)) => {
            ": request a schema with a timestamp of seconds"
        }
        (&int96::EXACT, DataType::Timestamp(TimeUnit::Nanosecond, _) | DataType::Int64, _) => {
            ": request a schema with a timestamp of microseconds"
        }
        (&int96::EXACT, DataType::Timestamp(TimeUnit::Microsecond, _), _) => {
            ": request a schema with a timestamp of nanoseconds"
        }
        _ => "",
    }
}

/// A column of one value, with a type that can be printed.
fn printable(value: &ArrayRef) -> ArrayRef {
    match *value.data_type() == int96::EXACT {
        true => int96::for_message(value),
        false => value.clone(),
    }
}

/// The text of the value of a column of one value.
fn shown(value: &ArrayRef) -> String {
    let text_of = |value: &ArrayRef| {
        ArrayFormatter::try_new(value, &FormatOptions::default())?.value(0).try_to_string()
    };
    // A time in a named zone cannot be formatted without a time zone library, and a year of six digits not at all.
    let ticks = || text_of(&cast(value, &DataType::Int64)?);
    let text = text_of(value).or_else(|_| ticks()).unwrap_or_default();
    let cut: String = text.chars().take(SHOWN).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    match value.data_type().is_numeric() {
        true => text,
        false => format!("{}{dots}", quoted(&cut)),
    }
}
