//! `arrowfeed.MixedDataset`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::argument::{items, number, wrong_type, wrong_value};
use crate::arrow_schema::counted;
use crate::dataset::{Dataset, Keywords};

#[doc = docs!(MixedDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
#[derive(Default)]
pub(crate) struct MixedDataset;

#[pymethods]
impl MixedDataset {
    #[new]
    #[pyo3(signature = (datasets, *, weights=None))]
    fn new(
        datasets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = datasets.py();
        let (datasets, weights) = mixed(datasets, weights)?;
        let keywords = Keywords::new(py);
        keywords.keep("weights", &weights)?;
        let source = PyTuple::new(py, &datasets)?.into_any().unbind();
        let datasets = datasets.iter().map(|dataset| dataset.get().dataset().clone()).zip(weights);
        let datasets: Vec<_> = datasets.collect();
        keywords.open((datasets, source), |datasets, _| arrowfeed::Dataset::mixed(datasets))
    }
}

/// Parses the arguments of `MixedDataset`: the datasets, and a weight for each of them, by default the same.
fn mixed<'py>(
    datasets: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<Bound<'py, Dataset>>, Vec<f64>)> {
    const EXPECTED: &str = "a list or tuple of datasets";
    let found = items(datasets).ok_or_else(|| wrong_type("datasets", EXPECTED, datasets))?;
    let dataset = |value: &Bound<'py, PyAny>| {
        value.cast::<Dataset>().cloned().map_err(|_| wrong_type("datasets", EXPECTED, value))
    };
    let found = found.iter().map(dataset).collect::<PyResult<Vec<_>>>()?;
    let Some(weights) = weights else {
        let equal = vec![1.0; found.len()];
        return Ok((found, equal));
    };
    let numbers =
        items(weights).ok_or_else(|| wrong_type("weights", "a list or tuple of numbers", weights))?;
    if numbers.len() != found.len() {
        let expected = format!("a weight for each of the {}", counted(found.len(), "dataset"));
        return Err(wrong_value("weights", &expected, weights));
    }
    let numbers = numbers.iter().map(|value| number("weights", value)).collect::<PyResult<_>>()?;
    Ok((found, numbers))
}
