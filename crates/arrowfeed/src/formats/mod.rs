//! The formats of files: their names, how files are recognized, their options, and how files are opened.
//!
//! Python, C, SQL and the command line use this table, so a file has the same format and an option the same meaning in all of
//! them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(all(feature = "text", feature = "serde"))] {
//! use arrowfeed::formats::{Format, FormatOptions};
//! use arrowfeed::source::io::FileSource;
//!
//! let options = FormatOptions::from_json(Format::Csv, r#"{"delimiter": ";", "decimal_comma": true}"#)?;
//! let files = options.files(vec![FileSource::bytes(b"id;price\n1;2,5\n".to_vec())], None)?;
//! assert_eq!(files.schema().field(1).data_type().to_string(), "Float64");
//!
//! let error = FormatOptions::from_json(Format::Csv, r#"{"delimiter": ";;"}"#).unwrap_err();
//! assert_eq!(error.to_string(), "delimiter: expected one ASCII character, found \";;\"");
//! # }
//! # Ok(())
//! # }
//! ```

// | file | content |
// |---|---|
// | `detect` | the format of a file, by its content and its name |
// | `described` | options in JSON, and in texts such as those of SQL |
// | `option_names` | the names of the options of a format |
// | `texts` | a deserializer over texts |
// | `with_columns` | files with added columns and a selection |

/// The value of an expression over the options of each format.
macro_rules! each {
    ($value:expr, $options:ident => $result:expr) => {
        match $value {
            #[cfg(feature = "avro")]
            $crate::formats::FormatOptions::Avro($options) => $result,
            #[cfg(feature = "parquet")]
            $crate::formats::FormatOptions::Parquet($options) => $result,
            #[cfg(feature = "ipc")]
            $crate::formats::FormatOptions::Arrow($options) => $result,
            #[cfg(feature = "tfrecord")]
            $crate::formats::FormatOptions::TfRecord($options) => $result,
            #[cfg(feature = "text")]
            $crate::formats::FormatOptions::JsonLines($options) => $result,
            #[cfg(feature = "text")]
            $crate::formats::FormatOptions::Csv($options) => $result,
        }
    };
}

#[cfg(feature = "serde")]
mod described;
mod detect;
#[cfg(feature = "serde")]
mod option_names;
#[cfg(feature = "serde")]
mod texts;
#[cfg(feature = "datasets")]
mod with_columns;

use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, Interrupt, Limits};

#[cfg(feature = "avro")]
use crate::avro::{AvroFormat, AvroOptions};
#[cfg(feature = "ipc")]
use crate::ipc::{IpcFormat, IpcOptions};
#[cfg(feature = "parquet")]
use crate::parquet::{ParquetFormat, ParquetOptions};
#[cfg(feature = "text")]
use crate::text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};
#[cfg(feature = "tfrecord")]
use crate::tfrecord::{RecordFormat, RecordOptions};

#[cfg(feature = "serde")]
pub use described::{from_json, from_texts};
pub use detect::{Detected, Evidence, detect, detect_first};
#[cfg(feature = "datasets")]
pub use with_columns::AddedToFiles;

/// A format of files.
///
/// The [module](self) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Avro object container files.
    Avro,
    /// Parquet files.
    Parquet,
    /// Arrow IPC files and streams.
    Arrow,
    /// TFRecord files of `tf.Example` or `tf.SequenceExample` messages, or of any records.
    TfRecord,
    /// Files whose lines are JSON objects.
    JsonLines,
    /// CSV files.
    Csv,
}

arrowfeed_source::words! {
    Format {
        "avro" = Avro,
        "parquet" = Parquet,
        "arrow" = Arrow,
        "tfrecord" = TfRecord,
        "jsonl" = JsonLines,
        "csv" = Csv,
    }
}

impl Format {
    /// All formats. A directory whose format is not given has the files of the first one of these that has some there.
    pub const ALL: &'static [Self] = <Self as arrowfeed_source::options::Words>::VALUES;

    /// The name of the format, which is also the extension of the files that are read in a directory.
    pub fn name(self) -> &'static str {
        arrowfeed_source::options::Words::word(self)
    }

    /// The ends of the names of its files, in lower case. A name may have `.gz` behind it.
    pub fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Avro => &[".avro"],
            Self::Parquet => &[".parquet"],
            Self::Arrow => &[".arrow", ".feather", ".arrows"],
            Self::TfRecord => &[".tfrecord", ".tfrecords"],
            Self::JsonLines => &[".jsonl", ".ndjson"],
            Self::Csv => &[".csv", ".tsv"],
        }
    }

    /// The first bytes of its files, one of these. Empty: files may begin with any bytes.
    pub fn first_bytes(self) -> &'static [&'static [u8]] {
        match self {
            Self::Avro => &[b"Obj\x01"],
            // The second one is that of files with an encrypted footer.
            Self::Parquet => &[b"PAR1", b"PARE"],
            // A stream begins with the marker of a message.
            Self::Arrow => &[b"ARROW1", b"\xff\xff\xff\xff"],
            Self::TfRecord | Self::JsonLines | Self::Csv => &[],
        }
    }

    /// The format with a suffix of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.suffixes().iter().any(|suffix| has_suffix(name, suffix)))
    }
}

/// Whether a name ends with a suffix, in any case and perhaps followed by `.gz`.
fn has_suffix(name: &str, suffix: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.strip_suffix(".gz").unwrap_or(&lower).ends_with(suffix)
}

