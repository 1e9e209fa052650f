//! The dataset classes, one for each format.

use arrowfeed::ipc::IpcFormat;
use arrowfeed::parquet::ParquetFormat;
use arrowfeed::source::Interrupt;
use arrowfeed::source::format::ChunkFormat;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::FileSet;
use arrowfeed::text::{CsvFormat, JsonLinesFormat};
use arrowfeed::tfrecord::RecordFormat;
use arrowfeed::{AvroFormat, DatasetError, DatasetOptions, FeedError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::arguments::{
    avro_options, chunk_options, csv_options, example_options, ipc_options, json_lines_options, mixed,
    parquet_options, picklable_keywords, picklable_keywords_with_schema, raw_record_options,
    sequence_example_options,
};
use super::base::{ConstructorArgs, Dataset};
use super::chunk_source::sources;
use crate::call::caught;
use crate::errors::dataset_error;
use crate::exported::check_schema;
use crate::signals;
use crate::source::{ARROW, AVRO, CSV, JSON_LINES, PARQUET, TFRECORD, rereadable};
use crate::stores::{StoreArguments, warn_of_servers_without_ranges};

/// The format of a dataset, which determines the class of its projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Avro,
    Arrow,
    Parquet,
    Example,
    SequenceExample,
    RawRecord,
    Csv,
    JsonLines,
    Chunks,
    Mixed,
}

impl Format {
    /// The name of the dataset class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Avro => "AvroDataset",
            Self::Arrow => "ArrowDataset",
            Self::Parquet => "ParquetDataset",
            Self::Example => "ExampleDataset",
            Self::SequenceExample => "SequenceExampleDataset",
            Self::RawRecord => "RawRecordDataset",
            Self::Csv => "CsvDataset",
            Self::JsonLines => "JsonLinesDataset",
            Self::Chunks => "ChunkDataset",
            Self::Mixed => "MixedDataset",
        }
    }

    /// Opens a dataset of the files of `source`, which `files` opens with the options that `parse` takes from the keywords. In a
    /// directory, only files with the extension are read.
    fn of_files<O: Send>(
        self,
        (source, extension): (&Bound<'_, PyAny>, &str),
        keywords: Bound<'_, PyDict>,
        parse: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<(O, DatasetOptions)>,
        files: impl FnOnce(Vec<FileSource>, O, &Interrupt) -> Result<FileSet, FeedError> + Send,
    ) -> PyResult<Dataset> {
        let (stores, others) = StoreArguments::split(source.py(), Some(&keywords))?;
        let (options, dataset) = parse(&others)?;
        let sources = rereadable(source, extension, &stores)?;
        let open = |sources, interrupt: &Interrupt| files(sources, options, interrupt);
        self.dataset(source.py(), sources, keywords, opened(open, dataset))
    }

    /// Opens a dataset from `sources`. `source` is their picklable form.
    fn dataset<S: Send>(
        self,
        py: Python<'_>,
        (sources, source): (S, Py<PyAny>),
        keywords: Bound<'_, PyDict>,
        open: impl FnOnce(S, &Interrupt) -> Result<arrowfeed::Dataset, DatasetError> + Send,
    ) -> PyResult<Dataset> {
        let interrupt = signals::interrupt_of_call(py)?;
        let dataset = py.detach(|| caught(|| open(sources, &interrupt)));
        let dataset = dataset.map_err(|error| dataset_error(py, error))?;
        check_schema(py, dataset.arrow_schema())?;
        warn_of_servers_without_ranges(py)?;
        let (keywords, schema) = (keywords.unbind(), dataset.arrow_schema().clone());
        let made = ConstructorArgs { format: self, source, keywords, names: None, schema };
        Ok(Dataset::new(dataset, made))
    }

    /// Wraps a dataset in an object of its class.
    pub(super) fn object(self, py: Python<'_>, dataset: Dataset) -> PyResult<Py<PyAny>> {
        let base = PyClassInitializer::from(dataset);
        Ok(match self {
            Self::Avro => Py::new(py, base.add_subclass(AvroDataset))?.into_any(),
            Self::Arrow => Py::new(py, base.add_subclass(ArrowDataset))?.into_any(),
            Self::Parquet => Py::new(py, base.add_subclass(ParquetDataset))?.into_any(),
            Self::Example => Py::new(py, base.add_subclass(ExampleDataset))?.into_any(),
            Self::SequenceExample => Py::new(py, base.add_subclass(SequenceExampleDataset))?.into_any(),
            Self::RawRecord => Py::new(py, base.add_subclass(RawRecordDataset))?.into_any(),
            Self::Csv => Py::new(py, base.add_subclass(CsvDataset))?.into_any(),
            Self::JsonLines => Py::new(py, base.add_subclass(JsonLinesDataset))?.into_any(),
            Self::Chunks => Py::new(py, base.add_subclass(ChunkDataset))?.into_any(),
            Self::Mixed => Py::new(py, base.add_subclass(MixedDataset))?.into_any(),
        })
    }
}

