//! Options in JSON. Their keys are the names of the fields of the Rust types, and unknown keys are errors that name the valid
//! ones.

// | module | options |
// |---|---|
// | `columns` | Arrow schemas |
// | `iteration` | of `arrowfeed_read` and `arrowfeed_tensors` |
// | `limits` | `limits` of `arrowfeed_open` |
// | `ordered` | objects whose order counts |
// | `tensors` | `tensors` of `arrowfeed_open` |

pub(crate) mod columns;
pub(crate) mod iteration;
mod limits;
pub(crate) mod ordered;
pub(crate) mod tensors;

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Error;
use crate::formats::FormatName;
use columns::Columns;
use limits::LimitOptions;
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
    /// The options of the format.
    pub(crate) format_options: Option<Value>,
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
    pub(crate) limits: LimitOptions,
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
    pub(crate) tensors: Option<Ordered<TensorOptions>>,
}

/// `"hive"`, or the columns.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected partitioning to be \"hive\" or a list of columns")]
pub(crate) enum Partitioned {
    Named(PartitioningName),
    Columns(Columns),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartitioningName {
    Hive,
}

/// Parses options.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    // The parser would accept an array as well, whose items are the values of the fields.
    if text.trim_start().starts_with('[') {
        return Err(Error::options("options: expected a JSON object, found an array"));
    }
    serde_json::from_str(text).map_err(|error| Error::options(format!("options: {error}")))
}

/// Parses the options of a part that is already JSON. `name` is the name of the part.
pub(crate) fn parse_value<T: DeserializeOwned>(value: Value, name: &str) -> Result<T, Error> {
    if value.is_array() {
        return Err(Error::options(format!("{name}: expected a JSON object, found an array")));
    }
    serde_json::from_value(value).map_err(|error| Error::options(format!("{name}: {error}")))
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
