//! The literals of a predicate.

use std::fmt;

use crate::temporal;
use crate::{Decimal, PredicateError};

/// Characters of a literal or predicate in a message.
const MOST_SHOWN: usize = 100;

/// A value that is compared with a column.
///
/// Literals are equal if they have the same text. So an instant is equal to the string of its ISO 8601 text, which a
/// comparison with a column of timestamps takes as well.
///
/// [`Predicate`](crate::Predicate) has an example.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer, a decimal or a finite float. A float with a fraction is the number of its shortest decimal text.
    Number(Decimal),
    /// `inf`
    Infinity,
    /// `-inf`
    NegativeInfinity,
    /// `nan`
    NaN,
    /// Text. For columns of temporal types it is ISO 8601, and for columns of decimals a number.
    String(String),
    /// Bytes: `x"00ff"`.
    Binary(Vec<u8>),
    /// Days since 1970-01-01.
    Date(i64),
    /// Nanoseconds since midnight.
    Time(i64),
    /// Nanoseconds since 1970-01-01 00:00, without a time zone.
    Timestamp(i128),
    /// Nanoseconds since 1970-01-01 00:00 UTC: a timestamp with a time zone.
    Instant(i128),
    /// Nanoseconds.
    Duration(i128),
}

impl Literal {
    /// Reads an exact decimal number.
    ///
    /// # Errors
    /// The text is not a number, or it has more than 76 digits.
    pub fn decimal(text: &str) -> Result<Self, PredicateError> {
        text.parse().map(Self::Number).map_err(|expected: &str| PredicateError::Syntax {
            position: 1,
            expected: expected.to_owned(),
            found: shortened(&format!("{text:?}")),
        })
    }
}

impl Literal {
    /// The text for a message, which tells a temporal literal from the string of its text.
    pub(crate) fn described(&self) -> String {
        let kind = match self {
            Self::Date(_) => "the date ",
            Self::Time(_) => "the time ",
            Self::Timestamp(_) | Self::Instant(_) => "the timestamp ",
            Self::Duration(_) => "the duration ",
            _ => "",
        };
        format!("{kind}{self}")
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Literal {}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Infinity => f.write_str("inf"),
            Self::NegativeInfinity => f.write_str("-inf"),
            Self::NaN => f.write_str("nan"),
            Self::String(text) => f.write_str(&quoted(text)),
            Self::Binary(bytes) => {
                f.write_str("x\"")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("\"")
            }
            Self::Date(_) | Self::Time(_) | Self::Timestamp(_) | Self::Instant(_) | Self::Duration(_) => {
                write!(f, "\"{}\"", temporal::text(self))
            }
        }
    }
}

/// The start of a text for a message.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Literal {
            fn from(value: $integer) -> Self {
                Self::Number(Decimal::from(i128::from(value)))
            }
        }
    )*};
}
from_integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

impl From<f64> for Literal {
    fn from(value: f64) -> Self {
        match Decimal::from_float(value) {
            Some(number) => Self::Number(number),
            None if value.is_nan() => Self::NaN,
            None if value < 0.0 => Self::NegativeInfinity,
            None => Self::Infinity,
        }
    }
}

impl From<f32> for Literal {
    /// The number of the same value as `f64`.
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}

impl From<Decimal> for Literal {
    fn from(value: Decimal) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Literal {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Literal {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Vec<u8>> for Literal {
    fn from(value: Vec<u8>) -> Self {
        Self::Binary(value)
    }
}

impl From<&[u8]> for Literal {
    fn from(value: &[u8]) -> Self {
        Self::Binary(value.to_vec())
    }
}
