//! `numpy.datetime64` and `numpy.timedelta64` as literals of predicates, exact in every unit.

use arrowfeed::predicate::Literal;
use pyo3::prelude::*;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// The type of a time of NumPy: a number of steps of a unit.
pub(crate) struct NumpyTime {
    is_duration: bool,
    unit: String,
    /// Units of a step.
    step: i64,
}

impl NumpyTime {
    /// The type of a scalar, or of an array of one value. `None`: its type is not one of NumPy's times.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Some(data_type) = value.getattr_opt("dtype")? else { return Ok(None) };
        let kind: String = data_type.getattr("kind")?.extract()?;
        if kind != "M" && kind != "m" {
            return Ok(None);
        }
        let (unit, step) =
            value.py().import("numpy")?.call_method1("datetime_data", (data_type,))?.extract()?;
        Ok(Some(Self { is_duration: kind == "m", unit, step }))
    }

    /// The literal of a number of steps, or the values that literals have.
    pub(crate) fn literal(&self, count: i64) -> Result<Literal, &'static str> {
        let units = i128::from(count) * i128::from(self.step);
        let (factor, divisor) = match self.unit.as_str() {
            "W" => (7 * DAY, 1),
            "D" => (DAY, 1),
            "h" => (3600 * SECOND, 1),
            "m" => (60 * SECOND, 1),
            "s" => (SECOND, 1),
            "ms" => (1_000_000, 1),
            "us" => (1000, 1),
            "ns" => (1, 1),
            "ps" => (1, 1000),
            "fs" => (1, 1_000_000),
            "as" => (1, 1_000_000_000),
            "generic" => return Err("a duration with a unit"),
            _ if self.is_duration => return Err("a duration in weeks or smaller units"),
            _ => return Err("a date of the years 1 to 9999"),
        };
        let days = units * (factor / DAY);
        if !self.is_duration && factor >= DAY {
            return i64::try_from(days).map(Literal::Date).map_err(|_| "days since 1970 of at most 64 bits");
        }
        let Some(nanoseconds) = units.checked_mul(factor).filter(|product| product % divisor == 0) else {
            return Err("whole nanoseconds");
        };
        let nanoseconds = nanoseconds / divisor;
        Ok(if self.is_duration { Literal::Duration(nanoseconds) } else { Literal::Timestamp(nanoseconds) })
    }
}
