//! `arrowfeed.read_csv`, `arrowfeed.read_json_lines`, and the options of text files.

use arrow_schema::SchemaRef;
use arrowfeed::AvroOptions;
use arrowfeed::text::{CsvDialect, CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions, Multivalent};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{flag, integer, strings, taken, wrong_type, wrong_value};
use crate::options::READ_OPTIONS;
use crate::reader::{RecordBatchReader, read_files};
use crate::source::{CSV, JSON_LINES};
use crate::stores::StoreArguments;
use crate::tensor::schema;

/// Removes the CSV options from the keywords.
pub(crate) fn csv_options(keywords: &Bound<'_, PyDict>) -> PyResult<CsvOptions> {
    let mut dialect = CsvDialect::default();
    if let Some(value) = taken(keywords, "skip_lines")? {
        dialect.skip_lines = integer("skip_lines", 0, &value)?;
    }
    if let Some(value) = taken(keywords, "header")? {
        dialect.header = flag("header", &value)?;
    }
    if let Some(value) = taken(keywords, "delimiter")? {
        dialect.delimiter = character("delimiter", &value)?;
    }
    if let Some(value) = taken(keywords, "quote")? {
        dialect.quote = character("quote", &value)?;
    }
    if let Some(value) = taken(keywords, "escape")? {
        dialect.escape = Some(character("escape", &value)?);
    }
    if let Some(value) = taken(keywords, "skip_blank_lines")? {
        dialect.skip_blank_lines = flag("skip_blank_lines", &value)?;
    }
    if let Some(value) = taken(keywords, "nulls")? {
        dialect.nulls = strings("nulls", "a list of texts (str)", &value)?;
    }
    dialect.multivalent = multivalent(keywords)?;
    let raw = taken(keywords, "raw")?.map(|value| flag("raw", &value)).transpose()?.unwrap_or(false);
    let names = taken(keywords, "names")?;
    let names =
        names.map(|value| strings("names", "a list of names of columns (str)", &value)).transpose()?;
    let (schema, sample) = schema_and_sample(keywords)?;
    Ok(CsvOptions { dialect, names, schema, raw, sample, ..Default::default() })
}

/// Removes the options for cells with several values from the keywords.
fn multivalent(keywords: &Bound<'_, PyDict>) -> PyResult<Option<Multivalent>> {
    let columns = taken(keywords, "multivalent_columns")?;
    let delimiter = taken(keywords, "secondary_delimiter")?;
    match (columns, delimiter) {
        (None, None) => Ok(None),
        (Some(columns), Some(delimiter)) => Ok(Some(Multivalent {
            columns: strings("multivalent_columns", "a list of names of columns (str)", &columns)?,
            delimiter: character("secondary_delimiter", &delimiter)?,
        })),
        (Some(columns), None) => {
            Err(wrong_value("multivalent_columns", "secondary_delimiter= as well", &columns))
        }
        (None, Some(delimiter)) => {
            Err(wrong_value("secondary_delimiter", "multivalent_columns= as well", &delimiter))
        }
    }
}

/// Removes the JSON lines options from the keywords.
pub(crate) fn json_lines_options(keywords: &Bound<'_, PyDict>) -> PyResult<JsonLinesOptions> {
    let (schema, sample) = schema_and_sample(keywords)?;
    Ok(JsonLinesOptions { schema, sample, ..Default::default() })
}

fn schema_and_sample(keywords: &Bound<'_, PyDict>) -> PyResult<(Option<SchemaRef>, Option<u64>)> {
    let arrow = taken(keywords, "schema")?.map(|value| schema(&value)).transpose()?;
    let sample = taken(keywords, "sample")?.map(|value| integer("sample", 1, &value)).transpose()?;
    Ok((arrow, sample))
}

/// Parses an ASCII character.
fn character(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u8> {
    const EXPECTED: &str = "one ASCII character (str)";
    let text: String = value.extract().map_err(|_| wrong_type(name, EXPECTED, value))?;
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(wrong_value(name, EXPECTED, value)),
    }
}

#[doc = signed!(read_csv)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_csv(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, keywords) = StoreArguments::split(source.py(), options)?;
    let made = csv_options(&keywords)?;
    read_files("read_csv", &READ_OPTIONS, (source, CSV, &stores), &keywords, |sources, options, interrupt| {
        let AvroOptions { columns, limits, .. } = options;
        CsvFormat::files(sources, CsvOptions { columns, limits, ..made }, Some(interrupt))
    })
}

#[doc = signed!(read_json_lines)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_json_lines(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    let (stores, keywords) = StoreArguments::split(source.py(), options)?;
    let made = json_lines_options(&keywords)?;
    read_files(
        "read_json_lines",
        &READ_OPTIONS,
        (source, JSON_LINES, &stores),
        &keywords,
        |sources, options, interrupt| {
            let AvroOptions { columns, limits, .. } = options;
            JsonLinesFormat::files(sources, JsonLinesOptions { columns, limits, ..made }, Some(interrupt))
        },
    )
}
