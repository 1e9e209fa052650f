//! Files of JSON lines: `arrowfeed.JsonLinesDataset` and `arrowfeed.read_json_lines`.

use arrowfeed::text::{JsonLinesFormat, JsonLinesOptions};
use pyo3::prelude::*;

use super::FormatArguments;
use crate::column_types::ColumnTypes;

#[derive(Default)]
struct JsonLinesArguments {
    options: JsonLinesOptions,
    types: Option<ColumnTypes>,
}

file_format! {
    JsonLinesArguments: {
        schema in options,
        types,
        sample in options,
        columns in options,
        exclude in options,
        limits in options,
    }
    extension: "jsonl",
    open: JsonLinesFormat::files,
    dataset: JsonLinesDataset,
    reader: read_json_lines,
}

impl FormatArguments for JsonLinesArguments {
    type Options = JsonLinesOptions;

    fn options(self, _: Python<'_>) -> PyResult<JsonLinesOptions> {
        let types = self.types.map(|types| types.0);
        Ok(JsonLinesOptions { types, ..self.options })
    }
}
