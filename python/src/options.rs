//! Conversion of keyword arguments to read options of the library.

use std::num::NonZeroUsize;

use arrowfeed::avro::{self, ColumnEncoding, StringType, Unions};
use arrowfeed::source::OnError;
use arrowfeed::{AvroOptions, Limits, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{choice, flag, integer, strings, unexpected_keyword, wrong_type};
use crate::limits;
use crate::schema::parse;

const ENCODINGS: [(&str, ColumnEncoding); 3] =
    [("native", ColumnEncoding::Native), ("feature", ColumnEncoding::Feature), ("tfx", ColumnEncoding::Tfx)];

const STRING_TYPES: [(&str, StringType); 3] =
    [("utf8", StringType::Utf8), ("large_utf8", StringType::LargeUtf8), ("utf8_view", StringType::Utf8View)];

const UNIONS: [(&str, Unions); 3] =
    [("dense", Unions::Dense), ("struct", Unions::Struct), ("json", Unions::Json)];

pub(crate) const ON_ERROR: [(&str, OnError); 3] =
    [("raise", OnError::Raise), ("skip_block", OnError::SkipBlock), ("skip_file", OnError::SkipFile)];

pub(crate) const CODECS: [(&str, avro::Codec); 7] = [
    ("null", avro::Codec::Null),
    ("deflate", avro::Codec::Deflate),
    ("snappy", avro::Codec::Snappy),
    ("zstandard", avro::Codec::Zstandard),
    ("zstd", avro::Codec::Zstandard),
    ("bzip2", avro::Codec::Bzip2),
    ("xz", avro::Codec::Xz),
];

/// Parses the keyword arguments of `function`: the options of Avro, of which other formats have some, and those of reading.
pub(crate) fn read_options(
    function: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(AvroOptions, ReadOptions)> {
    let mut options = <(AvroOptions, ReadOptions)>::default();
    for (name, value) in keywords.into_iter().flatten() {
        let name = name.extract::<String>()?;
        if !set(&mut options, &name, &value)? {
            return Err(unexpected_keyword(function, &name));
        }
    }
    Ok(options)
}

/// The options of every function that reads files.
pub(crate) const READ_OPTIONS: [&str; 5] = ["columns", "batch_size", "threads", "limits", "on_error"];

/// Parses the keyword arguments of `function`, which supports only the `known` options.
pub(crate) fn read_options_of(
    function: &str,
    known: &[&str],
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(AvroOptions, ReadOptions)> {
    for name in keywords.keys() {
        let name = name.extract::<String>()?;
        if !known.contains(&name.as_str()) {
            return Err(unexpected_keyword(function, &name));
        }
    }
    read_options(function, Some(keywords))
}

/// Sets one option. Returns false if the option does not exist.
fn set(
    (options, reading): &mut (AvroOptions, ReadOptions),
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    match name {
        "columns" => options.columns = given(value, |value| columns(name, value))?,
        "reader_schema" => options.reader_schema = given(value, |value| parse(name, value))?,
        "batch_size" => reading.batch_size = given(value, |value| integer(name, 1, value))?,
        "max_batch_bytes" => options.max_batch_bytes = given(value, |value| integer(name, 1, value))?,
        "encoding" => options.encoding = choice(name, &ENCODINGS, value)?,
        "raw" => options.raw = flag(name, value)?,
        "double_as_float" => options.double_as_float = flag(name, value)?,
        "string_type" => options.string_type = choice(name, &STRING_TYPES, value)?,
        "unions" => options.unions = choice(name, &UNIONS, value)?,
        "threads" => {
            reading.threads = given(value, |value| integer(name, 1, value))?.and_then(NonZeroUsize::new);
        }
        "limits" => options.limits = given(value, |value| limits(name, value))?.unwrap_or_default(),
        "on_error" => reading.on_error = choice(name, &ON_ERROR, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Converts a value; `None` means the default.
fn given<'py, T>(
    value: &Bound<'py, PyAny>,
    convert: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { convert(value).map(Some) }
}

pub(crate) fn columns(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    strings(name, "a list of field paths (str)", value)
}

pub(crate) fn limits(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Limits> {
    let limits = value.cast::<limits::Limits>().map_err(|_| wrong_type(name, "a Limits", value))?;
    Ok(limits.get().0.clone())
}
