//! The classes that make datasets, one for each format.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{avro_options, kept, parquet_options};
use super::base::{Dataset, Made};
use crate::call::caught_any;
use crate::errors::dataset_error;
use crate::signals;
use crate::source::{AVRO, rereadable};

/// The format of a dataset, and with it the class of its projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Avro,
    Parquet,
}

impl Format {
    /// The name of the class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Avro => "AvroDataset",
            Self::Parquet => "ParquetDataset",
        }
    }

    /// A dataset as an object of its class.
    pub(super) fn object(self, py: Python<'_>, dataset: Dataset) -> PyResult<Py<PyAny>> {
        let base = PyClassInitializer::from(dataset);
        Ok(match self {
            Self::Avro => Py::new(py, base.add_subclass(AvroDataset))?.into_any(),
            Self::Parquet => Py::new(py, base.add_subclass(ParquetDataset))?.into_any(),
        })
    }
}

#[doc = docs!(AvroDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct AvroDataset;

#[pymethods]
impl AvroDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = "(source, *, features=None, representations=None, \
        columns=None, reader_schema=None, encoding='native', double_as_float=False, limits=None, index=None)")]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = source.py();
        let keywords = kept(py, keywords)?;
        let options = avro_options(&keywords)?;
        let (sources, source) = rereadable(source, AVRO)?;
        let interrupt = signals::interrupt_of_call(py)?;
        let open = || arrowfeed::AvroDataset::open_with(sources, options, Some(&interrupt));
        let dataset = py.detach(|| caught_any(open)).map_err(|error| dataset_error(py, error))?;
        let made = Made { format: Format::Avro, source, keywords: keywords.unbind(), names: None };
        Ok(PyClassInitializer::from(Dataset::new(dataset, made)).add_subclass(Self))
    }
}

#[doc = docs!(ParquetDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct ParquetDataset;

#[pymethods]
impl ParquetDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = "(source, *, features=None, representations=None, \
        columns=None, limits=None, index=None)")]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = source.py();
        let keywords = kept(py, keywords)?;
        let options = parquet_options(&keywords)?;
        let (sources, source) = rereadable(source, "parquet")?;
        let interrupt = signals::interrupt_of_call(py)?;
        let open = || arrowfeed::ParquetDataset::open(sources, options, Some(&interrupt));
        let dataset = py.detach(|| caught_any(open)).map_err(|error| dataset_error(py, error))?;
        let made = Made { format: Format::Parquet, source, keywords: keywords.unbind(), names: None };
        Ok(PyClassInitializer::from(Dataset::new(dataset, made)).add_subclass(Self))
    }
}
