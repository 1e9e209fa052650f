//! The Parquet file format: options, schema and projection.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;
use arrowfeed_source::field_ids::FieldIds;
use arrowfeed_source::format::{FileFormat, FormatFile, column_difference};
use arrowfeed_source::io::{FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{ArrowSchemaMerger, Check, FeedError, FeedErrorKind, Interrupt, Limits, SchemaMerge};

use crate::codec::check_codecs;
use crate::columns::Projection;
use crate::conversion::Rules;
use crate::field_ids::renamed;
use crate::file::{Footer, ParquetFile};
use crate::file_columns::FileColumns;
use crate::filter::{FileFilter, RowFilter};

/// Number of bytes at the end of an object that are fetched with one request when it is opened: footers are rarely
/// longer.
const FOOTER_BYTES: u64 = 64 << 10;

/// Options for reading Parquet files.
///
/// [`ParquetFormat`] has an example.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct ParquetOptions {
    /// Field paths to read (`id`, `user.scores`, also through lists and maps), in the order of the columns. `None`: all
    /// columns.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read. `None`: no column is excluded.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// The schema of the batches. Columns and fields are matched by name in each file, and converted if that is
    /// lossless. A nullable column that a file does not have is null. `None`: the schema of the first file, which all
    /// files must have, unless it is merged.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::schema"))]
    pub schema: Option<SchemaRef>,
    /// Whether the schema is merged from the schemas of all files, whose footers are read first. Default false. Cannot be
    /// combined with a schema.
    pub merge_schemas: bool,
    /// Whether doubles are rounded to floats, if the `schema` has floats: those beyond the largest float become infinite.
    /// Otherwise such a column is an error.
    pub double_as_float: bool,
    /// Matches columns and fields by their identifiers in a table. Needs a `schema`. `None`: by name.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub field_ids: Option<Arc<FieldIds>>,
    /// `header_bytes` limits the size of the footer, `batch_bytes` the size of a batch.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

/// Parquet files with one Arrow schema: the requested one, or that of the first file. Arrow dictionaries are read as
/// their values.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_source::run::ReadOptions;
/// use parquet::arrow::ArrowWriter;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)])?;
/// let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
/// writer.write(&batch)?;
/// let file = FileSource::bytes(writer.into_inner()?);
/// let files = ParquetFormat::files([file], ParquetOptions::default(), None)?;
/// let batches = files.read_files(ReadOptions::default())?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(batches, [batch]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ParquetFormat {
    options: ParquetOptions,
    /// All columns of the requested schema, or of the first file.
    whole: SchemaRef,
    /// The columns that are read.
    schema: SchemaRef,
    /// The name of the first file, for messages.
    first: Arc<str>,
    /// The filter of the rows, if only those that pass are read.
    filter: Option<Arc<RowFilter>>,
}

impl ParquetFormat {
    /// Opens the first file that can be opened, and reads its schema. Calls `interrupt` before it opens a file.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column does not exist; the columns of the first
    /// file cannot be converted to the requested schema; `interrupt` returned true.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: ParquetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let files = Files::new(sources);
        let (options, merge) = merged(options, &files, interrupt)?;
        let open = |opened| Footer::read(opened, &options.limits);
        let first = files.first_stored(&Check::of(interrupt), open)?;
        let whole = options.schema.clone().unwrap_or_else(|| first.schema().clone());
        let format = Self::new(first.name().clone(), whole, options)?;
        format.columns_of(&first)?;
        let (columns, exclude) = (format.options.columns.clone(), format.options.exclude.clone());
        let files =
            FileSet::new(files, Arc::new(format)).selecting(columns.as_deref(), exclude.as_deref())?;
        Ok(merge.into_iter().fold(files, FileSet::of_merge))
    }

    fn new(first: Arc<str>, whole: SchemaRef, options: ParquetOptions) -> Result<Self, FeedError> {
        let projection = Projection::new(&whole, options.columns.as_deref());
        let projection = projection.map_err(|error| error.in_file(&first))?;
        let schema = match options.columns {
            Some(_) => projection.schema(&whole),
            None => whole.clone(),
        };
        Ok(Self { options, whole, schema, first, filter: None })
    }

    /// The format of other columns, without a filter.
    ///
    /// # Errors
    /// A column does not exist.
    pub(crate) fn of_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let options = ParquetOptions { columns: Some(columns.to_vec()), ..self.options.clone() };
        Self::new(self.first.clone(), self.whole.clone(), options)
    }
}

