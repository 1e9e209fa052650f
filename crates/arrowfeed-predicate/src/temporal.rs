//! ISO 8601: dates, times, timestamps and durations as text.

use std::str::FromStr;

use arrowfeed_values::{DateTime, date, offset, time};

use crate::Literal;

const NANOS: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * NANOS;

/// Formats a temporal literal. Other literals have no such text.
pub(crate) fn text(literal: &Literal) -> String {
    match *literal {
        Literal::Date(days) => date_text(days.into()),
        Literal::Time(nanoseconds) => time_text(nanoseconds.into()),
        Literal::Timestamp(nanoseconds) => timestamp_text(nanoseconds),
        Literal::Instant(nanoseconds) => timestamp_text(nanoseconds) + "Z",
        Literal::Duration(nanoseconds) => {
            let sign = if nanoseconds < 0 { "-" } else { "" };
            let nanoseconds = nanoseconds.unsigned_abs();
            let (seconds, fraction) = (nanoseconds / NANOS as u128, nanoseconds % NANOS as u128);
            format!("{sign}PT{seconds}{}S", fraction_text(fraction))
        }
        _ => String::new(),
    }
}

fn timestamp_text(nanoseconds: i128) -> String {
    let date = date_text(nanoseconds.div_euclid(DAY));
    format!("{date}T{}", time_text(nanoseconds.rem_euclid(DAY)))
}

fn time_text(nanoseconds: i128) -> String {
    let seconds = nanoseconds / NANOS;
    let fraction = fraction_text((nanoseconds % NANOS).unsigned_abs());
    format!("{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn fraction_text(nanoseconds: u128) -> String {
    match nanoseconds {
        0 => String::new(),
        _ => format!(".{nanoseconds:09}").trim_end_matches('0').to_owned(),
    }
}

/// The proleptic Gregorian calendar. Years start in March, so that a leap day is the last day of its year.
fn date_text(days: i128) -> String {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i128::from(month <= 2);
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{year:+05}"),
    };
    format!("{year}-{month:02}-{day:02}")
}

/// Reads a date, a time, a timestamp with or without a time zone, or a duration of ISO 8601.
pub(crate) fn parse(text: &str) -> Option<Literal> {
    if text.starts_with(['P', '-']) && text.contains('P') {
        return duration(text).map(Literal::Duration);
    }
    if let Some(days) = date(text) {
        return Some(Literal::Date(days));
    }
    if let Some(nanoseconds) = time(text) {
        return Some(Literal::Time(nanoseconds));
    }
    let DateTime { days, nanoseconds, zone } = DateTime::parse(text)?;
    let local = i128::from(days) * DAY + i128::from(nanoseconds);
    Some(match zone {
        None => Literal::Timestamp(local),
        Some(zone) => Literal::Instant(local - i128::from(offset(zone)?) * NANOS),
    })
}

fn duration(text: &str) -> Option<i128> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text),
    };
    let (date, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((&text[1..], ""));
    if text.ends_with(['P', 'T']) {
        return None;
    }
    let mut total: i128 = 0;
    for (mut part, units) in
        [(date, &[('W', 604_800), ('D', 86_400)][..]), (time, &[('H', 3600), ('M', 60), ('S', 1)][..])]
    {
        for &(unit, seconds) in units {
            let Some((number, rest)) = part.split_once(unit) else { continue };
            let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
            if number.contains('.') && unit != 'S' {
                return None;
            }
            let whole = digits::<i128>(whole)?.checked_mul(seconds * NANOS)?;
            total = total.checked_add(whole)?.checked_add(fraction_value(fraction)?)?;
            part = rest;
        }
        if !part.is_empty() {
            return None;
        }
    }
    Some(sign * total)
}

fn digits<N: FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Nanoseconds of the digits after a decimal point.
fn fraction_value(text: &str) -> Option<i128> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    Some(digits::<i128>(text)? * 10i128.pow(9 - text.len() as u32))
}
