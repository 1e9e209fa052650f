//! What a table needs to know of the formats.

use arrow_schema::SchemaRef;
use arrowfeed::formats::{Format, FormatOptions};
#[cfg(feature = "text")]
use arrowfeed::text::CsvOptions;
#[cfg(feature = "tfrecord")]
use arrowfeed::tfrecord::RecordKind;
use arrowfeed::{FeedError, FeedErrorKind};

/// The formats of this build, with their default options. Their schemas are merged from all files, where the format can do that.
pub(crate) fn all() -> Vec<FormatOptions> {
    let options = FormatOptions::formats().filter_map(|format| FormatOptions::new(format).ok());
    options.map(|options| merging(options, true)).collect()
}

/// The name in `STORED AS`: `ARROWFEED_AVRO`.
pub(crate) fn sql_name(format: Format) -> String {
    format!("ARROWFEED_{}", format.name().to_uppercase())
}

/// The names in `STORED AS` of the formats of this build.
///
/// ```
/// # #[cfg(feature = "avro")]
/// assert!(arrowfeed_datafusion::sql_names().contains(&"ARROWFEED_AVRO".to_owned()));
/// ```
pub fn sql_names() -> Vec<String> {
    FormatOptions::formats().map(sql_name).collect()
}

/// The format with the schema of the first file, or with that of all files.
pub(crate) fn merging(mut format: FormatOptions, merges: bool) -> FormatOptions {
    format.merge_schemas(merges);
    format
}

/// Whether a list has one value where the file has a value.
pub(crate) fn lists_hold_one_value(format: &FormatOptions) -> bool {
    match format {
        #[cfg(feature = "avro")]
        FormatOptions::Avro(options) => options.encoding != arrowfeed::avro::ColumnEncoding::Native,
        #[cfg(feature = "tfrecord")]
        FormatOptions::TfRecord(options) => !matches!(options.kind, RecordKind::Raw { .. }),
        _ => false,
    }
}

/// Whether the footers of files have the number of their rows, and the bounds of columns.
pub(crate) fn has_footers(format: &FormatOptions) -> bool {
    matches!(format.format(), Format::Parquet | Format::Arrow)
}

/// The format of one file of a table with these columns. Text is parsed as the types of the table, and other files have their own
/// schema.
pub(crate) fn of_table(mut format: FormatOptions, table: &SchemaRef) -> FormatOptions {
    match &mut format {
        #[cfg(feature = "text")]
        FormatOptions::Csv(options) => {
            // The table has the columns that these options left.
            (options.types, options.columns, options.exclude) = (None, None, None);
            declare_csv(options, table);
        }
        #[cfg(feature = "text")]
        FormatOptions::JsonLines(options) => {
            (options.types, options.columns, options.exclude) = (None, None, None);
            options.schema = Some(table.clone());
        }
        _ => {}
    }
    merging(format, false)
}

/// The format with declared columns.
///
/// # Errors
/// The files of the format store their schema.
pub(crate) fn declaring(mut format: FormatOptions, schema: SchemaRef) -> Result<FormatOptions, FeedError> {
    match &mut format {
        #[cfg(feature = "parquet")]
        FormatOptions::Parquet(options) => options.schema = Some(schema),
        #[cfg(feature = "text")]
        FormatOptions::Csv(options) => declare_csv(options, &schema),
        #[cfg(feature = "text")]
        FormatOptions::JsonLines(options) => options.schema = Some(schema),
        other => {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            let message = format!(
                "expected no column definitions for {}, whose files store their schema, found {}",
                sql_name(other.format()),
                names.join(", ")
            );
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
    }
    Ok(merging(format, false))
}

/// Declares the columns of CSV files. Files with headers may lack some of them.
#[cfg(feature = "text")]
fn declare_csv(options: &mut CsvOptions, schema: &SchemaRef) {
    options.schema = Some(schema.clone());
    options.missing_columns = options.header && options.names.is_none();
}
