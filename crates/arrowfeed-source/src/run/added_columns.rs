//! Columns that are not stored in the files: one value for all rows of a file, and the numbers of rows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema};

use super::batch_columns::{Added, Column, FileColumn, PARTITIONS};
use super::file_set::FileSet;
use super::files::Files;
use crate::field_path::field_path;
use crate::{FeedError, FeedErrorKind, crc32c, quoted};

/// Columns to add to those of files, see [`FileSet::with_added_columns`].
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::StringArray;
/// use arrow_schema::{DataType, Field};
/// use arrowfeed_source::run::{AddedColumns, FileColumn};
///
/// // Two files, of two countries.
/// let field = Arc::new(Field::new("country", DataType::Utf8, true));
/// let values = Arc::new(StringArray::from(vec!["de", "fr"]));
/// let added = AddedColumns {
///     of_files: vec![FileColumn { field, values, stored: None }],
///     row: Some("row".to_owned()),
///     ..AddedColumns::default()
/// };
/// assert!(added.file.is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct AddedColumns {
    /// Columns whose value is the same for all rows of a file.
    pub of_files: Vec<FileColumn>,
    /// Name of a column with the name of the file: its path, or its URL without secrets.
    pub file: Option<String>,
    /// Name of a column with the number of the row in its file, from 0. Skipped rows count.
    pub row: Option<String>,
    /// The names of all columns in order. `None`: those of the files, then those that are added.
    pub order: Option<Vec<String>>,
}

impl FileSet {
    /// Adds columns after those of the files: first the values of the files, then the name of the file, then the number
    /// of the row. Finding row numbers may scan the chunks of a file up to the row. Add columns before
    /// [`with_columns`](Self::with_columns), which may name them.
    ///
    /// # Errors
    /// Two added columns have the same name; the column of the name or the number has the name of a column of the files; an
    /// array does not have one value for each file.
    pub fn with_added_columns(self, added: AddedColumns) -> Result<Self, FeedError> {
        let AddedColumns { of_files, file, row, order } = added;
        let replacing = of_files.iter().filter(|column| column.stored.is_none());
        let replacing: HashSet<&str> = replacing.map(|column| column.field.name().as_str()).collect();
        let stored = self.format().schema().fields();
        let is_replaced = |field: &&FieldRef| replacing.contains(field.name().as_str());
        let format = match stored.iter().any(|field| is_replaced(&field)) {
            true => {
                self.format().check_complete()?;
                let kept = stored.iter().filter(|field| !is_replaced(field));
                self.format()
                    .with_columns(&kept.map(|field| field_path([field.name()])).collect::<Vec<_>>())?
            }
            false => self.format().clone(),
        };
        let mut all: Vec<Column> = Vec::new();
        for FileColumn { field, values, stored } in of_files {
            if values.len() != self.len() {
                let (files, found) = (self.len(), values.len());
                let message = format!("expected a value for each of {files} files, found {found}");
                return Err(FeedError::new(FeedErrorKind::Internal, message).in_field(field.name()));
            }
            all.push(Column { field, of_files: Some(values), stored, argument: PARTITIONS });
        }
        let mut add = |name, data_type, of_files, argument| {
            let field = Arc::new(Field::new(name, data_type, false));
            all.push(Column { field, of_files, stored: None, argument });
        };
        if let Some(name) = file {
            add(name, DataType::Utf8, Some(file_names(&self.files)), "file_column");
        }
        if let Some(name) = row {
            add(name, DataType::Int64, None, "row_column");
        }
        let mut taken: HashSet<&str> = format.schema().fields().iter().map(|field| &**field.name()).collect();
        let replaces = |column: &&Column| column.stored.is_none();
        if let Some(column) = all.iter().filter(replaces).find(|column| !taken.insert(column.field.name())) {
            let (argument, found) = (column.argument, quoted(column.field.name()));
            let message = format!("{argument}: expected a name that no other column has, found {found}");
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let (all, order) = (all.into(), order.map(Into::into));
        let none = Added { all, order, read: Arc::default(), schema: Arc::new(Schema::empty()) };
        let paths: Vec<String> =
            none.with_all(format.schema()).fields().iter().map(|field| field_path([field.name()])).collect();
        let added = none.reading(none.sources(format.schema(), &paths), format.schema());
        Ok(self.with_format(format, added))
    }
}

impl FileSet {
    /// The same rows, of which only the columns `kept` are read, as field paths. The last two columns are the name of the file and
    /// the number of the row, as in [`AddedColumns`]. They have the names `file` and `row`, which no other column has.
    ///
    /// # Errors
    /// A column does not exist.
    pub fn traced(&self, [file, row]: [&str; 2], kept: &[String]) -> Result<Self, FeedError> {
        let column = |name: &str, data_type, of_files, argument| {
            let field = Arc::new(Field::new(name, data_type, false));
            Column { field, of_files, stored: None, argument }
        };
        let names = column(file, DataType::Utf8, Some(file_names(&self.files)), "file_column");
        let numbers = column(row, DataType::Int64, None, "row_column");
        let (before, order) = match &self.added {
            Some(added) => (added.all.to_vec(), added.order.clone()),
            None => (Vec::new(), None),
        };
        let all = before.into_iter().chain([names, numbers]).collect();
        let added = Added { all, order, read: Arc::default(), schema: Arc::new(Schema::empty()) };
        let columns = kept.iter().cloned().chain([file, row].map(|name| field_path([name])));
        let columns = columns.collect::<Vec<_>>().into();
        Self { added: Some(Arc::new(added)), ..self.clone() }.rebuilt(Some(columns), self.levels.clone())
    }

    /// Checksum of the values that [`AddedColumns::of_files`] adds to the rows of some of the files, whatever columns are read; `None`:
    /// no such columns.
    pub fn partition_checksum(&self, files: &[usize]) -> Option<u32> {
        let columns = self.added.iter().flat_map(|added| added.all.iter());
        let columns = columns.filter(|column| column.argument == PARTITIONS);
        let mut texts = String::new();
        for Column { field, of_files, stored, .. } in columns {
            texts.push_str(&format!("{:?}:", field.name()));
            for (number, &file) in files.iter().enumerate() {
                let is_stored = stored.as_ref().is_some_and(|stored| stored.value(file));
                if let Some(values) = of_files.as_ref().filter(|_| !is_stored) {
                    texts.push_str(&format!("{number} {:?}", values.slice(file, 1)));
                }
            }
        }
        (!texts.is_empty()).then(|| crc32c(texts.as_bytes()))
    }
}

fn file_names(files: &Files) -> ArrayRef {
    let names = (0..files.entries.len()).map(|file| files.name(file));
    Arc::new(StringArray::from_iter_values(names))
}
