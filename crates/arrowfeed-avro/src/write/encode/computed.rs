//! Leaves whose values are checked or computed, so that readers accept everything that is written.
#![expect(clippy::unit_arg, reason = "each arm writes a value and ends well")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use arrowfeed_select::stored_bytes;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted, thousands};

use super::body::Op;
use super::leaf::{Computed, Integers};
use super::nested::Keys;
use crate::decode::fixed::parse_uuid;
use crate::write::plan::Symbols;

/// The error for a value that cannot be written as the Avro type of its column.
#[cold]
#[inline(never)]
pub(super) fn misfit(path: &str, expected: &str, found: impl std::fmt::Display) -> FeedError {
    let message = format!("expected {expected}, found {found}");
    FeedError::new(FeedErrorKind::Conversion, message).in_field(path)
}

/// The values of an array of numbers of this width, whatever their logical type.
pub(super) fn native<T: ArrowNativeType>(array: &ArrayRef) -> ScalarBuffer<T> {
    let data = array.to_data();
    ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len())
}

/// Integers of more than 32 bits as `int`.
pub(super) fn narrow_int(array: &ArrayRef, path: &str) -> Computed {
    let path: Arc<str> = path.into();
    macro_rules! narrow {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values().clone();
            Computed::new(move |slot, out| match i32::try_from(values[slot]) {
                Ok(value) => Ok(out.long(value.into())),
                Err(_) => Err(misfit(&path, "an int of 32 bits", values[slot])),
            })
        }};
    }
    match array.data_type() {
        DataType::Int64 => narrow!(Int64Type),
        DataType::UInt32 => narrow!(UInt32Type),
        _ => narrow!(UInt64Type),
    }
}

/// Unsigned integers of 64 bits as `long`.
pub(super) fn unsigned_long(array: &ArrayRef, path: &str) -> Computed {
    let (values, path): (_, Arc<str>) = (array.as_primitive::<UInt64Type>().values().clone(), path.into());
    Computed::new(move |slot, out| match i64::try_from(values[slot]) {
        Ok(value) => Ok(out.long(value)),
        Err(_) => {
            let expected = "a long of at most 9,223,372,036,854,775,807";
            Err(misfit(&path, expected, thousands(values[slot])))
        }
    })
}

/// Milliseconds of a `Date64` as days.
pub(super) fn days(array: &ArrayRef, path: &str) -> Computed {
    const DAY: i64 = 86_400_000;
    let (values, path): (_, Arc<str>) = (native::<i64>(array), path.into());
    Computed::new(move |slot, out| {
        let value = values[slot];
        match i32::try_from(value / DAY) {
            Ok(days) if value % DAY == 0 => Ok(out.long(days.into())),
            _ => Err(misfit(&path, "milliseconds of whole days within 32 bits", value)),
        }
    })
}

/// Nanoseconds in a unit.
fn nanoseconds(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Converts a number to another unit. `None` if the result does not fit or would lose digits.
fn rescaled(value: i64, from: TimeUnit, to: TimeUnit) -> Option<i64> {
    let (from, to) = (nanoseconds(from), nanoseconds(to));
    if from >= to {
        return value.checked_mul(from / to);
    }
    (value % (to / from) == 0).then(|| value / (to / from))
}

/// Times of day, which must be within the day.
pub(super) fn time_of_day(array: &ArrayRef, to: TimeUnit, path: &str) -> Computed {
    const DAY: i64 = 86_400_000_000_000;
    let path: Arc<str> = path.into();
    let put = move |value: i64, from: TimeUnit, out: &mut super::BlockBuffer| {
        let per_day = DAY / nanoseconds(from);
        if !(0..per_day).contains(&value) {
            let expected =
                format!("a time of day from 0 to {} {}", thousands(per_day as u64 - 1), plural(from));
            return Err(misfit(&path, &expected, value));
        }
        match rescaled(value, from, to) {
            Some(value) => Ok(out.long(value)),
            None => {
                let expected = format!("a time of whole {}, the precision of the Avro type", plural(to));
                Err(misfit(&path, &expected, format!("{value} {}", plural(from))))
            }
        }
    };
    match array.data_type() {
        DataType::Time32(unit) => {
            let (unit, values) = (*unit, native::<i32>(array));
            Computed::new(move |slot, out| put(values[slot].into(), unit, out))
        }
        DataType::Time64(unit) => {
            let (unit, values) = (*unit, native::<i64>(array));
            Computed::new(move |slot, out| put(values[slot], unit, out))
        }
        other => unreachable!("a time of day is no {other}"),
    }
}

/// Timestamps in another unit.
pub(super) fn timestamp(array: &ArrayRef, from: TimeUnit, to: TimeUnit, path: &str) -> Computed {
    let (values, path): (_, Arc<str>) = (native::<i64>(array), path.into());
    Computed::new(move |slot, out| match rescaled(values[slot], from, to) {
        Some(value) => Ok(out.long(value)),
        None => {
            let expected = format!("a timestamp of whole {} within 64 bits", plural(to));
            Err(misfit(&path, &expected, format!("{} {}", values[slot], plural(from))))
        }
    })
}

fn plural(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "seconds",
        TimeUnit::Millisecond => "milliseconds",
        TimeUnit::Microsecond => "microseconds",
        TimeUnit::Nanosecond => "nanoseconds",
    }
}

