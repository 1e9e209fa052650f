//! Values as JSON text, in the forms that `docs/command-line.md` lists.

use std::collections::HashMap;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, DecimalType, Float32Type, Float64Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, Time32MillisecondType, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Decimal256Array, FixedSizeBinaryArray,
    StringArray, UnionArray,
};
use arrow_buffer::{IntervalMonthDayNano, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use serde::Serialize;

use super::assemble::{variable_width, with_nulls};

const SECONDS_OF_DAY: i64 = 86_400;

/// Nanoseconds of a millisecond, the unit of Avro durations.
const MILLISECOND: i64 = 1_000_000;

/// Returns the values of a dense union as strings or bytes of `data_type`. Values of the branch `null` are nulls.
pub(super) fn texts(union: &UnionArray, null: Option<i8>, data_type: &DataType) -> ArrayRef {
    let values = Branches::of(union);
    let mut text = Vec::new();
    let mut offsets = Vec::with_capacity(union.len() + 1);
    offsets.push(0_i32);
    for slot in 0..union.len() {
        if Some(values.types[slot]) != null {
            values.write(slot, &mut text);
        }
        // The decoder counts the bytes of the texts before it reads the values.
        offsets.push(i32::try_from(text.len()).expect("texts within the limit of a batch"));
    }
    let array = variable_width(data_type, offsets.into(), text.into());
    with_nulls(array, null.map(|null| values.types.iter().map(|branch| *branch != null).collect()))
}

/// An array whose values are written one by one.
struct Values<'a> {
    nulls: Option<&'a NullBuffer>,
    kind: TypedValues<'a>,
}

