//! Files of JSON lines: `arrowfeed.JsonLinesDataset` and `arrowfeed.read_json_lines`.

use arrowfeed::text::{JsonLinesFormat, JsonLinesOptions};
use pyo3::prelude::*;

equal_options!(JsonLinesOptions);

file_format! {
    JsonLinesOptions: { schema, sample, columns, exclude, limits }
    extension: "jsonl",
    open: JsonLinesFormat::files,
    dataset: JsonLinesDataset,
    reader: read_json_lines,
}
