//! Texts and numbers as arrays.

use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray, NullArray, StringArray};
use arrow_cast::parse::Parser;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use crate::numbers::{boolean, decimal, finite, float64};
use crate::temporal::{ColumnZone, date_value, per_second, time_value, timestamp};

const SECONDS_PER_DAY: i64 = 86_400;
const MILLIS_PER_DAY: i64 = 1000 * SECONDS_PER_DAY;

/// A value in a file.
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    /// A null.
    Null,
    /// A cell of CSV, or a string of JSON.
    Text(&'a str),
    /// A number of JSON.
    Number(&'a str),
    /// Another value of JSON.
    Other,
}

impl<'a> Cell<'a> {
    /// The text of a string or number.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            Self::Null | Self::Other => None,
        }
    }
}

/// The values of cells as an array of numbers, dates or times.
///
/// # Errors
/// A cell is no value of the type; there are no such arrays of the type.
pub fn array<'a>(
    data_type: &DataType,
    cells: impl ExactSizeIterator<Item = Cell<'a>>,
) -> Result<ArrayRef, ArrowError> {
    macro_rules! timestamps {
        ($type:ty, $unit:expr, $zone:expr) => {{
            let zone = ColumnZone::of($zone.as_deref())?;
            primitive::<$type>(data_type, cells, |cell| match cell {
                Cell::Text(text) => timestamp::<{ per_second($unit) }>(text, zone),
                _ => Int64Type::parse(cell.text()?),
            })
        }};
    }
    macro_rules! times {
        ($type:ty, $unit:expr) => {
            primitive::<$type>(data_type, cells, |cell| {
                match cell {
                    Cell::Text(text) => time_value::<{ per_second($unit) }>(text)?,
                    _ => time_number::<{ per_second($unit) }>(cell.text()?)?,
                }
                .try_into()
                .ok()
            })
        };
    }
    macro_rules! decimals {
        ($type:ty, $precision:expr, $scale:expr) => {{
            validate_decimal_precision_and_scale::<$type>($precision, $scale)?;
            primitive::<$type>(data_type, cells, |cell| decimal::<$type>(cell.text()?, $precision, $scale))
        }};
    }
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    match data_type {
        DataType::Int8 => primitive::<Int8Type>(data_type, cells, |cell| Int8Type::parse(cell.text()?)),
        DataType::Int16 => primitive::<Int16Type>(data_type, cells, |cell| Int16Type::parse(cell.text()?)),
        DataType::Int32 => primitive::<Int32Type>(data_type, cells, |cell| Int32Type::parse(cell.text()?)),
        DataType::Int64 => primitive::<Int64Type>(data_type, cells, |cell| Int64Type::parse(cell.text()?)),
        DataType::UInt8 => primitive::<UInt8Type>(data_type, cells, |cell| UInt8Type::parse(cell.text()?)),
        DataType::UInt16 => primitive::<UInt16Type>(data_type, cells, |cell| UInt16Type::parse(cell.text()?)),
        DataType::UInt32 => primitive::<UInt32Type>(data_type, cells, |cell| UInt32Type::parse(cell.text()?)),
        DataType::UInt64 => primitive::<UInt64Type>(data_type, cells, |cell| UInt64Type::parse(cell.text()?)),
        DataType::Float16 => primitive::<Float16Type>(data_type, cells, |cell| {
            let text = cell.text()?;
            finite(text, Float16Type::parse(text)?, |value| value.is_infinite())
        }),
        DataType::Float32 => primitive::<Float32Type>(data_type, cells, |cell| {
            let text = cell.text()?;
            finite(text, Float32Type::parse(text)?, f32::is_infinite)
        }),
        DataType::Float64 => primitive::<Float64Type>(data_type, cells, |cell| float64(cell.text()?)),
        DataType::Decimal32(precision, scale) => decimals!(Decimal32Type, *precision, *scale),
        DataType::Decimal64(precision, scale) => decimals!(Decimal64Type, *precision, *scale),
        DataType::Decimal128(precision, scale) => decimals!(Decimal128Type, *precision, *scale),
        DataType::Decimal256(precision, scale) => decimals!(Decimal256Type, *precision, *scale),
        DataType::Date32 => primitive::<Date32Type>(data_type, cells, |cell| match cell {
            Cell::Text(text) => date_value(text),
            _ => Int32Type::parse(cell.text()?),
        }),
        DataType::Date64 => primitive::<Date64Type>(data_type, cells, |cell| match cell {
            Cell::Text(text) => Some(i64::from(date_value(text)?) * MILLIS_PER_DAY),
            _ => Int64Type::parse(cell.text()?).filter(|millis| millis % MILLIS_PER_DAY == 0),
        }),
        DataType::Time32(Second) => times!(Time32SecondType, Second),
        DataType::Time32(Millisecond) => times!(Time32MillisecondType, Millisecond),
        DataType::Time64(Microsecond) => times!(Time64MicrosecondType, Microsecond),
        DataType::Time64(Nanosecond) => times!(Time64NanosecondType, Nanosecond),
        DataType::Timestamp(Second, zone) => timestamps!(TimestampSecondType, Second, zone),
        DataType::Timestamp(Millisecond, zone) => timestamps!(TimestampMillisecondType, Millisecond, zone),
        DataType::Timestamp(Microsecond, zone) => timestamps!(TimestampMicrosecondType, Microsecond, zone),
        DataType::Timestamp(Nanosecond, zone) => timestamps!(TimestampNanosecondType, Nanosecond, zone),
        DataType::Duration(Second) => {
            primitive::<DurationSecondType>(data_type, cells, |cell| Int64Type::parse(cell.text()?))
        }
        DataType::Duration(Millisecond) => {
            primitive::<DurationMillisecondType>(data_type, cells, |cell| Int64Type::parse(cell.text()?))
        }
        DataType::Duration(Microsecond) => {
            primitive::<DurationMicrosecondType>(data_type, cells, |cell| Int64Type::parse(cell.text()?))
        }
        DataType::Duration(Nanosecond) => {
            primitive::<DurationNanosecondType>(data_type, cells, |cell| Int64Type::parse(cell.text()?))
        }
        other => Err(ArrowError::ParseError(format!("no values of {other}"))),
    }
}

