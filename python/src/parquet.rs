//! `arrowfeed.read_parquet` and `arrowfeed.read_parquet_split`.

use std::sync::Arc;

use arrowfeed::AvroOptions;
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::Check;
use arrowfeed::source::run::{RangeOptions, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{unexpected_keyword, wrong_type};
use crate::claims;
use crate::options::read_options;
use crate::progress::Progress;
use crate::reader::RecordBatchReader;
use crate::source::{PARQUET, rereadable, seekable};
use crate::split::{Split, split_source};
use crate::stores::StoreArguments;
use crate::tensor::schema as arrow_schema;

/// Read options that also apply to Parquet files.
const SHARED: [&str; 6] = ["columns", "double_as_float", "batch_size", "threads", "limits", "on_error"];

/// Parses the options into those of the files and those of the reader.
fn options(function: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<(ParquetOptions, ReadOptions)> {
    let mut schema = None;
    let shared = given.map(|given| PyDict::new(given.py()));
    for (name, value) in given.into_iter().flatten() {
        match (name.extract::<String>()?.as_str(), &shared) {
            ("schema", _) if value.is_none() => {}
            ("schema", _) => schema = Some(arrow_schema(&value)?),
            (known, Some(shared)) if SHARED.contains(&known) => shared.set_item(known, value)?,
            (unknown, _) => return Err(unexpected_keyword(function, unknown)),
        }
    }
    let (options, reading) = read_options(function, shared.as_ref())?;
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
    let (files, reading) = self::options("read_parquet", Some(&options))?;
    let (sources, _) = rereadable(source, PARQUET, &stores)?;
    RecordBatchReader::open(source.py(), progress, |interrupt| {
        let files = ParquetFormat::files(sources, files, Some(&interrupt))?;
        files.read_files(ReadOptions { interrupt: Some(interrupt), ..reading })
    })
}

#[doc = signed!(read_parquet_split)]
#[pyfunction]
#[pyo3(signature = (split, *, claim=None, file=None, **options), text_signature = None)]
pub(crate) fn read_parquet_split(
    split: &Bound<'_, PyAny>,
    claim: Option<&Bound<'_, PyAny>>,
    file: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, options) = StoreArguments::split(split.py(), options)?;
    let progress = Progress::take(&options)?;
    let (files, reading) = self::options("read_parquet_split", Some(&options))?;
    let split = split.cast::<Split>().map_err(|_| wrong_type("split", "a Split", split))?;
    let (py, Split(split)) = (split.py(), split.get());
    let claim = claim.map(claims::by_python).transpose()?;
    let source = match file {
        Some(file) => seekable("file", file, &split.path)?,
        None => split_source(py, split, &stores)?,
    };
    let source = source.with_identity(split.identity);
    RecordBatchReader::open(py, progress, |interrupt| {
        let files = ParquetFormat::files([source], files, Some(&interrupt))?;
        let file = files.open(0, &Check::of(Some(&interrupt)))?;
        // The range may begin after the last page of the file, in the footer.
        let (pages_end, len) = (file.body().end, files.file_len(0, &Check::of(Some(&interrupt)))?);
        let start = if split.start <= len { split.start.min(pages_end) } else { split.start };
        let ReadOptions { batch_size, on_error, .. } = reading;
        let claim = claim.map(|claim| Box::new(claim) as _);
        let options = RangeOptions { batch_size, on_error, interrupt: Some(interrupt), claim };
        Arc::new(files).read_range(file, start..split.end, options)
    })
}