/// The options of a format.
///
/// The [module](self) has an example.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FormatOptions {
    /// Options of Avro.
    #[cfg(feature = "avro")]
    Avro(AvroOptions),
    /// Options of Parquet.
    #[cfg(feature = "parquet")]
    Parquet(ParquetOptions),
    /// Options of Arrow IPC.
    #[cfg(feature = "ipc")]
    Arrow(IpcOptions),
    /// Options of TFRecord.
    #[cfg(feature = "tfrecord")]
    TfRecord(RecordOptions),
    /// Options of JSON lines.
    #[cfg(feature = "text")]
    JsonLines(JsonLinesOptions),
    /// Options of CSV.
    #[cfg(feature = "text")]
    Csv(CsvOptions),
}

impl FormatOptions {
    /// The default options of a format.
    ///
    /// # Errors
    /// The build does not have the format.
    pub fn new(format: Format) -> Result<Self, FeedError> {
        Ok(match format {
            #[cfg(feature = "avro")]
            Format::Avro => AvroOptions::default().into(),
            #[cfg(feature = "parquet")]
            Format::Parquet => ParquetOptions::default().into(),
            #[cfg(feature = "ipc")]
            Format::Arrow => IpcOptions::default().into(),
            #[cfg(feature = "tfrecord")]
            Format::TfRecord => RecordOptions::default().into(),
            #[cfg(feature = "text")]
            Format::JsonLines => JsonLinesOptions::default().into(),
            #[cfg(feature = "text")]
            Format::Csv => CsvOptions::default().into(),
            #[cfg(not(all(
                feature = "avro",
                feature = "parquet",
                feature = "ipc",
                feature = "tfrecord",
                feature = "text"
            )))]
            format => {
                let name = format.name();
                let message =
                    format!("format: expected a format of this build, found {name}: enable its feature");
                return Err(FeedError::new(arrowfeed_source::FeedErrorKind::Options, message));
            }
        })
    }

    /// The formats of this build.
    pub fn formats() -> impl Iterator<Item = Format> {
        Format::ALL.iter().copied().filter(|format| Self::new(*format).is_ok())
    }

    /// The format of the options.
    pub fn format(&self) -> Format {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(_) => Format::Avro,
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => Format::Parquet,
            #[cfg(feature = "ipc")]
            Self::Arrow(_) => Format::Arrow,
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => Format::TfRecord,
            #[cfg(feature = "text")]
            Self::JsonLines(_) => Format::JsonLines,
            #[cfg(feature = "text")]
            Self::Csv(_) => Format::Csv,
        }
    }

    /// Opens the first file that can be opened. `interrupt` is called before each file is opened.
    ///
    /// # Errors
    /// Those of the format: [`AvroFormat::files`] and others.
    pub fn files(
        self,
        sources: Vec<FileSource>,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => AvroFormat::files(sources, options, interrupt),
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => ParquetFormat::files(sources, options, interrupt),
            #[cfg(feature = "ipc")]
            Self::Arrow(options) => IpcFormat::files(sources, options, interrupt),
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(options) => RecordFormat::files(sources, options, interrupt),
            #[cfg(feature = "text")]
            Self::JsonLines(options) => JsonLinesFormat::files(sources, options, interrupt),
            #[cfg(feature = "text")]
            Self::Csv(options) => CsvFormat::files(sources, options, interrupt),
        }
    }

    /// The options `columns` and `exclude`, which all formats have.
    pub fn selection_mut(&mut self) -> (&mut Option<Vec<String>>, &mut Option<Vec<String>>) {
        each!(self, options => (&mut options.columns, &mut options.exclude))
    }

    /// The option `limits`, which all formats have.
    pub fn limits_mut(&mut self) -> &mut Limits {
        each!(self, options => &mut options.limits)
    }

    /// Whether the schema is merged from all files.
    pub fn merges_schemas(&self) -> bool {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => options.merge_schemas,
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => options.merge_schemas,
            #[cfg(feature = "ipc")]
            Self::Arrow(_) => false,
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => false,
            #[cfg(feature = "text")]
            Self::JsonLines(options) => options.merge_schemas,
            #[cfg(feature = "text")]
            Self::Csv(options) => options.merge_schemas,
        }
    }

    /// Whether the schema is merged from all files, or is that of the first one. Options that have a schema, and formats whose
    /// schemas are not merged, stay as they are.
    #[cfg_attr(
        not(any(feature = "avro", feature = "parquet", feature = "text")),
        allow(unused_variables, reason = "the schemas of other formats are not merged")
    )]
    pub fn merge_schemas(&mut self, merges: bool) {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => options.merge_schemas = merges && options.reader_schema.is_none(),
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => options.merge_schemas = merges && options.schema.is_none(),
            #[cfg(feature = "ipc")]
            Self::Arrow(_) => {}
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => {}
            #[cfg(feature = "text")]
            Self::JsonLines(options) => options.merge_schemas = merges && options.schema.is_none(),
            #[cfg(feature = "text")]
            Self::Csv(options) => options.merge_schemas = merges && options.schema.is_none(),
        }
    }
}

/// Conversions of the options of one format.
macro_rules! conversions {
    ($($feature:literal $variant:ident $options:ident),* $(,)?) => {
        $(
            #[cfg(feature = $feature)]
            impl From<$options> for FormatOptions {
                fn from(options: $options) -> Self {
                    Self::$variant(options)
                }
            }
        )*
    };
}

conversions! {
    "avro" Avro AvroOptions,
    "parquet" Parquet ParquetOptions,
    "ipc" Arrow IpcOptions,
    "tfrecord" TfRecord RecordOptions,
    "text" JsonLines JsonLinesOptions,
    "text" Csv CsvOptions,
}
