//! Options in JSON. Their keys are the names of the fields of the Rust types, and unknown keys are errors that name the valid
//! ones.

// | module | options |
// |---|---|
// | `tensors` `transforms` | `tensors` of `arrowfeed_open`, and the transforms of their values |

pub(crate) mod tensors;
mod transforms;

use std::path::PathBuf;

use arrowfeed::formats::{Format, FormatOptions, from_json};
use arrowfeed::source::Interrupt;
use arrowfeed::source::options::{Object, Ordered};
use arrowfeed::{IterationOptions, Limits, Partitioning};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::Error;
use tensors::TensorOptions;

/// Options of `arrowfeed_open`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenOptions {
    /// Paths, globs, directories and URLs.
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) paths: Vec<String>,
    /// Default: found in the first file.
    pub(crate) format: Option<Format>,
    /// The options of the format, which [`of_format`] parses when the format is known.
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
    pub(crate) limits: Object<Limits>,
    /// Columns of the values in the names of directories.
    pub(crate) partitioning: Option<Partitioning>,
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

/// Parses options. `name` is their name in errors.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, Error> {
    from_json(text).map_err(|error| Error::options(format!("{name}: {error}")))
}

/// Parses `format_options` in the options of `arrowfeed_open`. Also returns the names of those that are given.
pub(crate) fn of_format(format: Format, text: &str) -> Result<(FormatOptions, Vec<String>), Error> {
    #[derive(Deserialize)]
    struct OfFormat<'a> {
        #[serde(borrow)]
        format_options: Option<&'a RawValue>,
    }

    let options: OfFormat<'_> =
        serde_json::from_str(text).map_err(|error| Error::options(format!("options: {error}")))?;
    let text = options.format_options.map_or("{}", RawValue::get);
    let wrong = |error| Error::options(format!("format_options of {}: {error}", format.name()));
    let options = FormatOptions::from_json(format, text).map_err(wrong)?;
    let Ordered(given) = from_json::<Ordered<IgnoredAny>>(text)?;
    Ok((options, given.into_iter().map(|(name, _)| name).collect()))
}

/// Parses the options of an iteration. `None`: the defaults.
pub(crate) fn of_iteration(
    text: Option<&str>,
    interrupt: Option<Interrupt>,
) -> Result<IterationOptions, Error> {
    Ok(IterationOptions { interrupt, ..parse(text.unwrap_or("{}"), "options")? })
}

/// A text, or a list of texts.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of strings")]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(one) => vec![one],
        OneOrMore::More(more) => more,
    })
}
