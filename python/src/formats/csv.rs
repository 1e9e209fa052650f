//! CSV files: `arrowfeed.CsvDataset` and `arrowfeed.read_csv`.

use arrow_schema::SchemaRef;
use arrowfeed::text::{CsvFormat, CsvOptions, Multivalent};
use pyo3::prelude::*;
use pyo3::types::PyString;

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
    multivalent_columns: Option<Vec<String>>,
    secondary_delimiter: Option<u8>,
}

file_format! {
    CsvArguments: {
        skip_lines in options.dialect,
        header in options.dialect,
        names in options,
        delimiter in options.dialect,
        quote in options.dialect,
        escape in options.dialect,
        skip_blank_lines in options.dialect,
        nulls in options.dialect,
        comment in options.dialect,
        true_values in options.dialect,
        false_values in options.dialect,
        decimal_comma in options.dialect,
        multivalent_columns,
        secondary_delimiter,
        raw in options,
        schema,
        missing_columns in options,
        types,
        sample in options,
        columns in options,
        exclude in options,
        limits in options,
    }
    extension: "csv",
    open: CsvFormat::files,
    dataset: CsvDataset,
    reader: read_csv,
}

impl FormatArguments for CsvArguments {
    type Options = CsvOptions;

    fn options(self, py: Python<'_>) -> PyResult<CsvOptions> {
        let (schema, merge_schemas) = SchemaArgument::parts(self.schema);
        let types = self.types.map(|types| types.0);
        let mut options = CsvOptions { schema, merge_schemas, types, ..self.options };
        options.dialect.multivalent = multivalent(py, self.multivalent_columns, self.secondary_delimiter)?;
        Ok(options)
    }
}

/// The options of cells with several values, which need each other.
fn multivalent(
    py: Python<'_>,
    columns: Option<Vec<String>>,
    delimiter: Option<u8>,
) -> PyResult<Option<Multivalent>> {
    match (columns, delimiter) {
        (None, None) => Ok(None),
        (Some(columns), Some(delimiter)) => Ok(Some(Multivalent { columns, delimiter })),
        (Some(columns), None) => {
            let columns = columns.into_pyobject(py)?;
            Err(wrong_value("multivalent_columns", "secondary_delimiter= as well", &columns))
        }
        (None, Some(delimiter)) => {
            let delimiter = PyString::new(py, &char::from(delimiter).to_string());
            Err(wrong_value("secondary_delimiter", "multivalent_columns= as well", &delimiter))
        }
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
