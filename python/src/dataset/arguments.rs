//! Arguments of a dataset, which are copied for pickles and parsed.

use arrowfeed::ipc::IpcOptions;
use arrowfeed::parquet::ParquetOptions;
use arrowfeed::source::format::ChunkOptions;
use arrowfeed::text::{CsvOptions, JsonLinesOptions};
use arrowfeed::tfrecord::sequence_example::SEQUENCE_COLUMN;
use arrowfeed::tfrecord::{FeatureEncoding, RecordKind, RecordOptions};
use arrowfeed::{AvroOptions, DatasetOptions, Limits, TensorDefinitions};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::base::Dataset;
use crate::argument::{
    copied, items, number, path, strings, taken, unexpected_keyword, wrong_type, wrong_value,
};
use crate::arrow_schema::{Schema, counted};
use crate::options::{columns, read_options};
use crate::tensor::{representations_of_tfmd, schema as arrow_schema, tensor_definitions};
use crate::text;
use crate::tfrecord::{RECORD, encoding, features, sample, sequence_features, tfmd_bytes};

/// Read options of Avro datasets.
const AVRO: [&str; 7] =
    ["columns", "reader_schema", "encoding", "double_as_float", "unions", "raw", "limits"];

/// Read options of datasets of Arrow IPC files, messages, text files and chunks.
const COLUMNS: [&str; 2] = ["columns", "limits"];

/// Read options of Parquet datasets.
const PARQUET: [&str; 3] = ["columns", "double_as_float", "limits"];

/// Copies the keywords, so that later changes of lists and dicts by the caller have no effect.
pub(super) fn picklable_keywords<'py>(
    py: Python<'py>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let kept = PyDict::new(py);
    for (name, value) in keywords.into_iter().flatten() {
        let value = match name.extract::<String>()?.as_str() {
            "columns" if !value.is_none() => PyList::new(py, columns("columns", &value)?)?.into_any(),
            "features" | "representations" => py.import("copy")?.call_method1("copy", (value,))?,
            "index" if !value.is_none() => path("index", &value)?.into_pyobject(py)?.into_any(),
            name @ ("names" | "nulls" | "multivalent_columns") if !value.is_none() => {
                PyList::new(py, strings(name, "a list of texts (str)", &value)?)?.into_any()
            }
            "schema" if !value.is_none() => match tfmd_bytes(&value) {
                Ok(Some(bytes)) => bytes.into_any(),
                Ok(None) => py.import("copy")?.call_method1("deepcopy", (value,))?,
                // The class rejects the value, with its own message.
                Err(_) => value,
            },
            "reader_schema" => py.import("copy")?.call_method1("deepcopy", (value,))?,
            _ => value,
        };
        kept.set_item(name, value)?;
    }
    Ok(kept)
}

/// Like [`picklable_keywords`], for a format with an Arrow `schema`, which is converted to a picklable `arrowfeed.Schema`.
pub(super) fn picklable_keywords_with_schema<'py>(
    py: Python<'py>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let others = copied(py, keywords)?;
    let schema = taken(&others, "schema")?.map(|schema| arrow_schema(&schema)).transpose()?;
    let kept = picklable_keywords(py, Some(&others))?;
    if let Some(schema) = schema {
        kept.set_item("schema", Schema(schema))?;
    }
    Ok(kept)
}

/// Parses the options of `AvroDataset`.
pub(super) fn avro_options(keywords: &Bound<'_, PyDict>) -> PyResult<(AvroOptions, DatasetOptions)> {
    options("AvroDataset", &AVRO, keywords)
}

/// Parses the options of `ArrowDataset`.
pub(super) fn ipc_options(keywords: &Bound<'_, PyDict>) -> PyResult<(IpcOptions, DatasetOptions)> {
    let (AvroOptions { columns, limits, .. }, dataset) = options("ArrowDataset", &COLUMNS, keywords)?;
    Ok((IpcOptions { columns, limits }, dataset))
}

/// Parses the options of `ParquetDataset`.
pub(super) fn parquet_options(keywords: &Bound<'_, PyDict>) -> PyResult<(ParquetOptions, DatasetOptions)> {
    let others = keywords.copy()?;
    let schema = taken(&others, "schema")?.map(|schema| arrow_schema(&schema)).transpose()?;
    let (reading, dataset) = options("ParquetDataset", &PARQUET, &others)?;
    let AvroOptions { columns, double_as_float, limits, .. } = reading;
    Ok((ParquetOptions { columns, schema, double_as_float, limits }, dataset))
}

/// Parses the options of `ExampleDataset` from keywords of [`picklable_keywords`].
pub(super) fn example_options(keywords: &Bound<'_, PyDict>) -> PyResult<(RecordOptions, DatasetOptions)> {
    let Messages { schema, sample, encoding, columns, limits, dataset } =
        messages("ExampleDataset", keywords)?;
    let features = schema.as_ref().map(features).transpose()?;
    let kind = RecordKind::Example { features, sample };
    Ok((RecordOptions { columns, encoding, limits, ..RecordOptions::new(kind) }, dataset))
}

