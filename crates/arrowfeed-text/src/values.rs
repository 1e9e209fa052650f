//! Exact conversion of texts to values of Arrow types, for CSV and JSON Lines.
//!
//! A text is an error if its type cannot store it: nothing is cut, and no number becomes infinite. Floats are rounded to the
//! nearest value of their type. The forms of texts are those of `arrow-cast`.

use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, StringArray};
use arrow_buffer::ArrowNativeType;
use arrow_cast::parse::{Parser, string_to_datetime, string_to_time_nanoseconds, string_to_timestamp_nanos};
use arrow_schema::{ArrowError, DataType, TimeUnit};

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
const MILLIS_PER_DAY: i64 = 1000 * SECONDS_PER_DAY;

/// A value in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
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
pub(crate) fn array<'a>(
    data_type: &DataType,
    cells: impl ExactSizeIterator<Item = Cell<'a>>,
) -> Result<ArrayRef, ArrowError> {
    macro_rules! timestamps {
        ($type:ty, $unit:expr, $zone:expr) => {{
            let zone = Zone::of($zone.as_deref())?;
            primitive::<$type>(data_type, cells, |cell| match cell {
                Cell::Text(text) => timestamp::<{ per_second($unit) }>(text, zone),
                _ => Int64Type::parse(cell.text()?),
            })
        }};
    }
    macro_rules! times {
        ($type:ty, $unit:expr) => {
            primitive::<$type>(data_type, cells, |cell| {
                time::<{ per_second($unit) }>(cell.text()?)?.try_into().ok()
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
            Cell::Text(text) => days(text),
            _ => Int32Type::parse(cell.text()?),
        }),
        DataType::Date64 => primitive::<Date64Type>(data_type, cells, |cell| match cell {
            Cell::Text(text) => Some(i64::from(days(text)?) * MILLIS_PER_DAY),
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
                None => return Err(ArrowError::ParseError(format!("no value of {data_type}"))),
            },
        }
    }
    Ok(Arc::new(values.finish()))
}

/// Whether `arrow-csv` would cut texts to values of a type.
pub(crate) fn is_cut(data_type: &DataType) -> bool {
    data_type.is_decimal() || data_type.is_temporal() && !matches!(data_type, DataType::Interval(_))
}

/// Whether floats have an infinite value, which `arrow-csv` also makes of a number that is too large.
pub(crate) fn is_infinite(array: &dyn Array) -> bool {
    match array.data_type() {
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().any(|value| value.is_infinite())
        }
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().values().iter().any(|value| value.is_infinite())
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().values().iter().any(|value| value.is_infinite())
        }
        _ => false,
    }
}

/// The values of texts, which are not numbers of JSON.
///
/// # Errors
/// As of [`array`].
pub(crate) fn of_texts(data_type: &DataType, texts: &StringArray) -> Result<ArrayRef, ArrowError> {
    array(data_type, texts.iter().map(|text| text.map_or(Cell::Null, Cell::Text)))
}

/// A float. Only a text without digits is infinite.
pub(crate) fn float64(text: &str) -> Option<f64> {
    finite(text, Float64Type::parse(text)?, f64::is_infinite)
}

/// Refuses an infinite value that is not written as such.
fn finite<T: Copy>(text: &str, value: T, is_infinite: impl Fn(T) -> bool) -> Option<T> {
    let is_too_large = is_infinite(value) && text.bytes().any(|byte| byte.is_ascii_digit());
    (!is_too_large).then_some(value)
}

/// A decimal number without more digits than its type has.
fn decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    short_decimal::<T>(text, precision, scale).or_else(|| long_decimal::<T>(text, precision, scale))
}

/// A decimal number of at most 18 digits that has the scale of its type, without an exponent. `None`: another text.
fn short_decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    const BILLION: u64 = 1_000_000_000;
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let (scale, precision) = (usize::try_from(scale).ok()?, usize::from(precision));
    let point = digits.len().checked_sub(scale + usize::from(scale > 0)).filter(|point| *point > 0)?;
    if digits.len() > 18 || point > precision - scale || (scale > 0 && digits[point] != b'.') {
        return None;
    }
    let mut value = 0;
    for (place, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value * 10 + u64::from(digit);
        } else if place != point {
            return None;
        }
    }
    // Each part fits into 32 bits.
    let part = |value: u64| T::Native::usize_as(value as usize);
    let value = part(value / BILLION).mul_wrapping(part(BILLION)).add_wrapping(part(value % BILLION));
    Some(if text.starts_with('-') { value.neg_wrapping() } else { value })
}

