//! `arrowfeed.read_parquet`.

use arrowfeed::ReadOptions;
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::run::ReadingOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::unexpected_keyword;
use crate::options::read_options;
use crate::reader::RecordBatchReader;
use crate::source::{PARQUET, rereadable};

#[doc = docs!(read_parquet)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = "(source, *, columns=None, batch_size=8192, threads=None, \
    limits=None, on_error='raise')")]
pub(crate) fn read_parquet(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    const NAME: &str = "read_parquet";
    const KNOWN: [&str; 5] = ["columns", "batch_size", "threads", "limits", "on_error"];
    let py = source.py();
    for (name, _) in options.into_iter().flatten() {
        let name = name.extract::<String>()?;
        if !KNOWN.contains(&name.as_str()) {
            return Err(unexpected_keyword(NAME, &name));
        }
    }
    let ReadOptions { columns, batch_size, threads, limits, on_error, .. } = read_options(NAME, options)?;
    let (sources, _) = rereadable(source, PARQUET)?;
    RecordBatchReader::open(py, |interrupt| {
        let files = ParquetFormat::files(sources, ParquetOptions { columns, limits }, Some(&interrupt))?;
        files.read_files(ReadingOptions { batch_size, threads, on_error, interrupt: Some(interrupt) })
    })
}