/// Half-precision numbers as `float`.
pub(super) fn half(array: &ArrayRef) -> Computed {
    let values = array.as_primitive::<Float16Type>().values().clone();
    Computed::new(move |slot, out| Ok(out.array(values[slot].to_f32().to_le_bytes())))
}

/// Numbers that a `double` represents exactly.
pub(super) fn double(array: &ArrayRef) -> Computed {
    macro_rules! widened {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values().clone();
            Computed::new(move |slot, out| Ok(out.array(f64::from(values[slot]).to_le_bytes())))
        }};
    }
    match array.data_type() {
        DataType::Float16 => widened!(Float16Type),
        DataType::Float32 => widened!(Float32Type),
        DataType::Int8 => widened!(Int8Type),
        DataType::Int16 => widened!(Int16Type),
        DataType::Int32 => widened!(Int32Type),
        DataType::UInt8 => widened!(UInt8Type),
        DataType::UInt16 => widened!(UInt16Type),
        _ => widened!(UInt32Type),
    }
}

/// Strings or bytes in any layout.
enum ByteValues {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
}

impl ByteValues {
    fn new(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::Utf8 => Self::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Self::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Self::View(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Self::Small(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Self::Large(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Self::View(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary().clone()),
            other => unreachable!("{other} has no bytes"),
        }
    }

    #[inline(always)]
    fn get(&self, slot: usize) -> &[u8] {
        match self {
            Self::Small(values) => values.value(slot),
            Self::Large(values) => values.value(slot),
            Self::View(values) => values.value(slot),
            Self::Fixed(values) => values.value(slot),
        }
    }
}

/// A length and the bytes.
pub(super) fn sized(array: &ArrayRef) -> Computed {
    let values = ByteValues::new(array);
    Computed::new(move |slot, out| Ok(out.sized(values.get(slot))))
}

/// Bytes as `string`.
pub(super) fn checked_utf8(array: &ArrayRef, path: &str) -> Computed {
    let (values, path): (_, Arc<str>) = (ByteValues::new(array), path.into());
    Computed::new(move |slot, out| {
        let bytes = values.get(slot);
        match simdutf8::basic::from_utf8(bytes) {
            Ok(_) => Ok(out.sized(bytes)),
            Err(_) => Err(misfit(&path, "a string in UTF-8", quoted(&String::from_utf8_lossy(bytes)))),
        }
    })
}

/// Bytes as `fixed`.
pub(super) fn checked_fixed(array: &ArrayRef, size: usize, path: &str) -> Computed {
    let (values, path): (_, Arc<str>) = (ByteValues::new(array), path.into());
    Computed::new(move |slot, out| {
        let bytes = values.get(slot);
        match bytes.len() == size {
            true => Ok(out.extend(bytes)),
            false => Err(misfit(&path, &format!("{size} bytes"), bytes.len())),
        }
    })
}

/// Sixteen bytes as the 36 characters of a UUID.
pub(super) fn uuid_text(array: &ArrayRef) -> Computed {
    let values = ByteValues::new(array);
    Computed::new(move |slot, out| {
        let mut text = [0; 36];
        let bytes = values.get(slot).try_into().expect("sixteen bytes");
        let _ = uuid_simd::format_hyphenated(
            bytes,
            uuid_simd::Out::from_mut(&mut text),
            uuid_simd::AsciiCase::Lower,
        );
        Ok(out.sized(&text))
    })
}

/// Text as a UUID, which is validated because readers do so too.
pub(super) fn checked_uuid(array: &ArrayRef, path: &str) -> Computed {
    let (values, path): (_, Arc<str>) = (ByteValues::new(array), path.into());
    Computed::new(move |slot, out| {
        let text = values.get(slot);
        match parse_uuid(text) {
            Some(_) => Ok(out.sized(text)),
            None => Err(misfit(&path, "a UUID of 36 characters", quoted(&String::from_utf8_lossy(text)))),
        }
    })
}

/// Intervals as `duration`: months, days and milliseconds, each from 0 to 2^32 - 1.
pub(super) fn duration(array: &ArrayRef, path: &str) -> Computed {
    let path: Arc<str> = path.into();
    let put = move |months: i32, days: i32, nanoseconds: i64, out: &mut super::BlockBuffer| {
        let milliseconds = match nanoseconds % 1_000_000 {
            0 => u32::try_from(nanoseconds / 1_000_000).ok(),
            _ => None,
        };
        match (u32::try_from(months), u32::try_from(days), milliseconds) {
            (Ok(months), Ok(days), Some(milliseconds)) => {
                out.array(months.to_le_bytes());
                out.array(days.to_le_bytes());
                out.array(milliseconds.to_le_bytes());
                Ok(())
            }
            _ => {
                let found = format!("{months} months, {days} days and {nanoseconds} nanoseconds");
                let expected =
                    "an interval of 0 or more months, days and whole milliseconds, each within 32 bits";
                Err(misfit(&path, expected, found))
            }
        }
    };
    match array.data_type() {
        DataType::Interval(IntervalUnit::YearMonth) => {
            let values = array.as_primitive::<IntervalYearMonthType>().values().clone();
            Computed::new(move |slot, out| put(values[slot], 0, 0, out))
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let values = array.as_primitive::<IntervalDayTimeType>().values().clone();
            Computed::new(move |slot, out| {
                let value = values[slot];
                put(0, value.days, i64::from(value.milliseconds) * 1_000_000, out)
            })
        }
        _ => {
            let values = array.as_primitive::<IntervalMonthDayNanoType>().values().clone();
            Computed::new(move |slot, out| {
                let value = values[slot];
                put(value.months, value.days, value.nanoseconds, out)
            })
        }
    }
}

fn unknown_symbol(path: &str, found: &[u8]) -> FeedError {
    let found = quoted(&String::from_utf8_lossy(found));
    misfit(path, "a symbol of the enum in the file's schema", found)
}

/// Text as the symbols of an `enum`.
pub(super) fn symbols_of_text(symbols: &Arc<Symbols>, array: &ArrayRef, path: &str) -> Computed {
    let (symbols, values, path): (_, _, Arc<str>) = (symbols.clone(), ByteValues::new(array), path.into());
    Computed::new(move |slot, out| {
        let text = values.get(slot);
        let symbol = std::str::from_utf8(text).ok().and_then(|text| symbols.index.get(text));
        match symbol {
            Some(index) => Ok(out.long((*index).into())),
            None => Err(unknown_symbol(&path, text)),
        }
    })
}

/// The keys of a dictionary of text as the symbols of an `enum`. If the dictionary has more values than keys, or has a value
/// that is not a symbol, each key is looked up on its own. Values of a dictionary of another library to which no key refers
/// may be anything, also if there are more keys than values: batches may have been joined after their import. So values
/// without a key are read with checks.
pub(super) fn symbols_of_keys(
    symbols: &Arc<Symbols>,
    keys: Keys,
    dictionary: &dyn AnyDictionaryArray,
    path: &str,
) -> Op {
    let values = dictionary.values();
    if values.len() <= dictionary.len() {
        let symbol = |key| {
            let text = stored_bytes(values, key)?;
            symbols.index.get(std::str::from_utf8(&text).ok()?).copied()
        };
        let known: Option<Vec<i32>> = (0..values.len()).map(symbol).collect();
        if let Some(known) = known {
            // The key under a null may be anything.
            let of_slot = |slot| known.get(keys.of(slot)).copied().unwrap_or(0);
            return Op::I32(vec![Integers((0..dictionary.len()).map(of_slot).collect())]);
        }
    }
    let (symbols, text, path): (_, _, Arc<str>) = (symbols.clone(), ByteValues::new(values), path.into());
    Op::Computed(vec![Computed::new(move |slot, out| {
        let text = text.get(keys.of(slot));
        let found = std::str::from_utf8(text).ok().and_then(|text| symbols.index.get(text));
        let symbol = found.ok_or_else(|| unknown_symbol(&path, text))?;
        Ok(out.long((*symbol).into()))
    })])
}