/// Makes a dataset of the files that `files` opens.
fn opened<S>(
    files: impl FnOnce(S, &Interrupt) -> Result<FileSet, FeedError>,
    options: DatasetOptions,
) -> impl FnOnce(S, &Interrupt) -> Result<arrowfeed::Dataset, DatasetError> {
    |sources, interrupt| {
        let options = DatasetOptions { interrupt: Some(interrupt.clone()), ..options };
        arrowfeed::Dataset::open(files(sources, interrupt)?, options)
    }
}

#[doc = signed!(AvroDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct AvroDataset;

#[pymethods]
impl AvroDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            AvroFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::Avro.of_files((source, AVRO), keywords, avro_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(ArrowDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct ArrowDataset;

#[pymethods]
impl ArrowDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            IpcFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::Arrow.of_files((source, ARROW), keywords, ipc_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(ParquetDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct ParquetDataset;

#[pymethods]
impl ParquetDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords_with_schema(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            ParquetFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::Parquet.of_files((source, PARQUET), keywords, parquet_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(ExampleDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct ExampleDataset;

#[pymethods]
impl ExampleDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            RecordFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::Example.of_files((source, TFRECORD), keywords, example_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(SequenceExampleDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct SequenceExampleDataset;

#[pymethods]
impl SequenceExampleDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            RecordFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::SequenceExample.of_files(
            (source, TFRECORD),
            keywords,
            sequence_example_options,
            files,
        )?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(RawRecordDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct RawRecordDataset;

#[pymethods]
impl RawRecordDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            RecordFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::RawRecord.of_files((source, TFRECORD), keywords, raw_record_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(CsvDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct CsvDataset;

#[pymethods]
impl CsvDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords_with_schema(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            CsvFormat::files(sources, options, Some(interrupt))
        };
        let dataset = Format::Csv.of_files((source, CSV), keywords, csv_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(JsonLinesDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct JsonLinesDataset;

#[pymethods]
impl JsonLinesDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords_with_schema(source.py(), keywords)?;
        let files = |sources: Vec<_>, options, interrupt: &Interrupt| {
            JsonLinesFormat::files(sources, options, Some(interrupt))
        };
        let dataset =
            Format::JsonLines.of_files((source, JSON_LINES), keywords, json_lines_options, files)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = signed!(ChunkDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
pub(crate) struct ChunkDataset;

#[pymethods]
impl ChunkDataset {
    #[new]
    #[pyo3(signature = (source, **keywords), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = picklable_keywords(source.py(), keywords)?;
        let (options, dataset) = chunk_options(&keywords)?;
        let open = |sources: Vec<_>, _: &Interrupt| ChunkFormat::files(sources, options);
        let dataset =
            Format::Chunks.dataset(source.py(), sources(source)?, keywords, opened(open, dataset))?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}

#[doc = docs!(MixedDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
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
        let (source, keywords) = (PyTuple::new(py, &datasets)?, PyDict::new(py));
        keywords.set_item("weights", &weights)?;
        let rust = datasets.iter().map(|dataset| dataset.get().dataset().clone()).zip(weights);
        let rust: Vec<_> = rust.collect();
        let open = |datasets, _: &Interrupt| arrowfeed::Dataset::mixed(datasets);
        let dataset = Format::Mixed.dataset(py, (rust, source.into_any().unbind()), keywords, open)?;
        Ok(PyClassInitializer::from(dataset).add_subclass(Self))
    }
}
