//! The options of a table in SQL: `OPTIONS (on_error 'skip_block')`.

use std::collections::{BTreeMap, HashMap};

use arrowfeed::formats::{FormatOptions, from_texts};
use arrowfeed::source::OnError;
use arrowfeed::{FeedError, FeedErrorKind, Limits};
use arrowfeed_source::quoted;
use serde::Deserialize;

use crate::format::{merging, sql_name};

/// The start of the options of the store of a URL.
const STORE: &str = "store.";

/// The start of limits.
const LIMITS: &str = "limits.";

/// DataFusion's own name of an option, which its tables have without a caller, and ours.
const HAS_HEADER: (&str, &str) = ("has_header", "header");

/// The options of a table in SQL.
#[derive(Debug, Clone)]
pub(crate) struct TableOptions {
    pub(crate) format: FormatOptions,
    pub(crate) on_error: OnError,
    /// Extension of the files that are read from a directory, without the dot.
    pub(crate) extension: String,
    pub(crate) file_column: Option<String>,
    pub(crate) row_column: Option<String>,
    /// Options of the store of a URL, if the session does not have this store.
    pub(crate) store: BTreeMap<String, String>,
}

/// The options that all formats have.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Common {
    extension: Option<String>,
    file_column: Option<String>,
    merge_schemas: Option<bool>,
    on_error: OnError,
    row_column: Option<String>,
}

const COMMON: [&str; 5] = ["extension", "file_column", "merge_schemas", "on_error", "row_column"];

impl TableOptions {
    /// Reads the options. DataFusion puts `format.` before keys without a dot.
    ///
    /// # Errors
    /// The format has no such option; a value is not one of those of its option.
    pub(crate) fn parse(format: &FormatOptions, given: &HashMap<String, String>) -> Result<Self, FeedError> {
        let (mut store, mut limits, mut common, mut of_format) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (key, value) in given {
            let (key, value) = (key.strip_prefix("format.").unwrap_or(key), value.as_str());
            let key = if key == HAS_HEADER.0 { HAS_HEADER.1 } else { key };
            if let Some(key) = key.strip_prefix(STORE) {
                store.insert(key.to_owned(), value.to_owned());
            } else if let Some(key) = key.strip_prefix(LIMITS) {
                limits.insert(key, value);
            } else if COMMON.contains(&key) {
                common.insert(key, value);
            } else if format.names().contains(&key) {
                of_format.insert(key, value);
            } else {
                let (name, found) = (sql_name(format.format()), quoted(key));
                let mut names: Vec<&str> =
                    format.names().iter().filter(|name| !COMMON.contains(name)).copied().collect();
                names.sort_unstable();
                let known = [&COMMON[..], &names].concat().join(", ");
                let message =
                    format!("expected an option of {name} ({known}, limits.* or store.*), found {found}");
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        }
        let common: Common = from_texts(common)?;
        let mut parsed = format.clone();
        if !of_format.is_empty() {
            parsed = FormatOptions::from_texts(format.format(), of_format)?;
            let (mut of_table, (columns, exclude)) = (format.clone(), parsed.selection_mut());
            let selection = of_table.selection_mut();
            (*columns, *exclude) = (selection.0.take(), selection.1.take());
            *parsed.limits_mut() = of_table.limits_mut().clone();
        }
        if !limits.is_empty() {
            *parsed.limits_mut() = from_texts::<Limits>(limits)?;
        }
        let merges = common.merge_schemas.unwrap_or_else(|| format.merges_schemas() && has_names(&parsed));
        Ok(Self {
            extension: match common.extension {
                Some(extension) => extension.trim_start_matches('.').to_owned(),
                None => format.format().name().to_owned(),
            },
            format: merging(parsed, merges),
            on_error: common.on_error,
            file_column: common.file_column,
            row_column: common.row_column,
            store,
        })
    }
}

/// Whether files have the names of their columns: only names can be merged.
fn has_names(format: &FormatOptions) -> bool {
    match format {
        #[cfg(feature = "text")]
        FormatOptions::Csv(options) => options.header && options.names.is_none(),
        _ => true,
    }
}