enum TypedValues<'a> {
    Null,
    Boolean(&'a BooleanArray),
    Int(&'a [i32]),
    Long(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Text(&'a StringArray),
    Bytes(&'a BinaryArray),
    Fixed(&'a FixedSizeBinaryArray),
    Uuid(&'a FixedSizeBinaryArray),
    Decimal128(&'a Decimal128Array),
    Decimal256(&'a Decimal256Array),
    Date(&'a [i32]),
    TimeMillis(&'a [i32]),
    TimeMicros(&'a [i64]),
    Timestamp { values: &'a [i64], digits: usize, utc: bool },
    Duration(&'a [IntervalMonthDayNano]),
    Symbols { keys: &'a [i32], symbols: &'a StringArray },
    List { offsets: &'a [i32], items: Box<Values<'a>> },
    FixedList { length: usize, items: Box<Values<'a>> },
    Map { offsets: &'a [i32], keys: &'a StringArray, values: Box<Values<'a>> },
    Record(Vec<(String, Values<'a>)>),
    Union(Branches<'a>),
}

/// A dense union.
struct Branches<'a> {
    types: &'a ScalarBuffer<i8>,
    places: &'a ScalarBuffer<i32>,
    /// The key and the values of each branch, by its number.
    branches: Vec<(String, Values<'a>)>,
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> &[T::Native] {
    array.as_primitive::<T>().values()
}

impl<'a> Values<'a> {
    fn of(array: &'a ArrayRef, field: &Field) -> Self {
        let timestamp = |values, digits, utc: bool| TypedValues::Timestamp { values, digits, utc };
        let is_uuid = field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.uuid");
        let kind = match array.data_type() {
            DataType::Null => TypedValues::Null,
            DataType::Boolean => TypedValues::Boolean(array.as_boolean()),
            DataType::Int32 => TypedValues::Int(primitive::<Int32Type>(array)),
            DataType::Int64 => TypedValues::Long(primitive::<Int64Type>(array)),
            DataType::Float32 => TypedValues::Float(primitive::<Float32Type>(array)),
            DataType::Float64 => TypedValues::Double(primitive::<Float64Type>(array)),
            DataType::Utf8 => TypedValues::Text(array.as_string()),
            DataType::Binary => TypedValues::Bytes(array.as_binary()),
            DataType::FixedSizeBinary(_) if is_uuid => TypedValues::Uuid(array.as_fixed_size_binary()),
            DataType::FixedSizeBinary(_) => TypedValues::Fixed(array.as_fixed_size_binary()),
            DataType::Decimal128(..) => TypedValues::Decimal128(array.as_primitive()),
            DataType::Decimal256(..) => TypedValues::Decimal256(array.as_primitive()),
            DataType::Date32 => TypedValues::Date(primitive::<Date32Type>(array)),
            DataType::Time32(_) => TypedValues::TimeMillis(primitive::<Time32MillisecondType>(array)),
            DataType::Time64(_) => TypedValues::TimeMicros(primitive::<Time64MicrosecondType>(array)),
            DataType::Timestamp(TimeUnit::Millisecond, zone) => {
                timestamp(primitive::<TimestampMillisecondType>(array), 3, zone.is_some())
            }
            DataType::Timestamp(TimeUnit::Microsecond, zone) => {
                timestamp(primitive::<TimestampMicrosecondType>(array), 6, zone.is_some())
            }
            DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
                timestamp(primitive::<TimestampNanosecondType>(array), 9, zone.is_some())
            }
            DataType::Interval(_) => TypedValues::Duration(primitive::<IntervalMonthDayNanoType>(array)),
            DataType::Dictionary(..) => {
                let symbols = array.as_dictionary::<Int32Type>();
                TypedValues::Symbols { keys: symbols.keys().values(), symbols: symbols.values().as_string() }
            }
            DataType::List(item) => {
                let list = array.as_list::<i32>();
                let items = Box::new(Values::of(list.values(), item));
                TypedValues::List { offsets: list.value_offsets(), items }
            }
            DataType::FixedSizeList(item, length) => {
                let items = Box::new(Values::of(array.as_fixed_size_list().values(), item));
                TypedValues::FixedList { length: usize::try_from(*length).unwrap_or(0), items }
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let (_, field) = map.entries_fields();
                let values = Box::new(Values::of(map.values(), field));
                TypedValues::Map { offsets: map.value_offsets(), keys: map.keys().as_string(), values }
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                TypedValues::Record(
                    columns.map(|(field, column)| (key(field), Values::of(column, field))).collect(),
                )
            }
            DataType::Union(..) => TypedValues::Union(Branches::of(array.as_union())),
            other => unreachable!("{other} is not decoded for JSON"),
        };
        Self { nulls: array.nulls(), kind }
    }

    fn write(&self, i: usize, text: &mut Vec<u8>) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(i)) {
            return plain(text, "null");
        }
        match &self.kind {
            TypedValues::Null => plain(text, "null"),
            TypedValues::Boolean(values) => serialized(text, &values.value(i)),
            TypedValues::Int(values) => serialized(text, &values[i]),
            TypedValues::Long(values) => serialized(text, &values[i]),
            TypedValues::Float(values) if values[i].is_finite() => serialized(text, &values[i]),
            TypedValues::Float(values) => not_finite(text, values[i].into()),
            TypedValues::Double(values) if values[i].is_finite() => serialized(text, &values[i]),
            TypedValues::Double(values) => not_finite(text, values[i]),
            TypedValues::Text(values) => serialized(text, values.value(i)),
            TypedValues::Bytes(values) => code_points(text, values.value(i)),
            TypedValues::Fixed(values) => code_points(text, values.value(i)),
            TypedValues::Uuid(values) => uuid(text, values.value(i)),
            TypedValues::Decimal128(values) => {
                decimal::<Decimal128Type>(text, values.value(i), values.data_type())
            }
            TypedValues::Decimal256(values) => {
                decimal::<Decimal256Type>(text, values.value(i), values.data_type())
            }
            TypedValues::Date(values) => in_quotes(text, |text| date(text, values[i].into())),
            TypedValues::TimeMillis(values) => in_quotes(text, |text| clock(text, values[i].into(), 3)),
            TypedValues::TimeMicros(values) => in_quotes(text, |text| clock(text, values[i], 6)),
            TypedValues::Timestamp { values, digits, utc } => in_quotes(text, |text| {
                let day = SECONDS_OF_DAY * 10_i64.pow(*digits as u32);
                date(text, values[i].div_euclid(day));
                text.push(b'T');
                clock(text, values[i].rem_euclid(day), *digits);
                if *utc {
                    text.push(b'Z');
                }
            }),
            TypedValues::Duration(values) => {
                let IntervalMonthDayNano { months, days, nanoseconds } = values[i];
                let milliseconds = nanoseconds / MILLISECOND;
                formatted(
                    text,
                    format_args!(r#"{{"months":{months},"days":{days},"milliseconds":{milliseconds}}}"#),
                );
            }
            TypedValues::Symbols { keys, symbols } => serialized(text, symbols.value(keys[i] as usize)),
            TypedValues::List { offsets, items } => {
                list(text, items, offsets[i] as usize..offsets[i + 1] as usize)
            }
            TypedValues::FixedList { length, items } => list(text, items, i * length..(i + 1) * length),
            TypedValues::Map { offsets, keys, values } => {
                map(text, keys, values, offsets[i] as usize..offsets[i + 1] as usize);
            }
            TypedValues::Record(fields) => {
                text.push(b'{');
                for (at, (key, values)) in fields.iter().enumerate() {
                    separate(text, at);
                    plain(text, key);
                    values.write(i, text);
                }
                text.push(b'}');
            }
            TypedValues::Union(branches) => branches.write(i, text),
        }
    }
}

impl<'a> Branches<'a> {
    fn of(union: &'a UnionArray) -> Self {
        let DataType::Union(fields, _) = union.data_type() else { unreachable!("a union") };
        let branch =
            |(id, field): (i8, &arrow_schema::FieldRef)| (key(field), Values::of(union.child(id), field));
        let places = union.offsets().expect("a dense union has offsets");
        Self { types: union.type_ids(), places, branches: fields.iter().map(branch).collect() }
    }

    /// Writes null, or an object whose key is the branch.
    fn write(&self, i: usize, text: &mut Vec<u8>) {
        let (key, values) = &self.branches[self.types[i] as usize];
        if matches!(values.kind, TypedValues::Null) {
            return plain(text, "null");
        }
        text.push(b'{');
        plain(text, key);
        values.write(self.places[i] as usize, text);
        text.push(b'}');
    }
}

/// The name of a field as the key of an object.
fn key(field: &Field) -> String {
    format!("{}:", serde_json::Value::from(field.name().as_str()))
}

fn plain(text: &mut Vec<u8>, json: &str) {
    text.extend_from_slice(json.as_bytes());
}

fn serialized<T: Serialize + ?Sized>(text: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(text, value).expect("numbers and strings have a JSON form");
}

fn formatted(text: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("memory accepts all bytes");
}

fn in_quotes(text: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    text.push(b'"');
    write(text);
    text.push(b'"');
}

fn separate(text: &mut Vec<u8>, at: usize) {
    if at > 0 {
        text.push(b',');
    }
}

fn not_finite(text: &mut Vec<u8>, value: f64) {
    plain(
        text,
        match value {
            f64::INFINITY => r#""Infinity""#,
            f64::NEG_INFINITY => r#""-Infinity""#,
            _ => r#""NaN""#,
        },
    );
}

/// Writes a string with one character for each byte, with the code point of the byte.
fn code_points(text: &mut Vec<u8>, bytes: &[u8]) {
    serialized(text, &bytes.iter().copied().map(char::from).collect::<String>());
}

fn uuid(text: &mut Vec<u8>, bytes: &[u8]) {
    in_quotes(text, |text| {
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push(b'-');
            }
            formatted(text, format_args!("{byte:02x}"));
        }
    });
}

fn decimal<T: DecimalType>(text: &mut Vec<u8>, value: T::Native, data_type: &DataType) {
    if let DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) = data_type {
        in_quotes(text, |text| plain(text, &T::format_decimal(value, *precision, *scale)));
    }
}

/// Writes a date of the proleptic Gregorian calendar. `days` counts from 1970-01-01.
fn date(text: &mut Vec<u8>, days: i64) {
    // Counts from 0000-03-01, so that a leap day is the last day of a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let sign = if year < 0 { "-" } else { "" };
    formatted(text, format_args!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs()));
}

/// Writes a time of day. A unit has `digits` decimal places of a second.
fn clock(text: &mut Vec<u8>, time: i64, digits: usize) {
    let unit = 10_i64.pow(digits as u32);
    let (seconds, fraction) = (time / unit, time % unit);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    formatted(text, format_args!("{hour:02}:{minute:02}:{second:02}.{fraction:0digits$}"));
}

fn list(text: &mut Vec<u8>, items: &Values<'_>, range: std::ops::Range<usize>) {
    let first = range.start;
    text.push(b'[');
    for i in range {
        separate(text, i - first);
        items.write(i, text);
    }
    text.push(b']');
}

/// Writes an object. A key that occurs several times has its last value.
fn map(text: &mut Vec<u8>, keys: &StringArray, values: &Values<'_>, range: std::ops::Range<usize>) {
    let mut entries: Vec<usize> = Vec::with_capacity(range.len());
    let mut places = HashMap::with_capacity(range.len());
    for entry in range {
        match places.entry(keys.value(entry)) {
            std::collections::hash_map::Entry::Occupied(place) => entries[*place.get()] = entry,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(entries.len());
                entries.push(entry);
            }
        }
    }
    text.push(b'{');
    for (at, entry) in entries.into_iter().enumerate() {
        separate(text, at);
        serialized(text, keys.value(entry));
        text.push(b':');
        values.write(entry, text);
    }
    text.push(b'}');
}
