//! Options of CSV and JSON Lines in JSON.

use arrowfeed::text::{CsvDialect, CsvOptions, JsonLinesOptions, Multivalent};
use serde::{Deserialize, Deserializer};

use super::Common;
use crate::error::Error;
use crate::options::columns::Columns;
use crate::options::object::Object;

/// The fields of [`JsonLinesOptions`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct JsonLinesGiven {
    schema: Option<Columns>,
    types: Option<Columns>,
    merge_schemas: bool,
    sample: Option<u64>,
    chunk_bytes: Option<u64>,
}

/// The fields of [`CsvOptions`] and of [`CsvDialect`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CsvGiven {
    skip_lines: usize,
    header: Option<bool>,
    delimiter: Option<Character>,
    quote: Option<Character>,
    escape: Option<Character>,
    skip_blank_lines: Option<bool>,
    nulls: Option<Vec<String>>,
    comment: Option<Character>,
    true_values: Vec<String>,
    false_values: Vec<String>,
    decimal_comma: bool,
    multivalent: Option<Object<MultivalentOptions>>,
    names: Option<Vec<String>>,
    schema: Option<Columns>,
    types: Option<Columns>,
    merge_schemas: bool,
    missing_columns: bool,
    raw: bool,
    sample: Option<u64>,
    chunk_bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MultivalentOptions {
    columns: Vec<String>,
    delimiter: Character,
}

/// A string of one ASCII character.
#[derive(Debug, Clone, Copy)]
struct Character(u8);

impl<'de> Deserialize<'de> for Character {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_bytes() {
            [character] => Ok(Self(*character)),
            _ => {
                let message = format_args!("expected one ASCII character, found {text:?}");
                Err(serde::de::Error::custom(message))
            }
        }
    }
}

pub(super) fn json_lines(given: JsonLinesGiven, common: Common) -> Result<JsonLinesOptions, Error> {
    let Common { columns, exclude, limits } = common;
    let defaults = JsonLinesOptions::default();
    Ok(JsonLinesOptions {
        schema: given.schema.map(|schema| schema.schema("schema")).transpose()?,
        types: given.types.map(|types| types.schema("types")).transpose()?,
        merge_schemas: given.merge_schemas,
        sample: given.sample,
        columns,
        exclude,
        chunk_bytes: given.chunk_bytes.unwrap_or(defaults.chunk_bytes),
        limits,
    })
}

pub(super) fn csv(given: CsvGiven, common: Common) -> Result<CsvOptions, Error> {
    let Common { columns, exclude, limits } = common;
    let defaults = CsvOptions::default();
    let of = |character: Option<Character>| character.map(|character| character.0);
    let multivalent = given.multivalent;
    let dialect = CsvDialect {
        skip_lines: given.skip_lines,
        header: given.header.unwrap_or(defaults.dialect.header),
        delimiter: of(given.delimiter).unwrap_or(defaults.dialect.delimiter),
        quote: of(given.quote).unwrap_or(defaults.dialect.quote),
        escape: of(given.escape),
        skip_blank_lines: given.skip_blank_lines.unwrap_or(defaults.dialect.skip_blank_lines),
        nulls: given.nulls.unwrap_or(defaults.dialect.nulls),
        comment: of(given.comment),
        true_values: given.true_values,
        false_values: given.false_values,
        decimal_comma: given.decimal_comma,
        multivalent: multivalent
            .map(|Object(of)| Multivalent { columns: of.columns, delimiter: of.delimiter.0 }),
    };
    Ok(CsvOptions {
        dialect,
        names: given.names,
        schema: given.schema.map(|schema| schema.schema("schema")).transpose()?,
        types: given.types.map(|types| types.schema("types")).transpose()?,
        merge_schemas: given.merge_schemas,
        missing_columns: given.missing_columns,
        raw: given.raw,
        sample: given.sample,
        columns,
        exclude,
        chunk_bytes: given.chunk_bytes.unwrap_or(defaults.chunk_bytes),
        limits,
    })
}