fn primitive<'a, T: ArrowPrimitiveType>(
    data_type: &DataType,
    cells: impl ExactSizeIterator<Item = Cell<'a>>,
    parse: impl Fn(Cell<'a>) -> Option<T::Native>,
) -> Result<ArrayRef, ArrowError> {
    let mut values = PrimitiveBuilder::<T>::with_capacity(cells.len()).with_data_type(data_type.clone());
    for cell in cells {
        match cell {
            Cell::Null => values.append_null(),
            cell => match parse(cell) {
                Some(value) => values.append_value(value),
                None => return Err(no_value(data_type)),
            },
        }
    }
    Ok(Arc::new(values.finish()))
}

/// The number of units of a time of day.
fn time_number<const PER_SECOND: i64>(text: &str) -> Option<i64> {
    Int64Type::parse(text).filter(|units| (0..SECONDS_PER_DAY * PER_SECOND).contains(units))
}

/// The values of texts as an array of a type without nested values. A type of dictionaries or runs encodes them.
///
/// # Errors
/// A text is no value of the type; texts have no values of the type.
pub fn of_texts(data_type: &DataType, texts: &StringArray) -> Result<ArrayRef, ArrowError> {
    match data_type {
        DataType::Null if texts.null_count() == texts.len() => Ok(Arc::new(NullArray::new(texts.len()))),
        DataType::Boolean => {
            let value = |text| boolean(text).ok_or_else(|| no_value(data_type));
            let values: Result<BooleanArray, _> =
                texts.iter().map(|text| text.map(value).transpose()).collect();
            Ok(Arc::new(values?))
        }
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => encoded(texts, data_type),
        DataType::Dictionary(_, values) => encoded(&of_texts(values, texts)?, data_type),
        DataType::RunEndEncoded(_, values) => encoded(&of_texts(values.data_type(), texts)?, data_type),
        other => array(other, texts.iter().map(|text| text.map_or(Cell::Null, Cell::Text))),
    }
}

/// Whether texts have values of a type.
pub fn holds_texts(data_type: &DataType) -> bool {
    of_texts(data_type, &StringArray::new_null(0)).is_ok()
}

/// The same values in a type of dictionaries, of runs, or of strings and bytes with another layout.
///
/// # Errors
/// The values do not fit into one array of the type.
pub fn encoded(values: &dyn Array, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(values, data_type, &CastOptions { safe: false, ..CastOptions::default() })
}

#[cold]
fn no_value(data_type: &DataType) -> ArrowError {
    ArrowError::ParseError(format!("no value of {data_type}"))
}