/// A decimal number of any form.
fn long_decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (digits, exponent) = match unsigned.find(['e', 'E']) {
        Some(end) => (&unsigned[..end], exponent(&unsigned[end + 1..])?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, fraction) = (whole.as_bytes(), fraction.as_bytes());
    if whole.len() + fraction.len() == 0 || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    // The value is all digits, times ten to this power, in units of the last decimal place.
    let mut power = i64::from(scale) + exponent - fraction.len() as i64;
    let (mut value, mut count) = (T::Native::default(), 0_u8);
    let (ten, mut zeros) = (T::Native::usize_as(10), 0_usize);
    for digit in whole.iter().chain(fraction).map(|digit| usize::from(digit - b'0')) {
        // Zeros at the end are kept aside, because the type need not store them.
        if digit == 0 {
            zeros += usize::from(count > 0);
            continue;
        }
        count = u8::try_from(usize::from(count) + zeros + 1).ok().filter(|count| *count <= precision)?;
        for _ in 0..zeros {
            value = value.mul_wrapping(ten);
        }
        value = value.mul_wrapping(ten).add_wrapping(T::Native::usize_as(digit));
        zeros = 0;
    }
    if count == 0 {
        return Some(value);
    }
    power += zeros as i64;
    let more = u8::try_from(power).ok().filter(|more| count.saturating_add(*more) <= precision)?;
    for _ in 0..more {
        value = value.mul_wrapping(ten);
    }
    Some(if text.starts_with('-') { value.neg_wrapping() } else { value })
}

/// The exponent of a number. One that no number of digits balances is the largest.
fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
    Some(if text.starts_with('-') { -size } else { size })
}

/// A date as days since 1970-01-01. Its time, if it has one, is midnight.
fn days(text: &str) -> Option<i32> {
    if text.len() <= 10 || text.starts_with(['-', '+']) {
        return Date32Type::parse(text);
    }
    let seconds = timestamp::<1>(text, Zone::of(None).ok()?)?;
    if seconds % SECONDS_PER_DAY == 0 { i32::try_from(seconds / SECONDS_PER_DAY).ok() } else { None }
}

const fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => NANOS_PER_SECOND,
    }
}

/// A time of day, or the number of its units.
fn time<const PER_SECOND: i64>(text: &str) -> Option<i64> {
    let unit = NANOS_PER_SECOND / PER_SECOND;
    let units = match string_to_time_nanoseconds(text) {
        Ok(nanos) => {
            let fraction = text.find('.').map_or(&[][..], |point| &text.as_bytes()[point + 1..]);
            let is_exact = nanos % unit == 0 && !has_more_than_nanoseconds(fraction);
            // The last second of a minute may be a leap second, which no type stores.
            if !is_exact || text.contains(":60") {
                return None;
            }
            nanos / unit
        }
        Err(_) => Int64Type::parse(text)?,
    };
    (0..SECONDS_PER_DAY * PER_SECOND).contains(&units).then_some(units)
}

/// The zone of a column of timestamps.
#[derive(Debug, Clone, Copy)]
struct Zone {
    /// The zone of texts that name none.
    of_texts: Tz,
    /// Whether the column has no zone.
    is_absent: bool,
}

impl Zone {
    fn of(name: Option<&str>) -> Result<Self, ArrowError> {
        Ok(Self { of_texts: name.unwrap_or("+00:00").parse()?, is_absent: name.is_none() })
    }
}

impl Zone {
    /// The seconds since 1970-01-01T00:00:00Z, and nanoseconds.
    fn instant(self, text: &str) -> Option<(i64, i64)> {
        // This is faster, but has no years far from now.
        if self.is_absent
            && let Ok(nanos) = string_to_timestamp_nanos(text)
        {
            return Some((nanos.div_euclid(NANOS_PER_SECOND), nanos.rem_euclid(NANOS_PER_SECOND)));
        }
        let found = string_to_datetime(&self.of_texts, text).ok()?;
        Some((found.timestamp(), found.timestamp_subsec_nanos().into()))
    }
}

/// A date, or a date and a time. In a column without a zone, an offset other than zero is an error: the value would be another
/// time than the text shows.
fn timestamp<const PER_SECOND: i64>(text: &str, zone: Zone) -> Option<i64> {
    let unit = NANOS_PER_SECOND / PER_SECOND;
    let (seconds, nanos) = zone.instant(text)?;
    // A text that is parsed is a date, or a date, a separator and a time: `hh:mm:ss`, perhaps with a fraction, or `hhmmss`.
    let bytes = text.as_bytes();
    let (last, mut end) = if bytes.get(13) == Some(&b':') { (17, 19) } else { (15, 17) };
    // A leap second, which no type stores.
    if bytes.get(last..end) == Some(b"60") {
        return None;
    }
    if end == 19 && bytes.get(end) == Some(&b'.') {
        let fraction = &bytes[end + 1..];
        end += 1 + fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if has_more_than_nanoseconds(fraction) {
            return None;
        }
    }
    let offset = bytes.get(end..).unwrap_or_default();
    if zone.is_absent
        && !matches!(offset, [] | [b'Z' | b'z'])
        && zone.instant(&text[..end])? != (seconds, nanos)
    {
        return None;
    }
    if nanos % unit != 0 {
        return None;
    }
    i64::try_from(i128::from(seconds) * i128::from(PER_SECOND) + i128::from(nanos / unit)).ok()
}

/// Whether the digits at the start of a fraction of seconds are more than nanoseconds can store.
fn has_more_than_nanoseconds(fraction: &[u8]) -> bool {
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
    digits.skip(9).any(|digit| *digit != b'0')
}
