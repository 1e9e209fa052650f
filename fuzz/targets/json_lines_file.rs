//! Reads any bytes as a JSON Lines file. Expects rows or an error, the same rows chunk by chunk as from the whole file, and
//! valid arrays.

#![no_main]

#[path = "common/text.rs"]
mod text;

use arrowfeed_text::{JsonLinesFormat, JsonLinesOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (file, chunk_bytes) = input;
    let (chunk_bytes, limits) = (u64::from(chunk_bytes) + 1, text::limits());
    let options = JsonLinesOptions { chunk_bytes, limits, ..Default::default() };
    text::check(|file| JsonLinesFormat::files([file], options.clone(), None), &file);
});
