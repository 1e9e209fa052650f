//! Arrow IPC files and streams: `arrowfeed.ArrowDataset` and `arrowfeed.read_arrow_ipc`.

use arrowfeed::ipc::{IpcFormat, IpcOptions};
use arrowfeed::source::Limits;
use pyo3::prelude::*;

use super::FormatArguments;
use crate::argument_types::{Columns, Given};

file_format! {
    struct ArrowArguments {
        columns: Option<Columns>,
        limits: Limits,
    }
    extension: "arrow",
    open: IpcFormat::files,
    dataset: ArrowDataset,
    reader: read_arrow_ipc,
}

impl FormatArguments for ArrowArguments {
    type Options = IpcOptions;

    fn options(self, _: Python<'_>) -> PyResult<IpcOptions> {
        Ok(IpcOptions { columns: self.columns.map(Columns::into), limits: self.limits })
    }
}
