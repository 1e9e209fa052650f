//! Formats of files: their names, their options in JSON, and their files.

// | module | format |
// |---|---|
// | `avro` `ipc` `parquet` `text` `tfrecord` | options of the formats |
// | `detect` | the format of a file |

#[cfg(feature = "avro")]
mod avro;
mod detect;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "text")]
mod text;
#[cfg(feature = "tfrecord")]
mod tfrecord;

use arrowfeed::Limits;
use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::FileSet;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::options::object::Object;
use crate::options::parse;

pub(crate) use detect::detect;

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormatName {
    Avro,
    Parquet,
    Arrow,
    Tfrecord,
    JsonLines,
    Csv,
}

impl FormatName {
    /// All formats. A directory of files of an unknown format has those of the first format that has some there.
    pub(crate) const ALL: [Self; 6] =
        [Self::Avro, Self::Parquet, Self::Arrow, Self::Tfrecord, Self::JsonLines, Self::Csv];

    /// The name in options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Avro => "avro",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Tfrecord => "tfrecord",
            Self::JsonLines => "json_lines",
            Self::Csv => "csv",
        }
    }

    /// The extension of the files that are read in a directory.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            format => format.name(),
        }
    }
}

/// The options that all formats have.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) exclude: Option<Vec<String>>,
    pub(crate) limits: Limits,
}

/// Opens files of a format with its options: `format_options` in those of `arrowfeed_open`.
pub(crate) fn open(
    format: FormatName,
    sources: Vec<FileSource>,
    options: &str,
    common: Common,
    interrupt: Option<&Interrupt>,
) -> Result<FileSet, Error> {
    let options = OfFormat { format, options };
    Ok(match format {
        #[cfg(feature = "avro")]
        FormatName::Avro => {
            let options = avro::options(options.parse()?, common)?;
            arrowfeed::AvroFormat::files(sources, options, interrupt)?
        }
        #[cfg(feature = "parquet")]
        FormatName::Parquet => {
            let options = parquet::options(options.parse()?, common)?;
            arrowfeed::parquet::ParquetFormat::files(sources, options, interrupt)?
        }
        #[cfg(feature = "ipc")]
        FormatName::Arrow => {
            let options = ipc::options(&options.parse()?, common);
            arrowfeed::ipc::IpcFormat::files(sources, options, interrupt)?
        }
        #[cfg(feature = "tfrecord")]
        FormatName::Tfrecord => {
            let options = tfrecord::options(options.parse()?, common)?;
            arrowfeed::tfrecord::RecordFormat::files(sources, options, interrupt)?
        }
        #[cfg(feature = "text")]
        FormatName::JsonLines => {
            let options = text::json_lines(options.parse()?, common)?;
            arrowfeed::text::JsonLinesFormat::files(sources, options, interrupt)?
        }
        #[cfg(feature = "text")]
        FormatName::Csv => {
            let options = text::csv(options.parse()?, common)?;
            arrowfeed::text::CsvFormat::files(sources, options, interrupt)?
        }
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
            return Err(Error::options(message));
        }
    })
}

/// The options of a format, which have not been parsed yet.
struct OfFormat<'a> {
    format: FormatName,
    options: &'a str,
}

#[derive(Deserialize)]
struct FormatOptions<T> {
    format_options: Option<Object<T>>,
}

impl OfFormat<'_> {
    fn parse<T: DeserializeOwned + Default>(self) -> Result<T, Error> {
        let name = format!("format_options of {}", self.format.name());
        let options: FormatOptions<T> = parse(self.options, &name)?;
        Ok(options.format_options.map(|options| options.0).unwrap_or_default())
    }
}
