//! The options of a table in SQL: `OPTIONS (on_error 'skip_block')`.

use std::collections::{BTreeMap, HashMap};

#[cfg(feature = "avro")]
use arrowfeed::avro::{ColumnEncoding, StringType, Unions};
use arrowfeed::source::OnError;
#[cfg(feature = "text")]
use arrowfeed::text::CsvDialect;
#[cfg(feature = "tfrecord")]
use arrowfeed::tfrecord::RecordKind;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_source::quoted;

use crate::TableFormat;

/// The start of the options of the store of a URL.
const STORE: &str = "store.";

/// The options of a table in SQL.
#[derive(Debug, Clone)]
pub(crate) struct TableOptions {
    pub(crate) format: TableFormat,
    pub(crate) on_error: OnError,
    /// Extension of the files that are read from a directory, without the dot.
    pub(crate) extension: String,
    pub(crate) file_column: Option<String>,
    pub(crate) row_column: Option<String>,
    /// Options of the store of a URL, if the session does not have this store.
    pub(crate) store: BTreeMap<String, String>,
}

impl TableOptions {
    /// Reads the options. DataFusion puts `format.` before keys without a dot.
    ///
    /// # Errors
    /// The format has no such option; a value is not one of those of its option.
    pub(crate) fn parse(format: &TableFormat, given: &HashMap<String, String>) -> Result<Self, FeedError> {
        let mut options = Self {
            format: format.clone(),
            on_error: OnError::Raise,
            extension: format.extension().to_owned(),
            file_column: None,
            row_column: None,
            store: BTreeMap::new(),
        };
        for (key, value) in given.iter().collect::<BTreeMap<_, _>>() {
            let key = key.strip_prefix("format.").unwrap_or(key);
            if let Some(of_store) = key.strip_prefix(STORE) {
                options.store.insert(of_store.to_owned(), value.clone());
            } else if !options.set(key, value)? && !set(&mut options.format, key, value)? {
                let (name, found) = (format.sql_name(), quoted(key));
                let known = [COMMON, names(format)].concat().join(", ");
                let message = format!("expected an option of {name} ({known} or store.*), found {found}");
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        }
        Ok(options)
    }

    /// Sets an option that all formats have. False: there is none of this name.
    fn set(&mut self, key: &str, value: &str) -> Result<bool, FeedError> {
        match key {
            "extension" => self.extension = value.trim_start_matches('.').to_owned(),
            "file_column" => self.file_column = Some(value.to_owned()),
            "row_column" => self.row_column = Some(value.to_owned()),
            "merge_schemas" => self.format = self.format.clone().merging(boolean(key, value)?),
            "on_error" => {
                let values = [
                    ("raise", OnError::Raise),
                    ("skip_block", OnError::SkipBlock),
                    ("skip_file", OnError::SkipFile),
                ];
                self.on_error = one_of(key, value, &values)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The options that all formats have.
const COMMON: &[&str] = &["extension", "file_column", "merge_schemas", "on_error", "row_column"];

/// The options of a format beside these.
fn names(format: &TableFormat) -> &'static [&'static str] {
    match format {
        #[cfg(feature = "avro")]
        TableFormat::Avro(_) => &["double_as_float", "encoding", "string_type", "unions"],
        #[cfg(feature = "parquet")]
        TableFormat::Parquet(_) => &["double_as_float"],
        #[cfg(feature = "text")]
        TableFormat::Csv(_) => &[
            "comment",
            "delimiter",
            "escape",
            "has_header",
            "header",
            "null",
            "quote",
            "sample",
            "skip_lines",
        ],
        #[cfg(feature = "text")]
        TableFormat::JsonLines(_) => &["sample"],
        #[cfg(feature = "ipc")]
        TableFormat::Ipc(_) => &[],
        #[cfg(feature = "tfrecord")]
        TableFormat::TfRecord(_) => &["kind", "sample"],
    }
}

/// Sets an option of one format. False: it has none of this name.
fn set(format: &mut TableFormat, key: &str, value: &str) -> Result<bool, FeedError> {
    match format {
        #[cfg(feature = "avro")]
        TableFormat::Avro(options) => match key {
            "double_as_float" => options.double_as_float = boolean(key, value)?,
            "encoding" => {
                let values = [
                    ("native", ColumnEncoding::Native),
                    ("feature", ColumnEncoding::Feature),
                    ("tfx", ColumnEncoding::Tfx),
                ];
                options.encoding = one_of(key, value, &values)?;
            }
            "string_type" => {
                let values = [
                    ("string", StringType::Utf8),
                    ("large_string", StringType::LargeUtf8),
                    ("string_view", StringType::Utf8View),
                ];
                options.string_type = one_of(key, value, &values)?;
            }
            "unions" => {
                let values = [("dense", Unions::Dense), ("struct", Unions::Struct), ("json", Unions::Json)];
                options.unions = one_of(key, value, &values)?;
            }
            _ => return Ok(false),
        },
        #[cfg(feature = "parquet")]
        TableFormat::Parquet(options) => match key {
            "double_as_float" => options.double_as_float = boolean(key, value)?,
            _ => return Ok(false),
        },
        #[cfg(feature = "text")]
        TableFormat::Csv(options) => match key {
            "sample" => options.sample = Some(number(key, value)?),
            "header" | "has_header" => {
                options.dialect.header = boolean(key, value)?;
                // Only names of columns can be merged.
                options.merge_schemas &= options.dialect.header;
            }
            _ => return set_dialect(&mut options.dialect, key, value),
        },
        #[cfg(feature = "text")]
        TableFormat::JsonLines(options) => match key {
            "sample" => options.sample = Some(number(key, value)?),
            _ => return Ok(false),
        },
        #[cfg(feature = "ipc")]
        TableFormat::Ipc(_) => return Ok(false),
        #[cfg(feature = "tfrecord")]
        TableFormat::TfRecord(options) => match (key, &mut options.kind) {
            ("kind", kind) => {
                let sample = match kind {
                    RecordKind::Example { sample, .. } | RecordKind::SequenceExample { sample, .. } => {
                        *sample
                    }
                    RecordKind::Raw { .. } => None,
                };
                let values = [
                    ("example", RecordKind::Example { features: None, sample }),
                    ("sequence_example", RecordKind::SequenceExample { features: None, sample }),
                    ("raw", RecordKind::Raw { column: "record".to_owned() }),
                ];
                *kind = one_of(key, value, &values)?;
            }
            ("sample", RecordKind::Example { sample, .. } | RecordKind::SequenceExample { sample, .. }) => {
                *sample = Some(number(key, value)?);
            }
            _ => return Ok(false),
        },
    }
    Ok(true)
}

#[cfg(feature = "text")]
fn set_dialect(dialect: &mut CsvDialect, key: &str, value: &str) -> Result<bool, FeedError> {
    match key {
        "comment" => dialect.comment = Some(character(key, value)?),
        "delimiter" => dialect.delimiter = character(key, value)?,
        "escape" => dialect.escape = Some(character(key, value)?),
        "null" => dialect.nulls = vec![value.to_owned()],
        "quote" => dialect.quote = character(key, value)?,
        "skip_lines" => dialect.skip_lines = usize::try_from(number(key, value)?).unwrap_or(usize::MAX),
        _ => return Ok(false),
    }
    Ok(true)
}

fn wrong(key: &str, expected: &str, value: &str) -> FeedError {
    FeedError::new(FeedErrorKind::Options, format!("{key}: expected {expected}, found {}", quoted(value)))
}

fn one_of<T: Clone>(key: &str, value: &str, values: &[(&str, T)]) -> Result<T, FeedError> {
    let found = values.iter().find(|(name, _)| name.eq_ignore_ascii_case(value));
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        wrong(key, &format!("one of {}", names.join(", ")), value)
    })
}

fn boolean(key: &str, value: &str) -> Result<bool, FeedError> {
    one_of(key, value, &[("true", true), ("false", false)])
}

#[cfg(any(feature = "text", feature = "tfrecord"))]
fn number(key: &str, value: &str) -> Result<u64, FeedError> {
    value.parse().map_err(|_| wrong(key, "a number", value))
}

#[cfg(feature = "text")]
fn character(key: &str, value: &str) -> Result<u8, FeedError> {
    match value {
        "\\t" => Ok(b'\t'),
        _ => match value.as_bytes() {
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err(wrong(key, "an ASCII character", value)),
        },
    }
}
