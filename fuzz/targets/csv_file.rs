//! Reads any bytes as a CSV file. Expects rows or an error, the same rows chunk by chunk as from the whole file, and valid
//! arrays.

#![no_main]

#[path = "common/text.rs"]
mod text;

use arrowfeed_text::{CsvDialect, CsvFormat, CsvOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, u8, bool, bool)| {
    let (file, chunk_bytes, header, has_escape) = input;
    let dialect = CsvDialect { header, escape: has_escape.then_some(b'\\'), ..Default::default() };
    let (chunk_bytes, limits) = (u64::from(chunk_bytes) + 1, text::limits());
    let options = CsvOptions { dialect, chunk_bytes, limits, ..Default::default() };
    text::check(|file| CsvFormat::files([file], options.clone(), None), &file);
});
