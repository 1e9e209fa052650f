//! Columns that are not stored in the files: one value for all rows of a file, and the numbers of rows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrowfeed_predicate::{Lists, Node, Predicate};

use super::added_file::{FileWithColumns, Repeated, Values, internal};
use super::file_set::FileSet;
use super::files::Files;
use crate::field_path::{field_path, first_steps};
use crate::format::{FileFormat, FormatFile};
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

/// A column whose value is the same for all rows of a file. It replaces a column of the files with the same name.
///
/// [`AddedColumns`] has an example.
#[derive(Debug, Clone)]
pub struct FileColumn {
    /// The column.
    pub field: FieldRef,
    /// One value for each file.
    pub values: ArrayRef,
    /// The files whose own column counts instead of the value. `None`: no file.
    pub stored: Option<BooleanBuffer>,
}

/// The argument that asks for the columns of [`AddedColumns::of_files`].
const PARTITIONS: &str = "partitioning";

/// The added columns of a set of files, and the columns of its batches.
#[derive(Debug, Clone)]
pub(super) struct Added {
    all: Arc<[Column]>,
    order: Option<Arc<[String]>>,
    /// The columns of a batch, in order.
    read: Arc<[Source]>,
    schema: SchemaRef,
}

/// The source of a column of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    /// The column of the format with this index.
    Format(usize),
    /// The added column with this index.
    Added(usize),
    /// The column of the format in some files, and the added column in the others.
    Either { format: usize, added: usize },
}

