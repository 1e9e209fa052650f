//! Options in JSON. Their keys are the names of the fields of the Rust types, and unknown keys are errors that name the valid
//! ones.

// | module | options |
// |---|---|
// | `columns` | Arrow schemas |
// | `iteration` | of `arrowfeed_read` and `arrowfeed_tensors` |
// | `limits` | `limits` of `arrowfeed_open` |
// | `object` | objects whose order does not count |
// | `ordered` | objects whose order counts |
// | `tensors` | `tensors` of `arrowfeed_open` |

pub(crate) mod columns;
pub(crate) mod iteration;
mod limits;
pub(crate) mod object;
pub(crate) mod ordered;
pub(crate) mod tensors;

use std::fmt;
use std::path::PathBuf;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Error;
use crate::formats::FormatName;
use columns::Columns;
use limits::LimitOptions;
use object::Object;
use ordered::Ordered;
use tensors::TensorOptions;

/// Options of `arrowfeed_open`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenOptions {
    /// Paths, globs, directories and URLs.
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) paths: Vec<String>,
    /// Default: found in the first file.
    pub(crate) format: Option<FormatName>,
    /// The options of the format, which `formats` parses when the format is known.
    #[serde(rename = "format_options")]
    _format_options: Option<IgnoredAny>,
    /// Field paths of the columns to read. Default: all columns.
    pub(crate) columns: Option<Vec<String>>,
    /// Names of columns not to read.
    pub(crate) exclude: Option<Vec<String>>,
    /// A predicate over the columns.
    pub(crate) filter: Option<String>,
    /// Number of rows to leave out at the start.
    #[serde(default)]
    pub(crate) skip: u64,
    /// Maximum number of rows.
    pub(crate) take: Option<u64>,
    #[serde(default)]
    pub(crate) limits: Object<LimitOptions>,
    /// Columns of the values in the names of directories.
    pub(crate) partitioning: Option<Partitioned>,
    /// Name of a column with the path of the file.
    pub(crate) file_column: Option<String>,
    /// Name of a column with the number of the row in its file.
    pub(crate) row_column: Option<String>,
    /// The path of an index of these files.
    pub(crate) index: Option<PathBuf>,
    /// Options of stores.
    #[serde(default)]
    pub(crate) storage_options: Ordered<Value>,
    /// The directory of a cache of objects.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) cache_bytes: Option<u64>,
    /// The tensors. Default: inferred from the columns.
    pub(crate) tensors: Option<Ordered<Object<TensorOptions>>>,
}

/// `"hive"`, or the columns.
#[derive(Debug)]
pub(crate) enum Partitioned {
    Hive,
    Columns(Columns),
}

impl<'de> Deserialize<'de> for Partitioned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartitionedVisitor)
    }
}

struct PartitionedVisitor;

impl<'de> Visitor<'de> for PartitionedVisitor {
    type Value = Partitioned;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"hive\" or a list of columns")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Partitioned, E> {
        match text {
            "hive" => Ok(Partitioned::Hive),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Partitioned, A::Error> {
        Columns::deserialize(SeqAccessDeserializer::new(items)).map(Partitioned::Columns)
    }
}

/// Parses options. `name` is their name in errors.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, Error> {
    let parsed = serde_json::from_str::<Object<T>>(text);
    parsed.map(|object| object.0).map_err(|error| Error::options(format!("{name}: {}", described(&error))))
}

/// The text of an error. Of a wrong key or value, it has no position, which is that of a byte after it.
fn described(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    if error.is_data() && text.ends_with(&position) {
        text.truncate(text.len() - position.len());
    }
    text
}

/// A text, or a list of texts.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected paths to be a string or a list of strings")]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(one) => vec![one],
        OneOrMore::More(more) => more,
    })
}
