//! Texts of dates, times and timestamps. The calendar is the proleptic Gregorian one.

use arrow_array::timezone::Tz;
use arrow_schema::{ArrowError, TimeUnit};
use chrono::TimeZone;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_HOUR: i64 = 3600 * NANOS_PER_SECOND;
const SECONDS_PER_DAY: i64 = 86_400;

/// A date and a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime<'a> {
    /// Days since 1970-01-01.
    pub days: i64,
    /// Nanoseconds since midnight.
    pub nanoseconds: i64,
    /// The text of the zone, which is not checked: see [`offset`].
    pub zone: Option<&'a str>,
}

impl<'a> DateTime<'a> {
    /// Reads `2024-01-31T12:30:00`, `2024-01-31 12:30:00.5+02:00`, `2024-01-31 123000` or `2024-01-31`.
    #[inline]
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut rest = Rest(text.as_bytes());
        let days = rest.date()?;
        if rest.0.is_empty() {
            return Some(Self { days, nanoseconds: 0, zone: None });
        }
        rest.skip(b'T').or_else(|| rest.skip(b't')).or_else(|| rest.skip(b' '))?;
        let nanoseconds = match rest.0.get(2) {
            Some(b':') => rest.time(2)?,
            _ => rest.compact_time()?,
        };
        if rest.0.is_empty() {
            return Some(Self { days, nanoseconds, zone: None });
        }
        let _ = rest.skip(b' ');
        // All bytes before are ASCII.
        let zone = text.get(text.len() - rest.0.len()..).filter(|zone| !zone.is_empty())?;
        Some(Self { days, nanoseconds, zone: Some(zone) })
    }

    /// Seconds since 1970-01-01 that a clock shows. `None`: too many.
    fn local_seconds(self) -> Option<i64> {
        self.days.checked_mul(SECONDS_PER_DAY)?.checked_add(self.nanoseconds / NANOS_PER_SECOND)
    }
}

/// Reads a date, `2024-01-31`, `20240131` or `+12024-01-31`, as days since 1970-01-01.
#[inline]
pub fn date(text: &str) -> Option<i64> {
    let mut rest = Rest(text.as_bytes());
    let days = match text.as_bytes() {
        [b'0'..=b'9', _, _, _, b'0'..=b'9', ..] => rest.compact_date(),
        _ => rest.date(),
    };
    days.filter(|_| rest.0.is_empty())
}

/// Reads a time of day, `12:30`, `12:30:00.5` or `1:30 PM`, as nanoseconds since midnight.
#[inline]
pub fn time(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (start, half) = bytes.split_at(bytes.len().saturating_sub(3));
    let is_afternoon = match half {
        [b' ', b'A' | b'a', b'M' | b'm'] => Some(false),
        [b' ', b'P' | b'p', b'M' | b'm'] => Some(true),
        _ => None,
    };
    let mut rest = Rest(if is_afternoon.is_some() { start } else { bytes });
    let nanoseconds = rest.time(1).filter(|_| rest.0.is_empty())?;
    let Some(is_afternoon) = is_afternoon else { return Some(nanoseconds) };
    let hour = Some(nanoseconds / NANOS_PER_HOUR).filter(|hour| (1..=12).contains(hour))?;
    Some(nanoseconds + (hour % 12 - hour + if is_afternoon { 12 } else { 0 }) * NANOS_PER_HOUR)
}

/// Reads an offset from UTC, `Z`, `+02`, `+0200` or `+02:00`, as seconds.
#[inline]
pub fn offset(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.as_bytes() {
        [b'Z' | b'z'] => return Some(0),
        [b'+', rest @ ..] => (1, Rest(rest)),
        [b'-', rest @ ..] => (-1, Rest(rest)),
        _ => return None,
    };
    let hours = rest.number(2, 2).filter(|hours| *hours <= 23)?;
    let minutes = match rest.0 {
        [] => 0,
        _ => {
            let _ = rest.skip(b':');
            rest.number(2, 2).filter(|minutes| *minutes <= 59 && rest.0.is_empty())?
        }
    };
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Days from 1970-01-01 to a date. A day after the end of the month is one of the next month.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that a leap day is the last day of its year.
    let year = year - i64::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468
}

