//! Parquet as a format of files: options, schema and projection.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::format::{FileFormat, FormatFile, column_difference};
use arrowfeed_source::io::{FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, quoted};

use crate::columns::Projection;
use crate::file::{Footer, ParquetFile};

/// How Parquet files are read.
#[derive(Debug, Clone, Default)]
pub struct ParquetOptions {
    /// Field paths to read (`id`, `user.scores`, through lists and maps too), in the order of the columns. `None`: every
    /// column.
    pub columns: Option<Vec<String>>,
    /// `header_bytes` bounds the footer, `batch_bytes` a batch.
    pub limits: Limits,
}

/// Parquet files of one Arrow schema: that of the first file. A dictionary of Arrow is read as its values.
#[derive(Debug)]
pub struct ParquetFormat {
    options: ParquetOptions,
    /// All columns of the first file.
    whole: SchemaRef,
    /// The columns that are read.
    schema: SchemaRef,
    projection: Projection,
    /// Name of the first file, for messages.
    first: Arc<str>,
}

impl ParquetFormat {
    /// Opens the first file that can be opened, for the schema. `interrupt` is asked before each file is opened.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column is not there; the caller wants to stop.
    pub fn files(
        sources: impl IntoIterator<Item = FileSource>,
        options: ParquetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let files = Files::new(sources);
        let open = |opened| Footer::read(opened, &options.limits);
        let first = files.first_stored(&Check::of(interrupt), open)?;
        let format = Self::new(first.name().clone(), first.schema().clone(), options)?;
        Ok(FileSet::new(files, Arc::new(format)))
    }

    fn new(first: Arc<str>, whole: SchemaRef, options: ParquetOptions) -> Result<Self, FeedError> {
        let projection = Projection::new(&whole, options.columns.as_deref());
        let projection = projection.map_err(|error| error.in_file(&first))?;
        let schema = projection.schema(&whole);
        Ok(Self { options, whole, schema, projection, first })
    }
}

impl FileFormat for ParquetFormat {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let options = ParquetOptions { columns: Some(columns.to_vec()), ..self.options.clone() };
        Ok(Arc::new(Self::new(self.first.clone(), self.whole.clone(), options)?))
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let footer = Footer::read(file, &self.options.limits)?;
        if let Some(difference) = self.difference(footer.schema()) {
            let message = format!("expected the columns of {}: {difference}", self.first);
            return Err(FeedError::new(FeedErrorKind::Schema, message).in_file(footer.name()));
        }
        let (schema, limits) = (self.schema.clone(), self.options.limits.clone());
        Ok(Arc::new(ParquetFile::new(footer, &self.projection, schema, limits)?))
    }
}

impl ParquetFormat {
    /// In what the columns of a file that are read differ from those of the first file.
    fn difference(&self, whole: &Schema) -> Option<String> {
        if self.whole.fields() == whole.fields() {
            return None;
        }
        let found = match Projection::new(whole, self.options.columns.as_deref()) {
            Ok(projection) if projection != self.projection => {
                return Some(format!(
                    "columns at the same places, found {} in another order",
                    quoted(&projection.columns.join(", "))
                ));
            }
            Ok(projection) => projection.schema(whole),
            Err(error) => return Some(error.message().to_owned()),
        };
        (self.schema.fields() != found.fields()).then(|| column_difference(&self.schema, &found))
    }
}
