//! Selection of rows of a batch: a slice, a mask or a predicate, and row numbers.

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::ArrowError;
use arrowfeed::predicate::Lists;
use arrowfeed::source::copy_error;
use arrowfeed::source::format::predicate_error;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_select::{filter_batch, take};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

use crate::argument::{each, wrong_type};
use crate::argument_types::Argument;
use crate::call::call;
use crate::predicate::{Column, Predicate, RowFilter};
use crate::row_numbers::Numbers;
use crate::signals::check_at;

const EXPECTED: &str = "a predicate, its text, or a bool for each row";

/// The rows of a slice, which share the memory of the batch if the step is 1.
pub(crate) fn slice(batch: &RecordBatch, slice: &Bound<'_, PySlice>) -> PyResult<RecordBatch> {
    let found = slice.indices(batch.num_rows() as isize)?;
    let (start, length) = (found.start as usize, found.slicelength);
    if found.step == 1 {
        return Ok(batch.slice(start.min(batch.num_rows()), length));
    }
    let numbers = (0..length as isize).map(|nth| (found.start + nth * found.step) as u64);
    taken(slice.py(), batch, numbers.collect())
}

/// The rows for which a mask or a predicate is true.
pub(crate) fn filter(batch: &RecordBatch, value: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let py = value.py();
    let mask = if is_predicate(value)? {
        let filter = RowFilter::parse("rows", value)?;
        call(py, || {
            let predicate = filter.over(|| Ok::<_, FeedError>(batch.schema()))?;
            let failed = |kind| move |error| predicate_error(kind, &error);
            let compiled = predicate.compile(batch.schema_ref(), Lists::HoldOneValue);
            let compiled = compiled.map_err(failed(FeedErrorKind::Options))?;
            compiled.keeps(batch).map_err(failed(FeedErrorKind::Conversion))
        })?
    } else {
        mask(batch.num_rows(), value)?
    };
    call(py, || filter_batch(batch, &mask).map_err(selection_error))
}

/// The rows of these numbers, in their order.
pub(crate) fn take_rows(batch: &RecordBatch, numbers: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let py = numbers.py();
    let Numbers { numbers, too_large } = Numbers::new(numbers)?;
    let rows = batch.num_rows() as u64;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let row = if number < 0 { rows.checked_add_signed(number) } else { Some(number.unsigned_abs()) };
        match row.filter(|row| *row < rows) {
            Some(row) => found.push(row),
            None => {
                let given = too_large.filter(|(nearest, _)| *nearest == i128::from(number));
                let number = given.map_or(number.into(), |(_, given)| given);
                return Err(PyIndexError::new_err(no_row(number, rows)));
            }
        }
    }
    taken(py, batch, found)
}

fn no_row(number: i128, rows: u64) -> String {
    match rows.checked_sub(1) {
        Some(last) => format!("expected the number of a row, from -{rows} to {last}, found {number}"),
        None => format!("expected no number, because the batch has no rows, found {number}"),
    }
}

fn taken(py: Python<'_>, batch: &RecordBatch, rows: Vec<u64>) -> PyResult<RecordBatch> {
    call(py, || {
        let rows = UInt64Array::from(rows);
        let columns = batch.columns().iter().map(|column| take(column, &rows)).collect::<Result<Vec<_>, _>>();
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        columns
            .and_then(|columns| RecordBatch::try_new_with_options(batch.schema(), columns, &options))
            .map_err(selection_error)
    })
}

fn selection_error(error: ArrowError) -> FeedError {
    let message = error.to_string();
    copy_error(error, || FeedError::new(FeedErrorKind::Conversion, message))
}

/// Whether a value is a predicate, its text, or an expression of another library.
fn is_predicate(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<Predicate>()
        || value.is_instance_of::<Column>()
        || value.is_instance_of::<PyString>()
        || value.hasattr("to_substrait")?
        || value.get_type().name()? == "Expr")
}

/// A mask: a bool for each row. A row with `None` is left out.
fn mask(rows: usize, value: &Bound<'_, PyAny>) -> PyResult<BooleanArray> {
    let py = value.py();
    // Values of numpy, pyarrow and polars that are not Python's become such.
    let list =
        ["to_pylist", "tolist", "to_list"].into_iter().find_map(|name| value.getattr_opt(name).ok()?);
    let items = match list {
        Some(list) => each("rows", EXPECTED, &list.call0()?)?,
        None => each("rows", EXPECTED, value)?,
    };
    if items.len() != rows {
        let found = format!("rows: expected a mask of {rows} values, found {}", items.len());
        return Err(PyValueError::new_err(found));
    }
    let values = items.iter().enumerate().map(|(nth, item)| {
        check_at(py, nth)?;
        item.extract::<Option<bool>>().map_err(|_| wrong_type("rows", EXPECTED, item))
    });
    let values = values.collect::<PyResult<Vec<_>>>()?;
    Ok(values.into_iter().map(|value| Some(value == Some(true))).collect())
}
