//! CSV files: `arrowfeed.CsvDataset` and `arrowfeed.read_csv`.

use std::num::NonZeroU64;

use arrowfeed::source::Limits;
use arrowfeed::text::{CsvDialect, CsvFormat, CsvOptions, Multivalent};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::FormatArguments;
use crate::argument::{wrong_type, wrong_value};
use crate::argument_types::{Argument, Columns, Given, Names, Texts};
use crate::arrow_schema::Schema;

file_format! {
    struct CsvArguments {
        skip_lines: Option<usize>,
        header: Option<bool>,
        names: Option<Names>,
        delimiter: Option<Character>,
        quote: Option<Character>,
        escape: Option<Character>,
        skip_blank_lines: Option<bool>,
        nulls: Option<Texts>,
        multivalent_columns: Option<Names>,
        secondary_delimiter: Option<Character>,
        raw: Option<bool>,
        schema: Option<Schema>,
        sample: Option<NonZeroU64>,
        columns: Option<Columns>,
        limits: Limits,
    }
    extension: "csv",
    open: CsvFormat::files,
    dataset: CsvDataset,
    reader: read_csv,
}

impl FormatArguments for CsvArguments {
    type Options = CsvOptions;

    fn options(self, py: Python<'_>) -> PyResult<CsvOptions> {
        let default = CsvDialect::default();
        let dialect = CsvDialect {
            skip_lines: self.skip_lines.unwrap_or(default.skip_lines),
            header: self.header.unwrap_or(default.header),
            delimiter: self.delimiter.map_or(default.delimiter, Character::into),
            quote: self.quote.map_or(default.quote, Character::into),
            escape: self.escape.map(Character::into),
            skip_blank_lines: self.skip_blank_lines.unwrap_or(default.skip_blank_lines),
            nulls: self.nulls.map_or(default.nulls, Texts::into),
            multivalent: multivalent(py, self.multivalent_columns, self.secondary_delimiter)?,
        };
        Ok(CsvOptions {
            dialect,
            names: self.names.map(Names::into),
            schema: self.schema.map(|Schema(schema)| schema),
            raw: self.raw.unwrap_or(false),
            sample: self.sample.map(NonZeroU64::get),
            columns: self.columns.map(Columns::into),
            limits: self.limits,
            ..Default::default()
        })
    }
}

/// The options of cells with several values, which need each other.
fn multivalent(
    py: Python<'_>,
    columns: Option<Names>,
    delimiter: Option<Character>,
) -> PyResult<Option<Multivalent>> {
    match (columns, delimiter) {
        (None, None) => Ok(None),
        (Some(Names(columns)), Some(Character(delimiter))) => Ok(Some(Multivalent { columns, delimiter })),
        (Some(Names(columns)), None) => {
            let columns = columns.into_pyobject(py)?;
            Err(wrong_value("multivalent_columns", "secondary_delimiter= as well", &columns))
        }
        (None, Some(Character(delimiter))) => {
            let delimiter = PyString::new(py, &char::from(delimiter).to_string());
            Err(wrong_value("secondary_delimiter", "multivalent_columns= as well", &delimiter))
        }
    }
}

/// An ASCII character.
struct Character(u8);

impl From<Character> for u8 {
    fn from(Character(byte): Character) -> u8 {
        byte
    }
}

impl Argument for Character {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "one ASCII character (str)";
        let text: String = value.extract().map_err(|_| wrong_type(name, EXPECTED, value))?;
        match text.as_bytes() {
            [byte] if byte.is_ascii() => Ok(Self(*byte)),
            _ => Err(wrong_value(name, EXPECTED, value)),
        }
    }
}
