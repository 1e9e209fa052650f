//! Options of Arrow IPC in JSON.

use arrowfeed::ipc::IpcOptions;
use serde::Deserialize;

use super::Common;

/// There are no options but those of all formats.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {}

pub(super) fn options(_: &Given, common: Common) -> IpcOptions {
    let Common { columns, exclude, limits } = common;
    IpcOptions { columns, exclude, limits }
}
