//! `arrowfeed.read_parquet`.

use arrowfeed::AvroOptions;
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::run::ReadOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::unexpected_keyword;
use crate::options::read_options;
use crate::progress::Progress;
use crate::reader::RecordBatchReader;
use crate::source::{PARQUET, rereadable};
use crate::stores::StoreArguments;
use crate::tensor::schema as arrow_schema;

/// Read options that also apply to Parquet files.
const SHARED: [&str; 6] = ["columns", "double_as_float", "batch_size", "threads", "limits", "on_error"];

/// Parses the options into those of the files and those of the reader.
fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<(ParquetOptions, ReadOptions)> {
    let mut schema = None;
    let shared = given.map(|given| PyDict::new(given.py()));
    for (name, value) in given.into_iter().flatten() {
        match (name.extract::<String>()?.as_str(), &shared) {
            ("schema", _) if value.is_none() => {}
            ("schema", _) => schema = Some(arrow_schema(&value)?),
            (known, Some(shared)) if SHARED.contains(&known) => shared.set_item(known, value)?,
            (unknown, _) => return Err(unexpected_keyword("read_parquet", unknown)),
        }
    }
    let (options, reading) = read_options("read_parquet", shared.as_ref())?;
    let AvroOptions { columns, double_as_float, limits, .. } = options;
    Ok((ParquetOptions { columns, schema, double_as_float, limits }, reading))
}

#[doc = signed!(read_parquet)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_parquet(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, options) = StoreArguments::split(source.py(), options)?;
    let progress = Progress::take(&options)?;
    let (files, reading) = self::options(Some(&options))?;
    let (sources, _) = rereadable(source, PARQUET, &stores)?;
    RecordBatchReader::open(source.py(), progress, |interrupt| {
        let files = ParquetFormat::files(sources, files, Some(&interrupt))?;
        files.read_files(ReadOptions { interrupt: Some(interrupt), ..reading })
    })
}
