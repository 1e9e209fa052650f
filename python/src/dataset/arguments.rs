//! Arguments of a dataset: kept as they were given, so that it can be pickled, and parsed.

use std::path::PathBuf;

use arrowfeed::text::{CsvOptions, JsonLinesOptions};
use arrowfeed::{
    AvroDatasetOptions, ChunkDatasetOptions, CsvDatasetOptions, ExampleDatasetOptions,
    JsonLinesDatasetOptions, ParquetDatasetOptions, RawRecordDatasetOptions, ReadOptions, TensorDefinitions,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::argument::{path, strings, taken, unexpected_keyword, wrong_type};
use crate::options::{columns, read_options};
use crate::tensor::{representations_of_tfmd, tensor_definitions};
use crate::text;
use crate::tfrecord::{features, sample, tfmd_bytes};

/// Options of reading that a dataset of Avro files has too.
const AVRO: [&str; 5] = ["columns", "reader_schema", "encoding", "double_as_float", "limits"];

/// Those of Parquet files, and of chunks of rows.
const PARQUET: [&str; 2] = ["columns", "limits"];

/// Keywords of our own: what the caller does with lists and dicts afterwards changes none of them.
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
            // A schema of Arrow does not change.
            "schema" if value.hasattr("__arrow_c_schema__")? => value,
            name @ ("names" | "nulls") if !value.is_none() => {
                PyList::new(py, strings(name, "a list of texts (str)", &value)?)?.into_any()
            }
            "schema" if !value.is_none() => match tfmd_bytes(&value) {
                Ok(Some(bytes)) => bytes.into_any(),
                Ok(None) => py.import("copy")?.call_method1("copy", (value,))?,
                // Refused by the class, which knows what it expects.
                Err(_) => value,
            },
            "reader_schema" => py.import("copy")?.call_method1("deepcopy", (value,))?,
            _ => value,
        };
        kept.set_item(name, value)?;
    }
    Ok(kept)
}

/// The options that `AvroDataset` was called with.
pub(super) fn avro_options(keywords: &Bound<'_, PyDict>) -> PyResult<AvroDatasetOptions> {
    let (tensors, reading, index) = options("AvroDataset", &AVRO, keywords)?;
    let ReadOptions { columns, reader_schema, encoding, double_as_float, limits, .. } = reading;
    Ok(AvroDatasetOptions { tensors, columns, reader_schema, encoding, double_as_float, limits, index })
}

/// The options that `ParquetDataset` was called with.
pub(super) fn parquet_options(keywords: &Bound<'_, PyDict>) -> PyResult<ParquetDatasetOptions> {
    let (tensors, reading, index) = options("ParquetDataset", &PARQUET, keywords)?;
    let ReadOptions { columns, limits, .. } = reading;
    Ok(ParquetDatasetOptions { tensors, columns, limits, index })
}

/// The options that `ExampleDataset` was called with. The keywords were [`kept`].
pub(super) fn example_options(keywords: &Bound<'_, PyDict>) -> PyResult<ExampleDatasetOptions> {
    let others = keywords.copy()?;
    let (schema, given_sample) = (taken(&others, "schema")?, taken(&others, "sample")?);
    let (mut tensors, reading, index) = options("ExampleDataset", &PARQUET, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    // A schema of TensorFlow Metadata says what its tensors are.
    if let (None, None, Some(schema)) = (&tensors, &columns, &schema)
        && let Some(bytes) = tfmd_bytes(schema)?
    {
        let representations = representations_of_tfmd(schema.py(), bytes.as_bytes(), "")?;
        tensors = Some(TensorDefinitions::Representations(representations));
    }
    let schema = schema.as_ref().map(features).transpose()?;
    let sample = given_sample.as_ref().map(sample).transpose()?;
    Ok(ExampleDatasetOptions { tensors, schema, sample, columns, limits, index, ..Default::default() })
}

/// The options that `RawRecordDataset` was called with.
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

/// The options that `CsvDataset` was called with.
pub(super) fn csv_options(keywords: &Bound<'_, PyDict>) -> PyResult<CsvDatasetOptions> {
    let others = keywords.copy()?;
    let CsvOptions { dialect, names, schema, sample, chunk_bytes, .. } = text::csv_options(&others)?;
    let (tensors, reading, index) = options("CsvDataset", &PARQUET, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    Ok(CsvDatasetOptions { tensors, dialect, names, schema, sample, columns, chunk_bytes, limits, index })
}

/// The options that `JsonLinesDataset` was called with.
pub(super) fn json_lines_options(keywords: &Bound<'_, PyDict>) -> PyResult<JsonLinesDatasetOptions> {
    let others = keywords.copy()?;
    let JsonLinesOptions { schema, sample, chunk_bytes, .. } = text::json_lines_options(&others)?;
    let (tensors, reading, index) = options("JsonLinesDataset", &PARQUET, &others)?;
    let ReadOptions { columns, limits, .. } = reading;
    Ok(JsonLinesDatasetOptions { tensors, schema, sample, columns, chunk_bytes, limits, index })
}

/// The options that `ChunkDataset` was called with.
pub(super) fn chunk_options(keywords: &Bound<'_, PyDict>) -> PyResult<ChunkDatasetOptions> {
    let (tensors, reading, index) = options("ChunkDataset", &PARQUET, keywords)?;
    let ReadOptions { columns, limits, .. } = reading;
    // Only the caller's thread calls Python code: no other thread then ever waits for the interpreter.
    Ok(ChunkDatasetOptions { tensors, columns, limits, index, read_by_caller: true })
}

/// What the tensors are made of, the options of reading among `known`, and the path of an index.
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
