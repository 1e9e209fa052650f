//! Files with columns that are not stored in them, and a selection of all columns.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{AddedColumns, FileSet};
use arrowfeed_source::{FeedError, Interrupt};

use super::FormatOptions;
use crate::Partitioning;

/// Columns that are added to those of files. [`open`](Self::open) opens files with them.
///
/// ```
/// # #[cfg(feature = "text")] {
/// use arrowfeed::formats::AddedToFiles;
/// use arrowfeed::source::io::FileSource;
/// use arrowfeed::text::CsvOptions;
///
/// let file = FileSource::bytes(b"id\n1\n".to_vec());
/// let added = AddedToFiles { row_column: Some("row".to_owned()), ..Default::default() };
/// let columns = Some(vec!["row".to_owned(), "id".to_owned()]);
/// let (files, _) = added.open(vec![file], CsvOptions { columns, ..Default::default() }, None, None)?;
/// assert_eq!(files.schema().field(0).name(), "row");
/// # }
/// # Ok::<(), arrowfeed::FeedError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct AddedToFiles {
    /// Columns of the values in the names of directories. Default: none.
    pub partitioning: Option<Partitioning>,
    /// Name of a column with the path of the file. Default: none.
    pub file_column: Option<String>,
    /// Name of a column with the number of the row in its file. Default: none.
    pub row_column: Option<String>,
}

impl AddedToFiles {
    /// Whether there is no such column.
    pub fn is_empty(&self) -> bool {
        self.partitioning.is_none() && self.file_column.is_none() && self.row_column.is_none()
    }

    /// Whether the directories below a directory have files too.
    pub fn searches_below(&self) -> bool {
        self.partitioning.is_some()
    }

    /// Opens files, and adds the columns, which `columns` and `exclude` of the options may name. Also returns the partition
    /// columns. The first file that the filter does not rule out by its directories gives the schema.
    ///
    /// # Errors
    /// Those of [`FormatOptions::files`]; a value of a directory does not have the type of its column; two columns have the same
    /// name.
    pub fn open(
        self,
        mut sources: Vec<FileSource>,
        options: impl Into<FormatOptions>,
        filter: Option<&Predicate>,
        interrupt: Option<&Interrupt>,
    ) -> Result<(FileSet, SchemaRef), FeedError> {
        let mut options = options.into();
        if self.is_empty() {
            return Ok((options.files(sources, interrupt)?, Arc::new(Schema::empty())));
        }
        // The caller may select added columns, which the format does not know.
        let (columns, exclude) = options.selection_mut();
        let (columns, exclude) = (columns.take(), exclude.take());
        if let (Some(partitioning), Some(filter)) = (&self.partitioning, filter) {
            sources = partitioning.rule_out(sources, filter);
        }
        let files = options.files(sources, interrupt)?;
        let of_files = match self.partitioning {
            Some(partitioning) => partitioning.columns(&files)?,
            None => Vec::new(),
        };
        let partitions = Schema::new(of_files.iter().map(|column| column.field.clone()).collect::<Vec<_>>());
        let (file, row) = (self.file_column, self.row_column);
        let files = files.with_added_columns(AddedColumns { of_files, file, row, order: None })?;
        Ok((files.selecting(columns.as_deref(), exclude.as_deref())?, Arc::new(partitions)))
    }
}
