//! The values of texts by regular expressions, `chrono` and big integers.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::sync::LazyLock;

use arrow_schema::{DataType, TimeUnit};
use chrono::{NaiveDate, NaiveTime};
use num_bigint::BigInt;
use regex::{Captures, Regex};

/// The regular expression of a whole text.
fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).unwrap()
}

const DATE: &str = "(?<y>[0-9]{4}|[+-][0-9]{4,12})-(?<m>[0-9]{1,2})-(?<d>[0-9]{1,2})";
static INTEGER: LazyLock<Regex> = LazyLock::new(|| whole("[ \t\n\x0c\r]*(?<n>[+-]?[0-9]+)[ \t\n\x0c\r]*"));
static DECIMAL: LazyLock<Regex> =
    LazyLock::new(|| whole(r"(?<s>[+-]?)(?<w>[0-9]*)(?:\.(?<f>[0-9]*))?(?:[eE](?<e>[+-]?[0-9]+))?"));
static HYPHENS: LazyLock<Regex> = LazyLock::new(|| whole(DATE));
static COMPACT: LazyLock<Regex> = LazyLock::new(|| whole("(?<y>[0-9]{4})(?<m>[0-9]{2})(?<d>[0-9]{2})"));
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    whole(r"(?<H>[0-9]{1,2}):(?<M>[0-9]{2})(?::(?<S>[0-9]{2})(?:\.(?<f>[0-9]+))?)?(?: (?<p>[aApP])[mM])?")
});
static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
    let time = r"(?<H>[0-9]{2}):(?<M>[0-9]{2})(?::(?<S>[0-9]{2})(?:\.(?<f>[0-9]+))?)?";
    let compact = "(?<H2>[0-9]{2})(?<M2>[0-9]{2})(?<S2>[0-9]{2})";
    let zone = "Z|z|(?<o>[+-])(?<oh>[0-9]{2})(?::?(?<om>[0-9]{2}))?";
    whole(&format!("{DATE}(?:[Tt ](?:{time}|{compact})(?: ?(?<z>{zone}))?)?"))
});

/// The value that a type stores for a text: an integer, or the bits of a `f64`. `None`: the text is an error.
pub(crate) fn value(data_type: &DataType, text: &str) -> Option<BigInt> {
    match data_type {
        DataType::Boolean => {
            ["false", "true"].iter().position(|name| *name == text.to_ascii_lowercase()).map(BigInt::from)
        }
        DataType::Int8 => integer(text, i8::MIN, i8::MAX),
        DataType::Int32 => integer(text, i32::MIN, i32::MAX),
        DataType::Int64 | DataType::Duration(_) => integer(text, i64::MIN, i64::MAX),
        DataType::UInt16 => integer(text, u16::MIN, u16::MAX),
        DataType::UInt64 => integer(text, u64::MIN, u64::MAX),
        DataType::Float64 => {
            let trimmed = text.trim_matches([' ', '\t', '\n', '\x0c', '\r']);
            let value: f64 = trimmed.parse().ok()?;
            let is_too_large = value.is_infinite() && text.contains(|c: char| c.is_ascii_digit());
            (!is_too_large).then(|| bits(value))
        }
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => decimal(text, *precision, *scale),
        DataType::Date32 => days(text).filter(|days| i32::try_from(days).is_ok()),
        DataType::Date64 => Some(days(text).filter(|days| i32::try_from(days).is_ok())? * 86_400_000),
        DataType::Time32(unit) | DataType::Time64(unit) => time(text, *unit),
        DataType::Timestamp(unit, zone) => timestamp(text, *unit, zone.is_some()),
        other => panic!("{other} has no oracle"),
    }
}

/// All values that are not numbers are equal.
pub(crate) fn bits(value: f64) -> BigInt {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }.into()
}

fn integer<N>(text: &str, least: N, most: N) -> Option<BigInt>
where
    BigInt: From<N>,
{
    let value: BigInt = INTEGER.captures(text)?["n"].parse().unwrap();
    (BigInt::from(least) <= value && value <= BigInt::from(most)).then_some(value)
}

fn group<'a>(found: &'a Captures<'_>, name: &str) -> &'a str {
    found.name(name).map_or("", |group| group.as_str())
}

fn ten_to(power: u32) -> BigInt {
    BigInt::from(10).pow(power)
}