/// The options with the merged schema of the files, if they ask for it.
fn merged(
    options: ParquetOptions,
    files: &Files,
    interrupt: Option<&Interrupt>,
) -> Result<(ParquetOptions, Option<SchemaMerge>), FeedError> {
    if !options.merge_schemas {
        return Ok((options, None));
    }
    SchemaMerge::check_options(options.merge_schemas, options.schema.is_some(), "schema")?;
    let (mut merger, limits) = (ArrowSchemaMerger::new(), options.limits.clone());
    let open = move |opened, _: &Check<'_>| Ok(Footer::read(opened, &limits)?.schema().clone());
    files.visit_all(interrupt, open, |name, schema| merger.add(name, &schema))?;
    let (schema, merge) = merger.finish();
    Ok((ParquetOptions { schema: Some(schema), merge_schemas: false, ..options }, Some(merge)))
}

impl FileFormat for ParquetFormat {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        len.map(|len| len.saturating_sub(FOOTER_BYTES)..len).into_iter().collect()
    }

    fn reads_whole_chunks(&self) -> bool {
        false
    }

    fn opening_finds_chunks(&self) -> bool {
        true
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(self.whole.clone())
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        Ok(Arc::new(self.of_columns(columns)?))
    }

    fn selecting(&self, predicate: &Predicate) -> Result<Option<Arc<dyn FileFormat>>, FeedError> {
        let Some(filter) = RowFilter::new(self, predicate) else { return Ok(None) };
        let (options, whole, schema) = (self.options.clone(), self.whole.clone(), self.schema.clone());
        let (first, filter) = (self.first.clone(), Some(Arc::new(filter)));
        Ok(Some(Arc::new(Self { options, whole, schema, first, filter })))
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let footer = Arc::new(Footer::read(file, &self.options.limits)?);
        let columns = self.columns_of(&footer)?;
        check_codecs(footer.metadata(), &columns.leaves).map_err(|error| error.in_file(footer.name()))?;
        let limits = &self.options.limits;
        let filter = self.filter.clone().map(|filter| FileFilter::new(filter, &footer, limits));
        let filter = filter.transpose()?.map(Box::new);
        Ok(Arc::new(ParquetFile::new(footer, columns, filter, limits.clone())?))
    }
}

impl ParquetFormat {
    /// The columns that are read from a file.
    ///
    /// # Errors
    /// The file has other columns than the first one, or its columns cannot be converted to the requested schema.
    pub(crate) fn columns_of(&self, footer: &Footer) -> Result<FileColumns, FeedError> {
        let (read, schema) = (footer.read_schema(), self.schema.clone());
        if self.options.schema.is_some() {
            let of_table = self.options.field_ids.as_ref().map(|ids| renamed(footer, ids)).transpose()?;
            let read = of_table.as_ref().unwrap_or(read);
            let rules = Rules { rounds: self.options.double_as_float, renames: of_table.is_some() };
            let columns = FileColumns::promised(read, schema, rules);
            return columns.map_err(|error| error.in_file(footer.name()));
        }
        let differs = |difference: &str| {
            let message = format!("expected the columns of {}: {difference}", self.first);
            FeedError::new(FeedErrorKind::Schema, message).in_file(footer.name())
        };
        let whole = footer.schema_like(&self.whole);
        let projection = Projection::new(&whole, self.options.columns.as_deref());
        let projection = projection.map_err(|error| differs(error.message()))?;
        let found = projection.schema(&whole);
        match schema.fields() == found.fields() {
            true => Ok(FileColumns::stored(read, &projection, schema)),
            false => {
                let difference = column_difference(&schema, &found);
                Err(differs(&format!(
                    "{difference}; set `schema`, or merge the schemas of the files, to read both"
                )))
            }
        }
    }
}
