//! The rows of batches, and the batches of rows.

use arrowfeed::{DatasetError, IterationOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};

use super::options::iteration_options;
use crate::argument::{each, integer, path};
use crate::batch::RecordBatch;
use crate::call::caught;
use crate::errors::dataset_error;
use crate::signals;

/// `Dataset.rows_of`
pub(super) fn rows_of(
    dataset: &arrowfeed::Dataset,
    batches: &Bound<'_, PyAny>,
    epoch: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatch> {
    let py = batches.py();
    let numbers = numbers("numbers", batches)?;
    let has_start = options.map(|options| options.contains("start_epoch")).transpose()?.unwrap_or(false);
    let mut options = iteration_options("rows_of", options)?;
    if let Some(epoch) = epoch {
        if has_start {
            let message = "epoch: expected either epoch= or start_epoch=, found both";
            return Err(PyValueError::new_err(message));
        }
        options.start_epoch = integer("epoch", 0, epoch)?;
    }
    found(py, options, |options| dataset.rows_of(&numbers, options))
}

/// `Dataset.batches_of`
pub(super) fn batches_of(
    dataset: &arrowfeed::Dataset,
    file: &Bound<'_, PyAny>,
    rows: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatch> {
    let file = path("file", file)?;
    let numbers = numbers("rows", rows)?;
    let options = iteration_options("batches_of", options)?;
    found(rows.py(), options, |options| dataset.batches_of(&file.to_string_lossy(), &numbers, options))
}

fn found(
    py: Python<'_>,
    options: IterationOptions,
    find: impl FnOnce(IterationOptions) -> Result<arrow_array::RecordBatch, DatasetError> + Send,
) -> PyResult<RecordBatch> {
    let options = IterationOptions { interrupt: Some(signals::interrupt_of_call(py)?), ..options };
    let found = py.detach(|| caught(|| find(options)));
    found.map(RecordBatch::new).map_err(|error| dataset_error(py, error))
}

/// An integer, or the integers of an iterable.
fn numbers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    const EXPECTED: &str = "an integer, or a list, tuple, range or array of integers";
    // Also integers of NumPy.
    if value.is_instance_of::<PyInt>() || value.extract::<i128>().is_ok() {
        return Ok(vec![integer(name, 0, value)?]);
    }
    each(name, EXPECTED, value)?.iter().map(|item| integer(name, 0, item)).collect()
}
