//! Files of JSON lines: `arrowfeed.JsonLinesDataset` and `arrowfeed.read_json_lines`.

use arrow_schema::SchemaRef;
use arrowfeed::formats::FormatOptions;
use arrowfeed::text::JsonLinesOptions;
use pyo3::prelude::*;

use super::FormatArguments;
use crate::column_types::ColumnTypes;
use crate::schema_merge::SchemaArgument;

#[derive(Default)]
struct JsonLinesArguments {
    options: JsonLinesOptions,
    schema: Option<SchemaArgument<SchemaRef>>,
    types: Option<ColumnTypes>,
}

file_format! {
    JsonLinesArguments: {
        schema,
        types,
        sample in options,
        chunk_bytes in options,
        columns in options,
        exclude in options,
        limits in options,
    }
    format: JsonLines,
    dataset: JsonLinesDataset,
    reader: read_json_lines,
}

impl FormatArguments for JsonLinesArguments {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        let (schema, merge_schemas) = SchemaArgument::parts(self.schema);
        let types = self.types.map(|types| types.0);
        Ok(JsonLinesOptions { schema, merge_schemas, types, ..self.options }.into())
    }
}
