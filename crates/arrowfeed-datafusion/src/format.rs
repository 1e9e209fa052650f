//! The formats of tables, with their options.

use arrow_schema::SchemaRef;
use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::FileSet;
use arrowfeed::{FeedError, FeedErrorKind};

#[cfg(feature = "ipc")]
use arrowfeed::ipc::{IpcFormat, IpcOptions};
#[cfg(feature = "parquet")]
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
#[cfg(feature = "text")]
use arrowfeed::text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};
#[cfg(feature = "tfrecord")]
use arrowfeed::tfrecord::{RecordFormat, RecordKind, RecordOptions};
#[cfg(feature = "avro")]
use arrowfeed::{AvroFormat, AvroOptions};

/// The format of the files of a table, with the options of its reader.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TableFormat {
    /// Avro object container files.
    #[cfg(feature = "avro")]
    Avro(AvroOptions),
    /// Parquet files.
    #[cfg(feature = "parquet")]
    Parquet(ParquetOptions),
    /// CSV files.
    #[cfg(feature = "text")]
    Csv(CsvOptions),
    /// Files of JSON lines.
    #[cfg(feature = "text")]
    JsonLines(JsonLinesOptions),
    /// Arrow IPC files and streams.
    #[cfg(feature = "ipc")]
    Ipc(IpcOptions),
    /// TFRecord files.
    #[cfg(feature = "tfrecord")]
    TfRecord(RecordOptions),
}

impl TableFormat {
    /// The formats of this build, with their default options. Their schemas are merged from all files, where the format can do
    /// that.
    pub fn all() -> Vec<Self> {
        vec![
            #[cfg(feature = "avro")]
            Self::Avro(AvroOptions { merge_schemas: true, ..AvroOptions::default() }),
            #[cfg(feature = "parquet")]
            Self::Parquet(ParquetOptions { merge_schemas: true, ..ParquetOptions::default() }),
            #[cfg(feature = "text")]
            Self::Csv(CsvOptions { merge_schemas: true, ..CsvOptions::default() }),
            #[cfg(feature = "text")]
            Self::JsonLines(JsonLinesOptions { merge_schemas: true, ..JsonLinesOptions::default() }),
            #[cfg(feature = "ipc")]
            Self::Ipc(IpcOptions::default()),
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(RecordOptions::new(RecordKind::Example { features: None, sample: None })),
        ]
    }

    /// The name in `STORED AS`: `ARROWFEED_AVRO`.
    pub fn sql_name(&self) -> &'static str {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(_) => "ARROWFEED_AVRO",
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => "ARROWFEED_PARQUET",
            #[cfg(feature = "text")]
            Self::Csv(_) => "ARROWFEED_CSV",
            #[cfg(feature = "text")]
            Self::JsonLines(_) => "ARROWFEED_JSON",
            #[cfg(feature = "ipc")]
            Self::Ipc(_) => "ARROWFEED_IPC",
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => "ARROWFEED_TFRECORD",
        }
    }

    /// The extension of the files that are read from a directory: `avro`.
    pub fn extension(&self) -> &'static str {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(_) => "avro",
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => "parquet",
            #[cfg(feature = "text")]
            Self::Csv(_) => "csv",
            #[cfg(feature = "text")]
            Self::JsonLines(_) => "jsonl",
            #[cfg(feature = "ipc")]
            Self::Ipc(_) => "arrow",
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => "tfrecord",
        }
    }

    /// Opens the files to find their schema.
    pub(crate) fn files(
        self,
        sources: Vec<FileSource>,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => AvroFormat::files(sources, options, interrupt),
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => ParquetFormat::files(sources, options, interrupt),
            #[cfg(feature = "text")]
            Self::Csv(options) => CsvFormat::files(sources, options, interrupt),
            #[cfg(feature = "text")]
            Self::JsonLines(options) => JsonLinesFormat::files(sources, options, interrupt),
            #[cfg(feature = "ipc")]
            Self::Ipc(options) => IpcFormat::files(sources, options, interrupt),
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(options) => RecordFormat::files(sources, options, interrupt),
        }
    }

    /// Whether a list has one value where the file has a value.
    pub(crate) fn lists_hold_one_value(&self) -> bool {
        match self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => options.encoding != arrowfeed::avro::ColumnEncoding::Native,
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(options) => !matches!(options.kind, RecordKind::Raw { .. }),
            _ => false,
        }
    }

    /// Whether the footers of files have the number of their rows, and the bounds of columns.
    pub(crate) fn has_footers(&self) -> bool {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => true,
            #[cfg(feature = "ipc")]
            Self::Ipc(_) => true,
            _ => false,
        }
    }

    /// The format of one file of a table with these columns. Text is parsed as the types of the table, and other files have their
    /// own schema.
    pub(crate) fn of_table(mut self, table: &SchemaRef) -> Self {
        match &mut self {
            #[cfg(feature = "text")]
            Self::Csv(options) => {
                // The table has the columns that these options left.
                (options.types, options.columns, options.exclude) = (None, None, None);
                declare_csv(options, table);
            }
            #[cfg(feature = "text")]
            Self::JsonLines(options) => {
                (options.types, options.columns, options.exclude) = (None, None, None);
                options.schema = Some(table.clone());
            }
            _ => {}
        }
        self.merging(false)
    }

    /// The format with the schema of the first file, or with that of all files. A format that has no merged schema, or whose
    /// options have a schema, stays as it is.
    pub(crate) fn merging(mut self, merges: bool) -> Self {
        match &mut self {
            #[cfg(feature = "avro")]
            Self::Avro(options) => options.merge_schemas = merges && options.reader_schema.is_none(),
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => options.merge_schemas = merges && options.schema.is_none(),
            #[cfg(feature = "text")]
            Self::Csv(options) => options.merge_schemas = merges && options.schema.is_none(),
            #[cfg(feature = "text")]
            Self::JsonLines(options) => options.merge_schemas = merges && options.schema.is_none(),
            #[cfg(feature = "ipc")]
            Self::Ipc(_) => {}
            #[cfg(feature = "tfrecord")]
            Self::TfRecord(_) => {}
        }
        self
    }

    /// The format with declared columns.
    ///
    /// # Errors
    /// The files of the format store their schema.
    pub(crate) fn declaring(mut self, schema: SchemaRef) -> Result<Self, FeedError> {
        match &mut self {
            #[cfg(feature = "parquet")]
            Self::Parquet(options) => options.schema = Some(schema),
            #[cfg(feature = "text")]
            Self::Csv(options) => declare_csv(options, &schema),
            #[cfg(feature = "text")]
            Self::JsonLines(options) => options.schema = Some(schema),
            _ => {
                let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                let message = format!(
                    "expected no column definitions for {}, whose files store their schema, found {}",
                    self.sql_name(),
                    names.join(", ")
                );
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        }
        Ok(self.merging(false))
    }
}

/// Declares the columns of CSV files. Files with headers may lack some of them.
#[cfg(feature = "text")]
fn declare_csv(options: &mut CsvOptions, schema: &SchemaRef) {
    options.schema = Some(schema.clone());
    options.missing_columns = options.dialect.header && options.names.is_none();
}

/// The names in `STORED AS` of the formats of this build.
///
/// ```
/// # #[cfg(feature = "avro")]
/// assert!(arrowfeed_datafusion::sql_names().contains(&"ARROWFEED_AVRO"));
/// ```
pub fn sql_names() -> Vec<&'static str> {
    TableFormat::all().iter().map(TableFormat::sql_name).collect()
}
