//! Arrow IPC files and streams: `arrowfeed.ArrowDataset` and `arrowfeed.read_arrow_ipc`.

use arrowfeed::ipc::IpcOptions;
use pyo3::prelude::*;

equal_options!(IpcOptions);

file_format! {
    IpcOptions: { columns, exclude, limits }
    format: Arrow,
    dataset: ArrowDataset,
    reader: read_arrow_ipc,
}
