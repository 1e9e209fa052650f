//! Python values as literals of predicates.

use arrowfeed::predicate::Literal;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    IntoPyDict, PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyInt, PyString, PyTime,
};

use crate::argument::{found, wrong_type, wrong_value};
use crate::numpy_time::NumpyTime;

const EXPECTED: &str = "a bool, number, str, bytes, date, time, datetime, timedelta or Decimal";

/// Bits of the largest integer that is read. Python can write it as text whatever limit of digits a program sets.
const MOST_BITS: u64 = 2048;

/// A value that is compared with a column.
pub(crate) fn literal(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    literal_of(name, value)?.ok_or_else(|| wrong_type(name, EXPECTED, value))
}

fn literal_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if value.is_none() {
        return Err(is_null(name, value));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Some(flag.is_true().into()));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(name, value).map(Some);
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(value.extract::<f64>()?.into()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into_owned().into()));
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return Ok(Some(value.extract::<Vec<u8>>()?.into()));
    }
    if let Some(literal) = temporal(name, value)? {
        return Ok(Some(literal));
    }
    let decimal = value.py().import("decimal")?.getattr("Decimal")?;
    if value.is_instance(&decimal)? {
        return number(name, value, &decimal.call_method1("__str__", (value,))?).map(Some);
    }
    // Scalars of NumPy, pandas and pyarrow have one of these methods.
    for method in ["item", "to_pydatetime", "as_py"] {
        if let Ok(scalar) = value.call_method0(method)
            && !scalar.is(value)
            && !scalar.get_type().is(value.get_type())
        {
            // A time that `datetime` cannot hold becomes the number of its units.
            if scalar.is_instance_of::<PyInt>()
                && let Some(time) = NumpyTime::of(value)?
            {
                let count = scalar.extract()?;
                return time.literal(count).map(Some).map_err(|expected| wrong_value(name, expected, value));
            }
            return literal_of(name, &scalar);
        }
    }
    Ok(None)
}

#[cold]
fn is_null(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let found = found(value);
    PyTypeError::new_err(format!(
        "{name}: expected {EXPECTED}, found {found}: use is_null() or is_not_null()"
    ))
}

/// An integer of any size.
fn integer(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    if let Ok(number) = value.extract::<i128>() {
        return Ok(number.into());
    }
    let int = value.py().get_type::<PyInt>();
    let bits: u64 = int.call_method1("bit_length", (value,))?.extract()?;
    if bits > MOST_BITS {
        // The text of such an integer may take minutes.
        let message = format!("{name}: expected an integer of at most {MOST_BITS} bits, found one of {bits}");
        return Err(PyValueError::new_err(message));
    }
    number(name, value, &int.call_method1("__repr__", (value,))?)
}

/// The number of a decimal text of `value`.
fn number(name: &str, value: &Bound<'_, PyAny>, text: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let parsed = text.cast::<PyString>()?.to_cow()?.parse();
    parsed.map(Literal::Number).map_err(|expected: &str| wrong_value(name, expected, value))
}

/// A date, a time, a datetime or a timedelta, also those of pandas, which have nanoseconds.
fn temporal(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    let py = value.py();
    let number = |name: &str| value.getattr(name)?.extract::<i64>();
    if value.is_instance_of::<PyDateTime>() {
        // The NaT of pandas.
        if value.ne(value)? {
            return Err(is_null(name, value));
        }
        let datetime = py.import("datetime")?;
        let zone = value.getattr("tzinfo")?;
        let utc = if zone.is_none() { None } else { Some(datetime.getattr("timezone")?.getattr("utc")?) };
        let epoch = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, None)?.into_any();
        let epoch = match &utc {
            Some(utc) => epoch.call_method("replace", (), Some(&[("tzinfo", utc)].into_py_dict(py)?))?,
            None => epoch,
        };
        let since = nanoseconds(&value.sub(epoch)?)?;
        return Ok(Some(if utc.is_some() { Literal::Instant(since) } else { Literal::Timestamp(since) }));
    }
    if value.is_instance_of::<PyDate>() {
        let days: i64 = value.call_method0("toordinal")?.extract()?;
        return Ok(Some(Literal::Date(days - EPOCH)));
    }
    if value.is_instance_of::<PyTime>() {
        if !value.getattr("tzinfo")?.is_none() {
            return Ok(None);
        }
        let seconds = (number("hour")? * 60 + number("minute")?) * 60 + number("second")?;
        return Ok(Some(Literal::Time(seconds * 1_000_000_000 + number("microsecond")? * 1000)));
    }
    if value.is_instance_of::<PyDelta>() {
        return nanoseconds(value).map(|nanos| Some(Literal::Duration(nanos)));
    }
    Ok(None)
}

/// The number of 1970-01-01 in Python's `date.toordinal`.
const EPOCH: i64 = 719_163;

/// The nanoseconds of a timedelta. Those of pandas have an attribute for the part below a microsecond.
fn nanoseconds(delta: &Bound<'_, PyAny>) -> PyResult<i128> {
    let number = |name: &str| delta.getattr(name)?.extract::<i128>();
    let below = match delta.getattr_opt("nanoseconds")? {
        Some(nanos) => nanos.extract()?,
        None => 0,
    };
    let seconds = number("days")? * 86_400 + number("seconds")?;
    Ok(seconds * 1_000_000_000 + number("microseconds")? * 1000 + below)
}
