//! `arrowfeed.read_arrow_ipc`.

use arrowfeed::AvroOptions;
use arrowfeed::ipc::{IpcFormat, IpcOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::READ_OPTIONS;
use crate::reader::{RecordBatchReader, read_files};
use crate::source::ARROW;
use crate::stores::StoreArguments;

#[doc = signed!(read_arrow_ipc)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_arrow_ipc(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    const NAME: &str = "read_arrow_ipc";
    let (stores, keywords) = StoreArguments::split(source.py(), options)?;
    read_files(NAME, &READ_OPTIONS, (source, ARROW, &stores), &keywords, |sources, options, interrupt| {
        let AvroOptions { columns, limits, .. } = options;
        IpcFormat::files(sources, IpcOptions { columns, limits }, Some(interrupt))
    })
}
