//! Reads any bytes as a record of a JSON Lines file with a schema. Expects a row exactly if `serde_json` parses an object.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::Part;
use arrowfeed_text::{JsonLinesFormat, JsonLinesOptions};
use serde_json::Value;

use crate::files;

pub(crate) fn run(line: &[u8]) {
    if line.contains(&b'\n') || line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
        return;
    }
    // No key is read, so that only the grammar counts.
    let schema = Schema::new(vec![Field::new("\0", DataType::Null, true)]);
    let options =
        JsonLinesOptions { schema: Some(Arc::new(schema)), limits: files::limits(), ..Default::default() };
    // A byte order mark would be skipped in the first record.
    let file = FileSource::bytes([b"{}\n", line].concat());
    let files = JsonLinesFormat::files([file], options, None).expect("a schema that JSON has");
    let (batches, _) = files::rows(&files, vec![Part::whole(0)]);
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    match serde_json::from_slice(line) {
        Ok(Value::Object(keys)) if keys.get("\0").is_none_or(Value::is_null) => {
            assert_eq!(rows, 2)
        }
        Ok(_) => assert_eq!(rows, 1),
        // The grammar has no largest number, and here values may be deeper.
        Err(error) if is_limit(&error.to_string()) => {}
        Err(_) => assert_eq!(rows, 1),
    }
}

fn is_limit(message: &str) -> bool {
    message.starts_with("number out of range") || message.starts_with("recursion limit exceeded")
}
