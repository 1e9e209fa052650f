//! The columns of batches: those of the format, and added ones.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use arrowfeed_predicate::{Lists, Node, Predicate};

use super::added_file::{FileWithColumns, Repeated, Values, internal};
use crate::field_path::{field_path, first_steps};
use crate::format::{FileFormat, FormatFile};
use crate::{FeedError, FeedErrorKind};

/// A column whose value is the same for all rows of a file. It replaces a column of the files with the same name.
///
/// [`AddedColumns`](super::AddedColumns) has an example.
#[derive(Debug, Clone)]
pub struct FileColumn {
    /// The column.
    pub field: FieldRef,
    /// One value for each file.
    pub values: ArrayRef,
    /// The files whose own column counts instead of the value. `None`: no file.
    pub stored: Option<BooleanBuffer>,
}

/// The argument that asks for the columns of [`AddedColumns::of_files`](super::AddedColumns::of_files).
pub(super) const PARTITIONS: &str = "partitioning";

/// The added columns of a set of files, and the columns of its batches.
#[derive(Debug, Clone)]
pub(super) struct Added {
    pub(super) all: Arc<[Column]>,
    pub(super) order: Option<Arc<[String]>>,
    /// The columns of a batch, in order.
    pub(super) read: Arc<[Source]>,
    pub(super) schema: SchemaRef,
}

/// The source of a column of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// The column of the format with this index.
    Format(usize),
    /// The added column with this index.
    Added(usize),
    /// The column of the format in some files, and the added column in the others.
    Either { format: usize, added: usize },
}

/// An added column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) field: FieldRef,
    /// One value for each file. `None`: the numbers of the rows.
    pub(super) of_files: Option<ArrayRef>,
    /// The files whose own column counts instead of the value.
    pub(super) stored: Option<BooleanBuffer>,
    /// The argument that asks for the column, for messages.
    pub(super) argument: &'static str,
}

impl Added {
    /// The same added columns, of which some are read, and columns of the format.
    pub(super) fn reading(&self, read: Arc<[Source]>, stored: &Schema) -> Self {
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
    pub(super) fn sources(&self, stored: &Schema, paths: &[String]) -> Arc<[Source]> {
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

/// The schema of the rows that are decoded.
pub(super) fn schema_of<'a>(format: &'a Arc<dyn FileFormat>, added: Option<&'a Arc<Added>>) -> &'a SchemaRef {
    added.map_or_else(|| format.schema(), |added| added.schema())
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
