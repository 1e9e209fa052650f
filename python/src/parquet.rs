//! `arrowfeed.read_parquet`.

use arrowfeed::AvroOptions;
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::taken;
use crate::reader::{RecordBatchReader, read_files};
use crate::source::PARQUET;
use crate::stores::StoreArguments;
use crate::tensor::schema as arrow_schema;

/// Read options that also apply to Parquet files.
const SHARED: [&str; 6] = ["columns", "double_as_float", "batch_size", "threads", "limits", "on_error"];

#[doc = signed!(read_parquet)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_parquet(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, keywords) = StoreArguments::split(source.py(), options)?;
    let schema = taken(&keywords, "schema")?.map(|schema| arrow_schema(&schema)).transpose()?;
    read_files(
        "read_parquet",
        &SHARED,
        (source, PARQUET, &stores),
        &keywords,
        |sources, options, interrupt| {
            let AvroOptions { columns, double_as_float, limits, .. } = options;
            let options = ParquetOptions { columns, schema, double_as_float, limits };
            ParquetFormat::files(sources, options, Some(interrupt))
        },
    )
}
