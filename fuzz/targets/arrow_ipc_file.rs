//! Reads any bytes as an Arrow IPC file or stream. Expects rows or an error, the same rows chunk by chunk and range by range as
//! from the whole file, and valid arrays.

#![no_main]

#[path = "common/files.rs"]
mod files;

use std::path::Path;

use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::Limits;
use libfuzzer_sys::fuzz_target;

// The format converts panics of the crate arrow-ipc to errors. The hook of libFuzzer ends the process at any panic.
fuzz_target!(
    init: {
        let ending = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.location().is_none_or(|location| Path::new(location.file()).is_relative()) {
                ending(panic);
            }
        }));
    },
    |file: &[u8]| {
        let limits = Limits { header_bytes: 1 << 20, zero_byte_rows: 1 << 16, ..files::limits() };
        let cuts = [file.len(), file.len() / 256].map(|n| (n % 256) as u8);
        let options = IpcOptions { limits, ..IpcOptions::default() };
        files::check(|file| IpcFormat::files([file], options.clone(), None), file, &cuts);
    }
);
