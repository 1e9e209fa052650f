//! Row numbers as arguments.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::argument::{each, wrong_type};
use crate::signals::check_at;

const EXPECTED: &str = "a list, tuple, range or array of row numbers (int)";

/// The row numbers of an argument.
pub(crate) struct Numbers {
    pub(crate) numbers: Vec<i64>,
    /// The first number that does not fit an `i64`: the nearest number that does, and the number itself.
    pub(crate) too_large: Option<(i128, i128)>,
}

impl Numbers {
    pub(crate) fn new(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let items = each("numbers", EXPECTED, value)?;
        let (mut numbers, mut too_large) = (Vec::with_capacity(items.len()), None);
        for (nth, item) in items.iter().enumerate() {
            check_at(py, nth)?;
            if item.is_instance_of::<PyBool>() {
                return Err(wrong_type("numbers", EXPECTED, item));
            }
            numbers.push(match item.extract::<i64>() {
                Ok(number) => number,
                Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                    let (nearest, limit) =
                        if item.gt(0)? { (i64::MAX, i128::MAX) } else { (i64::MIN, i128::MIN) };
                    let given = item.extract::<i128>().unwrap_or(limit);
                    too_large.get_or_insert((nearest.into(), given));
                    nearest
                }
                Err(_) => return Err(wrong_type("numbers", EXPECTED, item)),
            });
        }
        Ok(Self { numbers, too_large })
    }
}
