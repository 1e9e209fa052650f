//! A case as it is written in its TOML file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

/// One file, with at least one case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    case: Vec<Case>,
}

/// The data to write, the options to read it with, and the expected result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    schema: Option<String>,
    #[serde(rename = "type")]
    ty: Option<String>,
    records: Option<String>,
    values: Option<String>,
    pub(crate) hex: Option<Vec<String>>,
    reader_schema: Option<String>,
    reader_type: Option<String>,
    pub(crate) columns: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) string_type: StringType,
    #[serde(default)]
    pub(crate) unions: Unions,
    #[serde(default)]
    pub(crate) fixed_lengths: BTreeMap<String, i32>,
    #[serde(default)]
    pub(crate) double_as_float: bool,
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
    native: Option<Expected>,
    feature: Option<Expected>,
    tfx: Option<Expected>,
    pub(crate) error: Option<Failure>,
}

/// The expected batches of one encoding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    schema: Option<String>,
    #[serde(rename = "type")]
    ty: Option<String>,
    rows: Option<String>,
    values: Option<String>,
    #[serde(default)]
    pub(crate) offsets: BTreeMap<String, Vec<i64>>,
    #[serde(default)]
    pub(crate) symbols: BTreeMap<String, Vec<String>>,
    pub(crate) error: Option<Failure>,
}

/// An expected error and its location; `at` is an offset in the data of the block.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Failure {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) field: Option<String>,
    pub(crate) record: Option<u64>,
    pub(crate) at: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StringType {
    #[default]
    Utf8,
    LargeUtf8,
    Utf8View,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unions {
    #[default]
    Dense,
    Struct,
    Json,
}

/// `tests/cases/avro` of the repository.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/avro")
}

pub(crate) fn load(topic: &str) -> Vec<Case> {
    let path = folder().join(topic).with_extension("toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let topic: Topic = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    topic.case
}

impl Case {
    /// The writer's schema: either given as a whole, or record `R` with one field `x` of `type`.
    pub(crate) fn schema(&self) -> String {
        either(&self.schema, self.ty.as_deref().map(record_of_x), "schema", "type")
    }

    pub(crate) fn reader_schema(&self) -> Option<String> {
        let wrapped = self.reader_type.as_deref().map(record_of_x);
        (self.reader_schema.is_some() || wrapped.is_some())
            .then(|| either(&self.reader_schema, wrapped, "reader_schema", "reader_type"))
    }

    /// The records in Avro's JSON encoding; `None` if the case has `hex`.
    pub(crate) fn records(&self) -> Option<Vec<Value>> {
        let wrapped = self.values.as_deref().map(rows_of_x);
        if self.hex.is_some() {
            assert!(self.records.is_none() && wrapped.is_none(), "hex, or records, or values");
            return None;
        }
        Some(parse(&either(&self.records, wrapped, "records", "values")))
    }

    /// The encodings of the case, with the expected result of each.
    pub(crate) fn encodings(&self) -> Vec<(&'static str, Outcome<'_>)> {
        let named = [("native", &self.native), ("feature", &self.feature), ("tfx", &self.tfx)];
        match &self.error {
            Some(failure) => {
                assert!(named.iter().all(|(_, expected)| expected.is_none()), "error, or encodings");
                named.map(|(name, _)| (name, Outcome::Failure(failure))).into()
            }
            None => {
                let given = named.into_iter().filter_map(|(name, expected)| Some((name, expected.as_ref()?)));
                given.map(|(name, expected)| (name, outcome(expected))).collect()
            }
        }
    }
}

/// The expected result of reading.
pub(crate) enum Outcome<'a> {
    Batches(&'a Expected),
    Failure(&'a Failure),
}

fn outcome(expected: &Expected) -> Outcome<'_> {
    match &expected.error {
        Some(failure) => Outcome::Failure(failure),
        None => Outcome::Batches(expected),
    }
}

impl Expected {
    /// The columns as text: `a: int32, b: utf8?`.
    pub(crate) fn schema(&self) -> String {
        either(&self.schema, self.ty.as_ref().map(|ty| format!("x: {ty}")), "schema", "type")
    }

    /// The rows, as objects.
    pub(crate) fn rows(&self) -> Vec<Value> {
        parse(&either(&self.rows, self.values.as_deref().map(rows_of_x), "rows", "values"))
    }
}

fn either(long: &Option<String>, short: Option<String>, long_name: &str, short_name: &str) -> String {
    match (long, short) {
        (Some(text), None) => text.clone(),
        (None, Some(text)) => text,
        _ => panic!("a case has {long_name} or {short_name}"),
    }
}

fn record_of_x(ty: &str) -> String {
    format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "x", "type": {ty}}}]}}"#)
}

fn rows_of_x(values: &str) -> String {
    let rows: Vec<Value> = parse(values).into_iter().map(|value| json!({"x": value})).collect();
    Value::from(rows).to_string()
}

fn parse(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
