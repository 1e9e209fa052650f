//! Arguments of a dataset, which are copied for pickles and parsed.

use std::path::PathBuf;

use arrowfeed::text::{CsvOptions, JsonLinesOptions};
use arrowfeed::tfrecord::Encoding;
use arrowfeed::tfrecord::sequence_example::SEQUENCE_COLUMN;
use arrowfeed::{
    AvroDatasetOptions, ChunkDatasetOptions, CsvDatasetOptions, ExampleDatasetOptions,
    JsonLinesDatasetOptions, Limits, ParquetDatasetOptions, RawRecordDatasetOptions, ReadOptions,
    SequenceExampleDatasetOptions, TensorDefinitions,
};
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
use crate::tfrecord::{encoding, features, sample, sequence_features, tfmd_bytes};

/// Read options of Avro datasets.
const AVRO: [&str; 7] =
    ["columns", "reader_schema", "encoding", "double_as_float", "unions", "raw", "limits"];

/// Read options of datasets of messages, text files and chunks.
const COLUMNS: [&str; 2] = ["columns", "limits"];

/// Read options of Parquet datasets.
const PARQUET: [&str; 3] = ["columns", "double_as_float", "limits"];

/// Copies the keywords, so that later changes of lists and dicts by the caller have no effect.
pub(super) fn kept<'py>(
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

/// Like [`kept`], for a format with an Arrow `schema`, which is converted to a picklable `arrowfeed.Schema`.
pub(super) fn kept_with_arrow_schema<'py>(
    py: Python<'py>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let others = copied(py, keywords)?;
    let schema = taken(&others, "schema")?.map(|schema| arrow_schema(&schema)).transpose()?;
    let kept = kept(py, Some(&others))?;
    if let Some(schema) = schema {
        kept.set_item("schema", Schema(schema))?;
    }
    Ok(kept)
}

/// Parses the options of `AvroDataset`.
pub(super) fn avro_options(keywords: &Bound<'_, PyDict>) -> PyResult<AvroDatasetOptions> {
    let (tensors, reading, index) = options("AvroDataset", &AVRO, keywords)?;
    let ReadOptions { columns, reader_schema, encoding, double_as_float, unions, raw, limits, .. } = reading;
    Ok(AvroDatasetOptions {
        tensors,
        columns,
        reader_schema,
        encoding,
        double_as_float,
        unions,
        raw,
        limits,
        index,
    })
}

/// Parses the options of `ParquetDataset`.
pub(super) fn parquet_options(keywords: &Bound<'_, PyDict>) -> PyResult<ParquetDatasetOptions> {
    let others = keywords.copy()?;
    let schema = taken(&others, "schema")?.map(|schema| arrow_schema(&schema)).transpose()?;
    let (tensors, reading, index) = options("ParquetDataset", &PARQUET, &others)?;
    let ReadOptions { columns, double_as_float, limits, .. } = reading;
    Ok(ParquetDatasetOptions { tensors, columns, schema, double_as_float, limits, index })
}

/// Parses the options of `ExampleDataset` from keywords of [`kept`].
pub(super) fn example_options(keywords: &Bound<'_, PyDict>) -> PyResult<ExampleDatasetOptions> {
    let Messages { schema, sample, encoding, tensors, columns, limits, index } =
        messages("ExampleDataset", keywords)?;
    let schema = schema.as_ref().map(features).transpose()?;
    let chunk_bytes = ExampleDatasetOptions::default().chunk_bytes;
    Ok(ExampleDatasetOptions { tensors, schema, sample, columns, encoding, chunk_bytes, limits, index })
}

/// Parses the options of `SequenceExampleDataset` from keywords of [`kept`].
pub(super) fn sequence_example_options(
    keywords: &Bound<'_, PyDict>,
) -> PyResult<SequenceExampleDatasetOptions> {
    let Messages { schema, sample, encoding, tensors, columns, limits, index } =
        messages("SequenceExampleDataset", keywords)?;
    let schema = schema.map(|schema| sequence_features(&schema, SEQUENCE_COLUMN)).transpose()?;
    let chunk_bytes = SequenceExampleDatasetOptions::default().chunk_bytes;
    Ok(SequenceExampleDatasetOptions {
        tensors,
        schema,
        sample,
        columns,
        encoding,
        chunk_bytes,
        limits,
        index,
    })
}