/// A number times a power of ten, if that is an integer.
fn shifted(number: BigInt, power: i64) -> Option<BigInt> {
    let size = ten_to(power.unsigned_abs().try_into().unwrap());
    match power {
        0.. => Some(number * size),
        _ if &number % &size == BigInt::ZERO => Some(number / size),
        _ => None,
    }
}

fn decimal(text: &str, precision: u8, scale: i8) -> Option<BigInt> {
    let found = DECIMAL.captures(text)?;
    let fraction = group(&found, "f");
    let digits = [group(&found, "w"), fraction].concat();
    if digits.is_empty() {
        return None;
    }
    let number: BigInt = [group(&found, "s"), &digits].concat().parse().unwrap();
    if number == BigInt::ZERO {
        return Some(number);
    }
    let exponent: BigInt = found.name("e").map_or(BigInt::ZERO, |group| group.as_str().parse().unwrap());
    let exponent = i64::try_from(exponent).ok().filter(|exponent| exponent.abs() < 1000)?;
    let value = shifted(number, exponent + i64::from(scale) - fraction.len() as i64)?;
    (value.magnitude() < ten_to(precision.into()).magnitude()).then_some(value)
}

fn number(found: &Captures<'_>, name: &str) -> u32 {
    group(found, name).parse().unwrap_or(0)
}

fn date(found: &Captures<'_>) -> Option<BigInt> {
    // `chrono` has no years far from now, but the calendar repeats after 400 years.
    let year: i64 = group(found, "y").parse().ok()?;
    let like = year.rem_euclid(400) + 2000;
    let date = NaiveDate::from_ymd_opt(like as i32, number(found, "m"), number(found, "d"))?;
    let days = (date - NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()).num_days();
    Some(BigInt::from(days) + (year - like) / 400 * 146_097)
}

/// The seconds and the fraction of a time as units.
fn units_of_day(found: &Captures<'_>, hour: u32, unit: TimeUnit) -> Option<BigInt> {
    let of = |name: &str| number(found, name) + number(found, &format!("{name}2"));
    let (minute, second) = match found.name("H2").is_some() {
        true => (of("M"), of("S")),
        false => (number(found, "M"), number(found, "S")),
    };
    let seconds = (NaiveTime::from_hms_opt(hour, minute, second)? - NaiveTime::MIN).num_seconds();
    let places = places(unit);
    let fraction = group(found, "f");
    let fraction = match fraction.is_empty() {
        true => BigInt::ZERO,
        false => shifted(fraction.parse().unwrap(), i64::from(places) - fraction.len() as i64)?,
    };
    Some(seconds * ten_to(places) + fraction)
}

fn places(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

fn time(text: &str, unit: TimeUnit) -> Option<BigInt> {
    let found = TIME.captures(text)?;
    let hour = match (number(&found, "H"), group(&found, "p")) {
        (hour, "") => hour,
        (hour @ 1..=12, "a" | "A") => hour % 12,
        (hour @ 1..=12, _) => hour % 12 + 12,
        _ => return None,
    };
    units_of_day(&found, hour, unit)
}

fn timestamp(text: &str, unit: TimeUnit, has_zone: bool) -> Option<BigInt> {
    let found = TIMESTAMP.captures(text)?;
    let hour = number(&found, "H") + if found.name("H2").is_some() { number(&found, "H2") } else { 0 };
    let (hours, minutes) = (number(&found, "oh"), number(&found, "om"));
    let offset = i64::from(hours * 3600 + minutes * 60);
    if hours > 23 || minutes > 59 || (!has_zone && offset != 0) {
        return None;
    }
    let offset = if group(&found, "o") == "-" { -offset } else { offset };
    let days = date(&found)?;
    let value = (days * 86_400 - offset) * ten_to(places(unit)) + units_of_day(&found, hour, unit)?;
    i64::try_from(&value).is_ok().then_some(value)
}

fn days(text: &str) -> Option<BigInt> {
    if let Some(found) = HYPHENS.captures(text).or_else(|| COMPACT.captures(text)) {
        return date(&found);
    }
    let seconds = timestamp(text, TimeUnit::Second, false)?;
    (&seconds % 86_400 == BigInt::ZERO).then(|| seconds / 86_400)
}
