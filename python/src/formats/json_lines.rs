//! Files of JSON lines: `arrowfeed.JsonLinesDataset` and `arrowfeed.read_json_lines`.

use std::num::NonZeroU64;

use arrowfeed::source::Limits;
use arrowfeed::text::{JsonLinesFormat, JsonLinesOptions};
use pyo3::prelude::*;

use super::FormatArguments;
use crate::argument_types::{Columns, Given};
use crate::arrow_schema::Schema;

file_format! {
    struct JsonLinesArguments {
        schema: Option<Schema>,
        sample: Option<NonZeroU64>,
        columns: Option<Columns>,
        limits: Limits,
    }
    extension: "jsonl",
    open: JsonLinesFormat::files,
    dataset: JsonLinesDataset,
    reader: read_json_lines,
}

impl FormatArguments for JsonLinesArguments {
    type Options = JsonLinesOptions;

    fn options(self, _: Python<'_>) -> PyResult<JsonLinesOptions> {
        Ok(JsonLinesOptions {
            schema: self.schema.map(|Schema(schema)| schema),
            sample: self.sample.map(NonZeroU64::get),
            columns: self.columns.map(Columns::into),
            limits: self.limits,
            ..Default::default()
        })
    }
}
