//! `arrowfeed.read_arrow_ipc`.

use arrowfeed::AvroOptions;
use arrowfeed::ipc::{IpcFormat, IpcOptions};
use arrowfeed::source::run::ReadOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::read_options_of;
use crate::progress::Progress;
use crate::reader::RecordBatchReader;
use crate::source::{ARROW, rereadable};
use crate::stores::StoreArguments;

/// Read options that also apply to Arrow IPC files.
const SHARED: [&str; 5] = ["columns", "batch_size", "threads", "limits", "on_error"];

#[doc = signed!(read_arrow_ipc)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_arrow_ipc(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, keywords) = StoreArguments::split(source.py(), options)?;
    let progress = Progress::take(&keywords)?;
    let (options, reading) = read_options_of("read_arrow_ipc", &SHARED, &keywords)?;
    let AvroOptions { columns, limits, .. } = options;
    let (sources, _) = rereadable(source, ARROW, &stores)?;
    RecordBatchReader::open(source.py(), progress, |interrupt| {
        let files = IpcFormat::files(sources, IpcOptions { columns, limits }, Some(&interrupt))?;
        files.read_files(ReadOptions { interrupt: Some(interrupt), ..reading })
    })
}