/// Parses the options of `SequenceExampleDataset` from keywords of [`picklable_keywords`].
pub(super) fn sequence_example_options(
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(RecordOptions, DatasetOptions)> {
    let Messages { schema, sample, encoding, columns, limits, dataset } =
        messages("SequenceExampleDataset", keywords)?;
    let features = schema.map(|schema| sequence_features(&schema, SEQUENCE_COLUMN)).transpose()?;
    let kind = RecordKind::SequenceExample { features, sample };
    Ok((RecordOptions { columns, encoding, limits, ..RecordOptions::new(kind) }, dataset))
}

/// The options of datasets of messages.
struct Messages<'py> {
    schema: Option<Bound<'py, PyAny>>,
    sample: Option<u64>,
    encoding: FeatureEncoding,
    columns: Option<Vec<String>>,
    limits: Limits,
    dataset: DatasetOptions,
}

fn messages<'py>(class: &str, keywords: &Bound<'py, PyDict>) -> PyResult<Messages<'py>> {
    let others = keywords.copy()?;
    let (schema, given_sample) = (taken(&others, "schema")?, taken(&others, "sample")?);
    let encoding = taken(&others, "encoding")?.as_ref().map(encoding).transpose()?.unwrap_or_default();
    let (AvroOptions { columns, limits, .. }, mut dataset) = options(class, &COLUMNS, &others)?;
    // A TensorFlow Metadata schema defines its tensors.
    if let (None, None, Some(schema)) = (&dataset.tensors, &columns, &schema)
        && let Some(bytes) = tfmd_bytes(schema)?
    {
        let representations = representations_of_tfmd(schema.py(), bytes.as_bytes(), "")?;
        dataset.tensors = Some(TensorDefinitions::Representations(representations));
    }
    let sample = given_sample.as_ref().map(sample).transpose()?;
    Ok(Messages { schema, sample, encoding, columns, limits, dataset })
}

/// Parses the options of `RawRecordDataset`.
pub(super) fn raw_record_options(keywords: &Bound<'_, PyDict>) -> PyResult<(RecordOptions, DatasetOptions)> {
    let others = keywords.copy()?;
    let column = match taken(&others, "column")? {
        Some(name) => {
            name.extract().map_err(|_| wrong_type("column", "the name of a column (str)", &name))?
        }
        None => RECORD.to_owned(),
    };
    let (AvroOptions { limits, .. }, dataset) = options("RawRecordDataset", &["limits"], &others)?;
    Ok((RecordOptions { limits, ..RecordOptions::new(RecordKind::Raw { column }) }, dataset))
}

/// Parses the options of `CsvDataset`.
pub(super) fn csv_options(keywords: &Bound<'_, PyDict>) -> PyResult<(CsvOptions, DatasetOptions)> {
    let others = keywords.copy()?;
    let files = text::csv_options(&others)?;
    let (AvroOptions { columns, limits, .. }, dataset) = options("CsvDataset", &COLUMNS, &others)?;
    Ok((CsvOptions { columns, limits, ..files }, dataset))
}

/// Parses the options of `JsonLinesDataset`.
pub(super) fn json_lines_options(
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(JsonLinesOptions, DatasetOptions)> {
    let others = keywords.copy()?;
    let files = text::json_lines_options(&others)?;
    let (AvroOptions { columns, limits, .. }, dataset) = options("JsonLinesDataset", &COLUMNS, &others)?;
    Ok((JsonLinesOptions { columns, limits, ..files }, dataset))
}

/// Parses the options of `ChunkDataset`.
pub(super) fn chunk_options(keywords: &Bound<'_, PyDict>) -> PyResult<(ChunkOptions, DatasetOptions)> {
    let (AvroOptions { columns, limits, .. }, dataset) = options("ChunkDataset", &COLUMNS, keywords)?;
    // Only the thread of the caller calls Python code, so no other thread waits for the interpreter.
    Ok((ChunkOptions { columns, limits, read_by_caller: true }, dataset))
}

/// Parses the format options among `known`, and the options of the dataset.
fn options(
    class: &str,
    known: &[&str],
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(AvroOptions, DatasetOptions)> {
    let reading = PyDict::new(keywords.py());
    let (mut by_feature, mut by_representation, mut index) = (None, None, None);
    for (name, value) in keywords {
        match name.extract::<String>()?.as_str() {
            _ if value.is_none() => {}
            "features" => by_feature = Some(value),
            "representations" => by_representation = Some(value),
            "index" => index = Some(path("index", &value)?),
            name if known.contains(&name) => reading.set_item(name, value)?,
            unknown => return Err(unexpected_keyword(class, unknown)),
        }
    }
    let tensors = tensor_definitions(by_feature, by_representation)?;
    Ok((read_options(class, Some(&reading))?.0, DatasetOptions { tensors, index, interrupt: None }))
}

/// Parses the arguments of `MixedDataset`: the datasets, and a weight for each of them, by default the same.
pub(super) fn mixed<'py>(
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