#[derive(Debug, Clone)]
struct Column {
    field: FieldRef,
    /// One value for each file. `None`: the numbers of the rows.
    of_files: Option<ArrayRef>,
    /// The files whose own column counts instead of the value.
    stored: Option<BooleanBuffer>,
    /// The argument that asks for the column, for messages.
    argument: &'static str,
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

/// Which files have no row that passes these predicates, because the values of the columns do not. A part of a conjunction counts
/// if it names no other column. `None`: no part counts.
///
/// # Errors
/// A part cannot be compared with the type of its column.
pub fn refused_files<'a>(
    columns: &[FileColumn],
    predicates: impl Iterator<Item = &'a Predicate>,
) -> Result<Option<Vec<bool>>, FeedError> {
    let Some(first) = columns.first() else { return Ok(None) };
    let field = |column: &FileColumn| column.field.as_ref().clone().with_nullable(true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let (files, values) = (first.values.len(), columns.iter().map(|column| column.values.clone()).collect());
    let batch = RecordBatch::try_new(schema.clone(), values).map_err(internal)?;
    let named = |path: &str| columns.iter().find(|column| is_named(path, &column.field));
    let mut refused = None;
    for predicate in predicates {
        let parts = match predicate.node() {
            Node::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(predicate),
        };
        for part in parts {
            let Some(of_part) = part.columns().iter().map(|path| named(path)).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let keeps = part.compile(&schema, Lists::AreValues).and_then(|part| part.keeps(&batch));
            let keeps = keeps.map_err(|error| FeedError::new(FeedErrorKind::Options, error.to_string()))?;
            let is_stored = |file: usize| {
                of_part.iter().any(|column| column.stored.as_ref().is_some_and(|stored| stored.value(file)))
            };
            let refused = refused.get_or_insert_with(|| vec![false; files]);
            for (file, refused) in refused.iter_mut().enumerate() {
                *refused |= !keeps.value(file) && !is_stored(file);
            }
        }
    }
    Ok(refused)
}

/// Whether a field path names a column of files.
fn is_named(path: &str, field: &Field) -> bool {
    first_steps(path).any(|(name, rest)| rest.is_empty() && name == field.name().as_str())
}

fn file_names(files: &Files) -> ArrayRef {
    let names = (0..files.entries.len()).map(|file| files.name(file));
    Arc::new(StringArray::from_iter_values(names))
}

impl Added {
    /// The same added columns, of which some are read, and columns of the format.
    fn reading(&self, read: Arc<[Source]>, stored: &Schema) -> Self {
        let field = |source: &Source| match source {
            Source::Format(column) => stored.fields()[*column].clone(),
            Source::Added(column) | Source::Either { added: column, .. } => self.all[*column].field.clone(),
        };
        let fields: Vec<FieldRef> = read.iter().map(field).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, stored.metadata().clone()));
        Self { read, schema, ..self.clone() }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Selects the columns of these field paths, also those of the format.
    pub(super) fn with_columns(
        &self,
        format: &dyn FileFormat,
        paths: &[String],
    ) -> Result<(Arc<dyn FileFormat>, Self), FeedError> {
        let added = |path: &String| self.position(path);
        let is_only_added =
            |path: &&String| added(path).is_some_and(|column| self.all[column].stored.is_none());
        let of_format: Vec<String> = paths.iter().filter(|path| !is_only_added(path)).cloned().collect();
        let format = format.with_columns(&of_format)?;
        let read = self.sources(format.schema(), paths);
        let added = self.reading(read, format.schema());
        Ok((format, added))
    }

    /// The sources of the columns with these field paths, and then of the other columns of the format.
    fn sources(&self, stored: &Schema, paths: &[String]) -> Arc<[Source]> {
        let numbered =
            stored.fields().iter().enumerate().map(|(number, field)| (field.name().as_str(), number));
        let numbers: HashMap<&str, usize> = numbered.collect();
        let source = |path: &String| {
            let number = first_steps(path).filter_map(|(name, _)| numbers.get(&*name)).last().copied();
            match (self.position(path), number) {
                (Some(added), Some(format)) if self.all[added].stored.is_some() => {
                    Some(Source::Either { format, added })
                }
                (Some(added), _) => Some(Source::Added(added)),
                (None, number) => number.map(Source::Format),
            }
        };
        let all_stored = (0..stored.fields().len()).map(Source::Format);
        let mut seen = HashSet::new();
        let is_new = |source: &Source| {
            seen.insert(match source {
                Source::Either { format, .. } => Source::Format(*format),
                other => *other,
            })
        };
        paths.iter().filter_map(source).chain(all_stored).filter(is_new).collect()
    }

    /// All columns of the files that no added column replaces, and all added columns.
    pub(super) fn with_all(&self, stored: &Schema) -> SchemaRef {
        let added = self.all.iter().map(|column| &column.field);
        let is_replaced =
            |field: &&FieldRef| self.all.iter().any(|column| column.field.name() == field.name());
        let kept = stored.fields().iter().filter(|field| !is_replaced(field));
        let mut fields: Vec<FieldRef> = kept.chain(added).cloned().collect();
        if let Some(order) = &self.order {
            let place = |field: &FieldRef| order.iter().position(|name| name == field.name());
            fields.sort_by_cached_key(|field| place(field).unwrap_or(usize::MAX));
        }
        Arc::new(Schema::new_with_metadata(fields, stored.metadata().clone()))
    }

    /// The field paths of the file name and the row number that are not among `columns`. Only these have an argument of
    /// their own.
    pub(super) fn requested<'a>(&'a self, columns: &'a [String]) -> impl Iterator<Item = String> + 'a {
        let named: HashSet<usize> = columns.iter().filter_map(|path| self.position(path)).collect();
        let own = self.all.iter().enumerate().filter(|(_, column)| column.argument != PARTITIONS);
        own.filter(move |(number, _)| !named.contains(number))
            .map(|(_, column)| field_path([column.field.name()]))
    }

    /// The index of the added column that a field path names.
    pub(super) fn position(&self, path: &str) -> Option<usize> {
        self.all.iter().position(|column| is_named(path, &column.field))
    }

    /// Which files have no row that passes these predicates, because of the values of the files. `None`: no predicate has only
    /// such values.
    pub(super) fn pruned<'a>(
        &self,
        predicates: impl Iterator<Item = &'a Predicate>,
    ) -> Result<Option<Vec<bool>>, FeedError> {
        let of_file = |column: &Column| {
            let (field, stored) = (column.field.clone(), column.stored.clone());
            Some(FileColumn { field, values: column.of_files.clone()?, stored })
        };
        refused_files(&self.all.iter().filter_map(of_file).collect::<Vec<_>>(), predicates)
    }

    /// The columns of one of the files.
    pub(super) fn of_file(&self, file: usize) -> Self {
        let of_file = |column: &Column| Column {
            field: column.field.clone(),
            of_files: column.of_files.as_ref().map(|values| values.slice(file, 1)),
            stored: column.stored.as_ref().map(|stored| stored.slice(file, 1)),
            argument: column.argument,
        };
        Self { all: self.all.iter().map(of_file).collect(), ..self.clone() }
    }

    /// Adds the columns to the batches of an open file, whose number is `file`.
    pub(super) fn to_file(
        &self,
        (file, name): (usize, &Arc<str>),
        open: Arc<dyn FormatFile>,
        format: &dyn FileFormat,
    ) -> Arc<dyn FormatFile> {
        if self.read.iter().copied().eq((0..format.schema().fields().len()).map(Source::Format)) {
            return open;
        }
        let is_stored =
            |column: usize| self.all[column].stored.as_ref().is_some_and(|stored| stored.value(file));
        let values = |source: &Source| match source {
            Source::Format(column) => Values::OfFormat(*column),
            Source::Either { format, added } if is_stored(*added) => Values::OfFormat(*format),
            Source::Added(column) | Source::Either { added: column, .. } => match &self.all[*column].of_files
            {
                Some(values) => Values::Repeated(Repeated::new(values.slice(file, 1))),
                None => Values::RowNumbers,
            },
        };
        let values: Vec<Values> = self.read.iter().map(values).collect();
        let columns = (self.schema.clone(), values);
        Arc::new(FileWithColumns::new(open, columns, name.clone(), format.limits().clone()))
    }
}