/// The bytes of a text that have not been read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    #[inline]
    fn skip(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        (*first == byte).then(|| self.0 = rest)
    }

    /// Reads a number of `least` to `most` digits.
    #[inline]
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let (mut value, mut len) = (0, 0);
        while len < most
            && let Some(byte) = self.0.get(len)
            && byte.is_ascii_digit()
        {
            value = value * 10 + i64::from(byte - b'0');
            len += 1;
        }
        self.0 = &self.0[len..];
        (len >= least).then_some(value)
    }

    /// Reads `2024-01-31`, `2024-1-31` or `+12024-01-31`.
    #[inline]
    fn date(&mut self) -> Option<i64> {
        let year = match self.0.first()? {
            b'+' => {
                self.0 = &self.0[1..];
                self.number(4, 12)?
            }
            b'-' => {
                self.0 = &self.0[1..];
                -self.number(4, 12)?
            }
            _ => self.number(4, 4)?,
        };
        self.skip(b'-')?;
        let month = self.number(1, 2)?;
        self.skip(b'-')?;
        days_of(year, month, self.number(1, 2)?)
    }

    /// Reads `20240131`.
    fn compact_date(&mut self) -> Option<i64> {
        let (year, month) = (self.number(4, 4)?, self.number(2, 2)?);
        days_of(year, month, self.number(2, 2)?)
    }

    /// Reads `12:30`, `12:30:00` or `12:30:00.5`. The hour has at least `least` digits.
    #[inline]
    fn time(&mut self, least: usize) -> Option<i64> {
        let hour = self.number(least, 2)?;
        self.skip(b':')?;
        let minute = self.number(2, 2)?;
        let (mut second, mut fraction) = (0, 0);
        if self.skip(b':').is_some() {
            second = self.number(2, 2)?;
            if self.skip(b'.').is_some() {
                fraction = self.fraction()?;
            }
        }
        Some(seconds_of(hour, minute, second)? * NANOS_PER_SECOND + fraction)
    }

    /// Reads `123000`.
    fn compact_time(&mut self) -> Option<i64> {
        let (hour, minute) = (self.number(2, 2)?, self.number(2, 2)?);
        Some(seconds_of(hour, minute, self.number(2, 2)?)? * NANOS_PER_SECOND)
    }

    /// Reads the digits of a fraction of a second as nanoseconds. Digits after the ninth must be zeros.
    #[inline]
    fn fraction(&mut self) -> Option<i64> {
        let before = self.0.len();
        let nanoseconds = self.number(1, 9)?;
        let digits = (before - self.0.len()) as u32;
        while self.skip(b'0').is_some() {}
        let is_exact = !self.0.first().is_some_and(u8::is_ascii_digit);
        is_exact.then(|| nanoseconds * 10_i64.pow(9 - digits))
    }
}

/// The days of a date of the calendar.
#[inline]
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| days_from_civil(year, month, day))
}

/// The seconds of a time of day. No day has a leap second or ends at 24:00.
#[inline]
fn seconds_of(hour: i64, minute: i64, second: i64) -> Option<i64> {
    (hour <= 23 && minute <= 59 && second <= 59).then_some(hour * 3600 + minute * 60 + second)
}

pub(crate) const fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => NANOS_PER_SECOND,
    }
}

/// A date as the value of a column. Its time, if it has one, is midnight of UTC.
#[inline]
pub(crate) fn date_value(text: &str) -> Option<i32> {
    let days = date(text).or_else(|| {
        let found = DateTime::parse(text).filter(|found| found.nanoseconds == 0)?;
        let local = found.local_seconds()?;
        let is_utc = found.zone.is_none_or(|zone| seconds_in(zone, local) == Some(local));
        is_utc.then_some(found.days)
    });
    days?.try_into().ok()
}

/// The units of a time of day. `None` also for a fraction that the unit cannot store.
#[inline]
pub(crate) fn time_value<const PER_SECOND: i64>(text: &str) -> Option<i64> {
    in_units::<PER_SECOND>(time(text)?)
}

/// Nanoseconds in a unit. `None` if the unit cannot store them.
#[inline]
fn in_units<const PER_SECOND: i64>(nanoseconds: i64) -> Option<i64> {
    let unit = NANOS_PER_SECOND / PER_SECOND;
    (nanoseconds % unit == 0).then_some(nanoseconds / unit)
}

/// The zone of a column of timestamps.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnZone {
    /// There is none.
    Absent,
    /// An offset from UTC in seconds.
    Offset(i64),
    Named(Tz),
}

impl ColumnZone {
    pub(crate) fn of(name: Option<&str>) -> Result<Self, ArrowError> {
        Ok(match name {
            None => Self::Absent,
            Some("UTC") => Self::Offset(0),
            Some(name) if name.starts_with(['-', '+']) => Self::Offset(offset(name).ok_or_else(|| {
                ArrowError::ParseError(format!("expected an offset such as +02:00, found {name}"))
            })?),
            Some(name) => Self::Named(name.parse()?),
        })
    }

    /// The seconds since 1970-01-01T00:00:00Z at which a clock in this zone shows a time.
    #[inline]
    fn seconds(self, local: i64) -> Option<i64> {
        match self {
            Self::Absent => Some(local),
            Self::Offset(offset) => local.checked_sub(offset),
            Self::Named(zone) => seconds_by(zone, local),
        }
    }
}

/// The seconds since 1970-01-01T00:00:00Z at which a clock shows a time in the zone of a text.
fn seconds_in(zone: &str, local: i64) -> Option<i64> {
    match offset(zone) {
        Some(offset) => local.checked_sub(offset),
        None if zone.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            seconds_by(zone.parse().ok()?, local)
        }
        None => None,
    }
}

/// The seconds since 1970-01-01T00:00:00Z at which a clock shows a time, if it shows the time once.
fn seconds_by(zone: Tz, local: i64) -> Option<i64> {
    let shown = chrono::DateTime::from_timestamp(local, 0)?.naive_utc();
    Some(zone.from_local_datetime(&shown).single()?.timestamp())
}

/// A date, or a date and a time, as the value of a column. In a column without a zone, an offset other than zero is an error:
/// the value would be another time than the text shows.
#[inline]
pub(crate) fn timestamp<const PER_SECOND: i64>(text: &str, column: ColumnZone) -> Option<i64> {
    let found = DateTime::parse(text)?;
    let local = found.local_seconds()?;
    let seconds = match (found.zone, column) {
        (None, column) => column.seconds(local)?,
        (Some(zone), ColumnZone::Absent) => seconds_in(zone, local).filter(|seconds| *seconds == local)?,
        (Some(zone), _) => seconds_in(zone, local)?,
    };
    let fraction = in_units::<PER_SECOND>(found.nanoseconds % NANOS_PER_SECOND)?;
    i64::try_from(i128::from(seconds) * i128::from(PER_SECOND) + i128::from(fraction)).ok()
}
