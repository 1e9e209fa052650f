//! Reads any bytes as a JSON Lines file. Expects rows or an error, the same rows by chunks and by ranges as from the whole file,
//! and valid arrays.

use arrowfeed_text::{JsonLinesFormat, JsonLinesOptions};

use crate::files;
use crate::input::decoded;

pub(crate) fn run(bytes: &[u8]) {
    let Some(input) = decoded::<(Vec<u8>, [u8; 2], u8)>(bytes) else { return };
    let (file, cuts, chunk_bytes) = input;
    let (chunk_bytes, limits) = (u64::from(chunk_bytes) + 1, files::limits());
    let options = JsonLinesOptions { chunk_bytes, limits, ..Default::default() };
    files::check(|file| JsonLinesFormat::files([file], options.clone(), None), &file, &cuts);
}