/// The options of datasets of messages.
struct Messages<'py> {
    schema: Option<Bound<'py, PyAny>>,
    sample: Option<u64>,
    encoding: Encoding,
    tensors: Option<TensorDefinitions>,
    columns: Option<Vec<String>>,
    limits: Limits,
    index: Option<PathBuf>,
}

fn messages<'py>(class: &str, keywords: &Bound<'py, PyDict>) -> PyResult<Messages<'py>> {
    let others = keywords.copy()?;
    let (schema, given_sample) = (taken(&others, "schema")?, taken(&others, "sample")?);
    let encoding = taken(&others, "encoding")?.as_ref().map(encoding).transpose()?.unwrap_or_default();
    let (mut tensors, reading, index) = options(class, &COLUMNS, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    // A TensorFlow Metadata schema defines its tensors.
    if let (None, None, Some(schema)) = (&tensors, &columns, &schema)
        && let Some(bytes) = tfmd_bytes(schema)?
    {
        let representations = representations_of_tfmd(schema.py(), bytes.as_bytes(), "")?;
        tensors = Some(TensorDefinitions::Representations(representations));
    }
    let sample = given_sample.as_ref().map(sample).transpose()?;
    Ok(Messages { schema, sample, encoding, tensors, columns, limits, index })
}

/// Parses the options of `RawRecordDataset`.
pub(super) fn raw_record_options(keywords: &Bound<'_, PyDict>) -> PyResult<RawRecordDatasetOptions> {
    let others = keywords.copy()?;
    let column = taken(&others, "column")?;
    let (tensors, reading, index) = options("RawRecordDataset", &["limits"], &others)?;
    let mut made = RawRecordDatasetOptions { tensors, limits: reading.limits, index, ..Default::default() };
    if let Some(name) = column {
        made.column =
            name.extract().map_err(|_| wrong_type("column", "the name of a column (str)", &name))?;
    }
    Ok(made)
}

/// Parses the options of `CsvDataset`.
pub(super) fn csv_options(keywords: &Bound<'_, PyDict>) -> PyResult<CsvDatasetOptions> {
    let others = keywords.copy()?;
    let CsvOptions { dialect, names, schema, raw, sample, chunk_bytes, .. } = text::csv_options(&others)?;
    let (tensors, reading, index) = options("CsvDataset", &COLUMNS, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    Ok(CsvDatasetOptions {
        tensors,
        dialect,
        names,
        schema,
        raw,
        sample,
        columns,
        chunk_bytes,
        limits,
        index,
    })
}

/// Parses the options of `JsonLinesDataset`.
pub(super) fn json_lines_options(keywords: &Bound<'_, PyDict>) -> PyResult<JsonLinesDatasetOptions> {
    let others = keywords.copy()?;
    let JsonLinesOptions { schema, sample, chunk_bytes, .. } = text::json_lines_options(&others)?;
    let (tensors, reading, index) = options("JsonLinesDataset", &COLUMNS, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    Ok(JsonLinesDatasetOptions { tensors, schema, sample, columns, chunk_bytes, limits, index })
}

/// Parses the options of `ChunkDataset`.
pub(super) fn chunk_options(keywords: &Bound<'_, PyDict>) -> PyResult<ChunkDatasetOptions> {
    let (tensors, reading, index) = options("ChunkDataset", &COLUMNS, keywords)?;
    let ReadOptions { columns, limits, .. } = reading;
    // Only the thread of the caller calls Python code, so no other thread waits for the interpreter.
    Ok(ChunkDatasetOptions { tensors, columns, limits, index, read_by_caller: true })
}

/// Parses the tensor definitions, the read options among `known`, and the path of an index.
fn options(
    class: &str,
    known: &[&str],
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(Option<TensorDefinitions>, ReadOptions, Option<PathBuf>)> {
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
    Ok((tensors, read_options(class, Some(&reading))?, index))
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
