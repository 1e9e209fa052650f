//! Rows of datasets by number.

use std::num::NonZeroUsize;

use arrowfeed::{DatasetError, RowOptions};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::base::Dataset;
use crate::argument::integer;
use crate::batch::RecordBatch;
use crate::call::{call, caught};
use crate::errors::dataset_error;
use crate::row_numbers::Numbers;
use crate::signals;
use crate::tensor::TensorNames;

/// A number of threads. `None`: one per core.
pub(super) fn thread_number(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Option<NonZeroUsize>> {
    Ok(threads.map(|value| integer("threads", 1, value)).transpose()?.and_then(NonZeroUsize::new))
}

/// Number of rows of `Dataset.head` by default.
const HEAD: usize = 5;

/// The first rows of a dataset, in file order. `object`: the dataset as an object of Python.
pub(super) fn first_rows(
    object: &Bound<'_, PyAny>,
    dataset: &arrowfeed::Dataset,
    count: Option<&Bound<'_, PyAny>>,
) -> PyResult<RecordBatch> {
    let py = object.py();
    let count: usize = count.map_or(Ok(HEAD), |count| integer("count", 0, count))?;
    let options = [("batch_size", count.max(1)), ("threads", 1)].into_py_dict(py)?;
    let batches = object.call_method("record_batches", (), Some(&options))?;
    let first = py.import("builtins")?.call_method1("next", (&batches, py.None()));
    batches.call_method0("close")?;
    let batch = match first?.cast::<RecordBatch>() {
        Ok(batch) => batch.get().batch.slice(0, count.min(batch.get().batch.num_rows())),
        Err(_) => arrow_array::RecordBatch::new_empty(dataset.arrow_schema().clone()),
    };
    Ok(RecordBatch::new(batch))
}

/// Reads rows with a function of the library.
pub(super) fn read_rows<T: Send>(
    numbers: &Bound<'_, PyAny>,
    threads: Option<NonZeroUsize>,
    read: impl FnOnce(&[i64], &RowOptions) -> Result<T, DatasetError> + Send,
) -> PyResult<T> {
    let py = numbers.py();
    let Numbers { numbers, too_large } = Numbers::new(numbers)?;
    let options = RowOptions { threads, interrupt: Some(signals::interrupt_of_call(py)?) };
    let found = py.detach(|| caught(|| read(&numbers, &options)));
    found.map_err(|error| {
        let error = match (error, too_large) {
            (DatasetError::RowNumber { number, rows }, Some((saturated, given))) if number == saturated => {
                DatasetError::RowNumber { number: given, rows }
            }
            (error, _) => error,
        };
        dataset_error(py, error)
    })
}

#[doc = docs!(RowReader)]
#[pyclass(module = "arrowfeed._arrowfeed", frozen)]
pub(crate) struct RowReader {
    reader: arrowfeed::RowReader,
    names: TensorNames,
    threads: Option<NonZeroUsize>,
}

#[pymethods]
impl RowReader {
    #[new]
    fn new(
        dataset: &Bound<'_, Dataset>,
        cache_bytes: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (py, dataset) = (dataset.py(), dataset.get().dataset());
        let (cache_bytes, threads) = (integer("cache_bytes", 0, cache_bytes)?, thread_number(threads)?);
        let reader = call(py, || dataset.row_reader(cache_bytes))?;
        Ok(Self { reader, names: TensorNames::new(py, dataset.specs()), threads })
    }

    #[doc = docs!(RowReader.num_rows)]
    fn num_rows(&self, py: Python<'_>) -> PyResult<u64> {
        let interrupt = signals::interrupt_of_call(py)?;
        call(py, || self.reader.num_rows(Some(&interrupt)))
    }

    #[doc = docs!(RowReader.tensors)]
    fn tensors<'py>(&self, numbers: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let read = |numbers: &[i64], options: &RowOptions| self.reader.row_tensors(numbers, options);
        self.names.dict(numbers.py(), read_rows(numbers, self.threads, read)?)
    }
}
