//! Reads any bytes as a CSV file. Expects rows or an error, the same rows by chunks and by ranges as from the whole file, and
//! valid arrays.

use arrowfeed_text::{CsvFormat, CsvOptions};

use crate::files;
use crate::input::decoded;

pub(crate) fn run(bytes: &[u8]) {
    let Some(input) = decoded::<(Vec<u8>, [u8; 2], u8, bool, bool)>(bytes) else { return };
    let (file, cuts, chunk_bytes, header, has_escape) = input;
    let escape = has_escape.then_some(b'\\');
    let (chunk_bytes, limits) = (u64::from(chunk_bytes) + 1, files::limits());
    let options = CsvOptions { header, escape, chunk_bytes, limits, ..Default::default() };
    files::check(|file| CsvFormat::files([file], options.clone(), None), &file, &cuts);
}
