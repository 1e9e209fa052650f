//! CSV files: `arrowfeed.CsvDataset` and `arrowfeed.read_csv`.

use arrow_schema::SchemaRef;
use arrowfeed::formats::FormatOptions;
use arrowfeed::text::CsvOptions;
use pyo3::prelude::*;

use super::FormatArguments;
use crate::argument::{wrong_type, wrong_value};
use crate::argument_types::Argument;
use crate::column_types::ColumnTypes;
use crate::schema_merge::SchemaArgument;

#[derive(Default)]
struct CsvArguments {
    options: CsvOptions,
    schema: Option<SchemaArgument<SchemaRef>>,
    types: Option<ColumnTypes>,
}

file_format! {
    CsvArguments: {
        skip_lines in options,
        header in options,
        names in options,
        delimiter in options,
        quote in options,
        escape in options,
        skip_blank_lines in options,
        nulls in options,
        comment in options,
        true_values in options,
        false_values in options,
        decimal_comma in options,
        multivalent_columns in options,
        secondary_delimiter in options,
        raw in options,
        schema,
        missing_columns in options,
        types,
        sample in options,
        chunk_bytes in options,
        columns in options,
        exclude in options,
        limits in options,
    }
    format: Csv,
    dataset: CsvDataset,
    reader: read_csv,
}

impl FormatArguments for CsvArguments {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        let (schema, merge_schemas) = SchemaArgument::parts(self.schema);
        let types = self.types.map(|types| types.0);
        Ok(CsvOptions { schema, merge_schemas, types, ..self.options }.into())
    }
}

/// An ASCII character.
impl Argument for u8 {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "one ASCII character (str)";
        let text: String = value.extract().map_err(|_| wrong_type(name, EXPECTED, value))?;
        match text.as_bytes() {
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err(wrong_value(name, EXPECTED, value)),
        }
    }
}
