//! Values that the promised type cannot hold.

use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use super::ValueCast;

/// Characters of a value in a message.
const SHOWN: usize = 60;

/// An array that has a value which does not convert.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// Names of the fields on the way, the innermost one first.
    path: Vec<String>,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    /// A value among these.
    Value(ValueCast, ArrayRef),
    /// A null where there may be none, a list of another length, too many values.
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

    /// The error of a row of a row group.
    #[cold]
    pub(crate) fn into_error(mut self, column: &str, row: u64) -> FeedError {
        let message = match self.cause {
            Cause::Array(text) => text,
            Cause::Value(value_cast, values) => {
                let to = &value_cast.to;
                let at = first_that(values.len(), |at| value_cast.apply(&values.slice(0, at + 1)).is_err());
                match at < values.len() {
                    true => format!("expected a value that {to} can hold, found {}", shown(&values, at)),
                    false => format!("expected values that {to} can hold, found too many of them in a batch"),
                }
            }
        };
        self.path.push(column.to_owned());
        self.path.reverse();
        FeedError::new(FeedErrorKind::Conversion, message).in_field(self.path.join(".")).in_record(row)
    }
}

/// The first number below `end` for which the test is true, as it is for all numbers behind that one; `end` where there is none.
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

fn shown(values: &ArrayRef, at: usize) -> String {
    // A time in a named zone has no text without a library of zones.
    let ticks = || array_value_to_string(&cast(values, &DataType::Int64)?, at);
    let text = array_value_to_string(values, at).or_else(|_| ticks()).unwrap_or_default();
    let cut: String = text.chars().take(SHOWN).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    match values.data_type().is_numeric() {
        true => text,
        false => format!("{}{dots}", quoted(&cut)),
    }
}
