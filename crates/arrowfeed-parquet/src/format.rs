//! Parquet as a format of files: options, schema and projection.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::format::{FileFormat, FormatFile, column_difference};
use arrowfeed_source::io::{FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits};

use crate::columns::Projection;
use crate::file::{Footer, ParquetFile};
use crate::file_columns::FileColumns;

/// Bytes at the end of an object that are fetched with one request to open it: footers are rarely longer.
const FOOTER_BYTES: u64 = 64 << 10;

/// How Parquet files are read.
#[derive(Debug, Clone, Default)]
pub struct ParquetOptions {
    /// Field paths to read (`id`, `user.scores`, through lists and maps too), in the order of the columns. `None`: every
    /// column.
    pub columns: Option<Vec<String>>,
    /// The schema of the batches. Columns and fields are found in each file by their names, and converted where nothing
    /// is lost. A column that a file does not have is null, if it may be. `None`: the schema of the first file, which all
    /// files must have.
    pub schema: Option<SchemaRef>,
    /// Whether doubles are rounded to floats, where the `schema` has floats. Otherwise such a column is an error.
    pub double_as_float: bool,
    /// `header_bytes` bounds the footer, `batch_bytes` a batch.
    pub limits: Limits,
}

/// Parquet files of one Arrow schema: the promised one, or else that of the first file. A dictionary of Arrow is read as its
/// values.
#[derive(Debug)]
pub struct ParquetFormat {
    options: ParquetOptions,
    /// All columns of the promised schema, or of the first file.
    whole: SchemaRef,
    /// The columns that are read.
    schema: SchemaRef,
    /// Name of the first file, for messages.
    first: Arc<str>,
}

impl ParquetFormat {
    /// Opens the first file that can be opened, for the schema. `interrupt` is asked before each file is opened.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column is not there; the columns of the first file do
    /// not convert to the promised schema; the caller wants to stop.
    pub fn files(
        sources: impl IntoIterator<Item = FileSource>,
        options: ParquetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let files = Files::new(sources);
        let open = |opened| Footer::read(opened, &options.limits);
        let first = files.first_stored(&Check::of(interrupt), open)?;
        let whole = options.schema.clone().unwrap_or_else(|| first.schema().clone());
        let format = Self::new(first.name().clone(), whole, options)?;
        format.columns_of(&first)?;
        Ok(FileSet::new(files, Arc::new(format)))
    }

    fn new(first: Arc<str>, whole: SchemaRef, options: ParquetOptions) -> Result<Self, FeedError> {
        let projection = Projection::new(&whole, options.columns.as_deref());
        let projection = projection.map_err(|error| error.in_file(&first))?;
        let schema = match options.columns {
            Some(_) => projection.schema(&whole),
            None => whole.clone(),
        };
        Ok(Self { options, whole, schema, first })
    }
}

impl FileFormat for ParquetFormat {
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

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let options = ParquetOptions { columns: Some(columns.to_vec()), ..self.options.clone() };
        Ok(Arc::new(Self::new(self.first.clone(), self.whole.clone(), options)?))
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let footer = Footer::read(file, &self.options.limits)?;
        let columns = self.columns_of(&footer)?;
        Ok(Arc::new(ParquetFile::new(footer, columns, self.options.limits.clone())?))
    }
}

impl ParquetFormat {
    /// What is read of a file.
    ///
    /// # Errors
    /// It has other columns than the first one; its columns do not convert to the promised schema.
    fn columns_of(&self, footer: &Footer) -> Result<FileColumns, FeedError> {
        let (whole, schema) = (footer.schema(), self.schema.clone());
        if self.options.schema.is_some() {
            let columns = FileColumns::promised(whole, schema, self.options.double_as_float);
            return columns.map_err(|error| error.in_file(footer.name()));
        }
        let differs = |difference: &str| {
            let message = format!("expected the columns of {}: {difference}", self.first);
            FeedError::new(FeedErrorKind::Schema, message).in_file(footer.name())
        };
        let projection = Projection::new(whole, self.options.columns.as_deref());
        let projection = projection.map_err(|error| differs(error.message()))?;
        let found = projection.schema(whole);
        match schema.fields() == found.fields() {
            true => Ok(FileColumns::stored(whole, &projection, schema)),
            false => Err(differs(&column_difference(&schema, &found))),
        }
    }
}
