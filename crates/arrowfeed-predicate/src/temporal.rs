//! ISO 8601: dates, times, timestamps and durations as text.

use std::str::FromStr;

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

/// Days since 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468
}

/// Reads ISO 8601: a date, a time, a timestamp with or without a time zone, or a duration. A fraction of a second has at most
/// nine digits.
pub(crate) fn parse(text: &str) -> Option<Literal> {
    if text.contains('P') {
        return duration(text).map(Literal::Duration);
    }
    let mut cursor = Cursor(text);
    let Some(days) = cursor.date() else {
        let mut cursor = Cursor(text);
        let time = cursor.time()?;
        return cursor.0.is_empty().then_some(Literal::Time(time as i64));
    };
    if cursor.0.is_empty() {
        return Some(Literal::Date(days));
    }
    cursor.0 = cursor.0.strip_prefix(['T', 't', ' '])?;
    let local = i128::from(days) * DAY + cursor.time()?;
    if cursor.0.is_empty() {
        return Some(Literal::Timestamp(local));
    }
    let offset = cursor.offset()?;
    cursor.0.is_empty().then_some(Literal::Instant(local - offset))
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

/// The rest of a text.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    /// Reads a number of two digits up to `max`.
    fn two(&mut self, max: i64) -> Option<i64> {
        let value = digits(self.0.get(..2)?).filter(|value| *value <= max)?;
        self.0 = &self.0[2..];
        Some(value)
    }

    fn skip(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn date(&mut self) -> Option<i64> {
        let signed = self.0.starts_with(['-', '+']);
        let start = usize::from(signed);
        let end = start + self.0.get(start..)?.find('-')?;
        let year: i64 = digits(&self.0[start..end])?;
        let year = if self.0.starts_with('-') { -year } else { year };
        if !(if signed { 4..=12 } else { 4..=4 }).contains(&(end - start)) {
            return None;
        }
        self.0 = &self.0[end + 1..];
        let month = self.two(12).filter(|month| *month > 0)?;
        self.skip("-")?;
        let day = self.two(31).filter(|day| *day > 0)?;
        let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let found = days(year, month, day);
        (found < days(next_year, next_month, 1)).then_some(found)
    }

    /// Reads `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction` as nanoseconds.
    fn time(&mut self) -> Option<i128> {
        let hour = self.two(23)?;
        self.skip(":")?;
        let minute = self.two(59)?;
        let (mut second, mut fraction) = (0, 0);
        if self.skip(":").is_some() {
            second = self.two(59)?;
            if self.skip(".").is_some() {
                let length = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
                fraction = fraction_value(&self.0[..length])?;
                self.0 = &self.0[length..];
            }
        }
        Some(i128::from(hour * 3600 + minute * 60 + second) * NANOS + fraction)
    }

    /// Reads `Z`, `+02`, `+0200` or `+02:00` as nanoseconds.
    fn offset(&mut self) -> Option<i128> {
        if self.skip("Z").or_else(|| self.skip("z")).is_some() {
            return Some(0);
        }
        let sign = if self.0.starts_with('-') { -1 } else { 1 };
        self.0 = self.0.strip_prefix(['-', '+'])?;
        let hours = self.two(23)?;
        let _ = self.skip(":");
        let minutes = if self.0.is_empty() { 0 } else { self.two(59)? };
        Some(sign * i128::from(hours * 3600 + minutes * 60) * NANOS)
    }
}
