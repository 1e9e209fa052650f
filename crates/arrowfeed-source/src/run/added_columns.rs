//! Columns that are not stored in the files: one value for all rows of a file, and the numbers of rows.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray, UInt32Array, new_null_array,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow_select::take::take;
use arrowfeed_predicate::{Lists, Node, Predicate};

use super::file_set::FileSet;
use super::files::Files;
use super::row_starts::RowStarts;
use crate::field_path::{field_path, first_steps};
use crate::format::{
    ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, LocatedBatch, PassingShare, RowOrigin, Unit,
    UnitDecoder, stretches,
};
use crate::io::Fingerprint;
use crate::{Check, FeedError, FeedErrorKind, ForkLock, Limits, OnError, Report, quoted, thousands};

/// Columns to add to those of files, see [`FileSet::with_added_columns`].
#[derive(Debug, Clone, Default)]
pub struct AddedColumns {
    /// Columns whose value is the same for all rows of a file. Each array has one value for each file. Such a column
    /// replaces a column of the files with the same name.
    pub of_files: Vec<(FieldRef, ArrayRef)>,
    /// Name of a column with the name of the file: its path, or its URL without secrets.
    pub file: Option<String>,
    /// Name of a column with the number of the row in its file, from 0. Skipped rows count.
    pub row: Option<String>,
}

/// The added columns of a set of files, and the columns of its batches.
#[derive(Debug, Clone)]
pub(super) struct Added {
    all: Arc<[Column]>,
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
}

#[derive(Debug, Clone)]
struct Column {
    field: FieldRef,
    /// One value for each file. `None`: the numbers of the rows.
    of_files: Option<ArrayRef>,
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
        let AddedColumns { of_files, file, row } = added;
        let replacing: HashSet<&str> = of_files.iter().map(|(field, _)| field.name().as_str()).collect();
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
        for (field, values) in of_files {
            if values.len() != self.len() {
                let (files, found) = (self.len(), values.len());
                let message = format!("expected a value for each of {files} files, found {found}");
                return Err(FeedError::new(FeedErrorKind::Internal, message).in_field(field.name()));
            }
            all.push(Column { field, of_files: Some(values), argument: "partitioning" });
        }
        let mut add = |name, data_type, of_files, argument| {
            all.push(Column { field: Arc::new(Field::new(name, data_type, false)), of_files, argument });
        };
        if let Some(name) = file {
            add(name, DataType::Utf8, Some(file_names(&self.files)), "file_column");
        }
        if let Some(name) = row {
            add(name, DataType::Int64, None, "row_column");
        }
        let mut taken: HashSet<&str> = format.schema().fields().iter().map(|field| &**field.name()).collect();
        if let Some(column) = all.iter().find(|column| !taken.insert(column.field.name())) {
            let (argument, found) = (column.argument, quoted(column.field.name()));
            let message = format!("{argument}: expected a name that no other column has, found {found}");
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let stored = (0..format.schema().fields().len()).map(Source::Format);
        let read = stored.chain((0..all.len()).map(Source::Added)).collect();
        let added = Added::new(all.into(), read, format.schema());
        Ok(self.with_format(format, added))
    }
}

fn file_names(files: &Files) -> ArrayRef {
    let names = (0..files.entries.len()).map(|file| files.name(file));
    Arc::new(StringArray::from_iter_values(names))
}

impl Added {
    fn new(all: Arc<[Column]>, read: Arc<[Source]>, stored: &Schema) -> Self {
        let field = |source: &Source| match source {
            Source::Format(column) => stored.fields()[*column].clone(),
            Source::Added(column) => all[*column].field.clone(),
        };
        let fields: Vec<FieldRef> = read.iter().map(field).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, stored.metadata().clone()));
        Self { all, read, schema }
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
        let of_format: Vec<String> = paths.iter().filter(|path| added(path).is_none()).cloned().collect();
        let format = match format.with_columns(&of_format) {
            // A format may need at least one column, which is then dropped.
            Err(_) if of_format.is_empty() => {
                let first = format.schema().fields().iter().take(1).map(|field| field_path([field.name()]));
                format.with_columns(&first.collect::<Vec<_>>())?
            }
            selected => selected?,
        };
        let stored = format.schema().fields();
        let numbered = stored.iter().enumerate().map(|(number, field)| (field.name().as_str(), number));
        let numbers: HashMap<&str, usize> = numbered.collect();
        let source = |path: &String| match added(path) {
            Some(column) => Some(Source::Added(column)),
            None => {
                let number = first_steps(path).filter_map(|(name, _)| numbers.get(&*name)).last();
                number.map(|number| Source::Format(*number))
            }
        };
        let all_stored = (0..stored.len()).map(Source::Format).filter(|_| !of_format.is_empty());
        let mut seen = HashSet::new();
        let read = paths.iter().filter_map(source).chain(all_stored).filter(|source| seen.insert(*source));
        let added = Self::new(self.all.clone(), read.collect(), format.schema());
        Ok((format, added))
    }

    /// All columns of the files that no added column replaces, and all added columns.
    pub(super) fn with_all(&self, stored: &Schema) -> SchemaRef {
        let added = self.all.iter().map(|column| &column.field);
        let is_replaced =
            |field: &&FieldRef| self.all.iter().any(|column| column.field.name() == field.name());
        let kept = stored.fields().iter().filter(|field| !is_replaced(field));
        let fields: Vec<FieldRef> = kept.chain(added).cloned().collect();
        Arc::new(Schema::new_with_metadata(fields, stored.metadata().clone()))
    }

    /// The index of the added column that a field path names.
    pub(super) fn position(&self, path: &str) -> Option<usize> {
        let is_named = |column: &Column| {
            first_steps(path).any(|(name, rest)| rest.is_empty() && name == column.field.name().as_str())
        };
        self.all.iter().position(is_named)
    }

    /// Which files have no row that passes these predicates, because of the values of the files. `None`: no predicate has only
    /// such values.
    pub(super) fn pruned<'a>(
        &self,
        predicates: impl Iterator<Item = &'a Predicate>,
    ) -> Result<Option<Vec<bool>>, FeedError> {
        let of_files = self.all.iter().filter_map(|column| Some((&column.field, column.of_files.clone()?)));
        let (fields, values): (Vec<FieldRef>, Vec<ArrayRef>) = of_files
            .map(|(field, values)| (Arc::new(field.as_ref().clone().with_nullable(true)), values))
            .unzip();
        let Some(first) = values.first() else { return Ok(None) };
        let (files, schema) = (first.len(), Arc::new(Schema::new(fields)));
        let batch = RecordBatch::try_new(schema.clone(), values).map_err(internal)?;
        let is_of_files =
            |path: &&str| self.position(path).is_some_and(|column| self.all[column].of_files.is_some());
        let mut pruned = None;
        for predicate in predicates {
            let parts = match predicate.node() {
                Node::And(parts) => parts.as_slice(),
                _ => std::slice::from_ref(predicate),
            };
            for part in parts.iter().filter(|part| part.columns().iter().all(is_of_files)) {
                let keeps = part.compile(&schema, Lists::AreValues).and_then(|part| part.keeps(&batch));
                let keeps =
                    keeps.map_err(|error| FeedError::new(FeedErrorKind::Options, error.to_string()))?;
                let pruned = pruned.get_or_insert_with(|| vec![false; files]);
                pruned.iter_mut().zip(keeps.values()).for_each(|(pruned, keeps)| *pruned |= !keeps);
            }
        }
        Ok(pruned)
    }

    /// The columns of one of the files.
    pub(super) fn of_file(&self, file: usize) -> Self {
        let of_file = |column: &Column| Column {
            field: column.field.clone(),
            of_files: column.of_files.as_ref().map(|values| values.slice(file, 1)),
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
        let values = |source: &Source| match source {
            Source::Format(column) => Values::OfFormat(*column),
            Source::Added(column) => match &self.all[*column].of_files {
                Some(values) => Values::Repeated(Repeated::new(values.slice(file, 1))),
                None => Values::RowNumbers,
            },
        };
        let values: Vec<Values> = self.read.iter().map(values).collect();
        let has_numbers = values.iter().any(|values| matches!(values, Values::RowNumbers));
        let (schema, name, limits) = (self.schema.clone(), name.clone(), format.limits().clone());
        let starts = has_numbers.then(|| Arc::new(RowStarts::new(open.body().start, limits.clone())));
        Arc::new(File { schema, name, open, values, starts, limits })
    }
}

/// An open file with added columns.
#[derive(Debug)]
struct File {
    schema: SchemaRef,
    name: Arc<str>,
    open: Arc<dyn FormatFile>,
    /// The values of each column of a batch.
    values: Vec<Values>,
    /// The rows before each chunk, if the numbers of the rows are read.
    starts: Option<Arc<RowStarts>>,
    limits: Limits,
}

/// The values of a column of a batch.
#[derive(Debug)]
enum Values {
    /// Those of the column of the format with this index.
    OfFormat(usize),
    /// A value of the file.
    Repeated(Repeated),
    RowNumbers,
}

/// A value of a file, and the longest array of it that a batch had. Other batches have slices of this array.
#[derive(Debug)]
struct Repeated {
    value: ArrayRef,
    longest: ForkLock<ArrayRef>,
}

impl Repeated {
    /// `value` has one value.
    fn new(value: ArrayRef) -> Self {
        Self { longest: ForkLock::new(value.clone()), value }
    }

    fn array(&self, rows: usize, most: usize) -> Result<ArrayRef, FeedError> {
        let known = self.longest.with(|longest| (longest.len() >= rows).then(|| longest.slice(0, rows)));
        if let Some(known) = known.flatten() {
            return Ok(known);
        }
        let array = if self.value.is_null(0) {
            new_null_array(self.value.data_type(), rows)
        } else {
            let bytes = self.value.to_data().get_slice_memory_size().unwrap_or(0).saturating_mul(rows);
            if bytes > most {
                let (most, bytes) = (thousands(most as u64), thousands(bytes as u64));
                let message = format!(
                    "expected an added column to take at most {most} bytes, found {bytes}: ask for fewer rows"
                );
                return Err(FeedError::limit_reached("batch_bytes", message));
            }
            take(&self.value, &UInt32Array::from(vec![0; rows]), None).map_err(internal)?
        };
        self.longest.with(|longest| *longest = array.clone());
        Ok(array)
    }
}

#[cold]
fn internal(error: arrow_schema::ArrowError) -> FeedError {
    FeedError::new(FeedErrorKind::Internal, "expected added columns that fit the batch").with_source(error)
}

impl FormatFile for File {
    fn fingerprint(&self) -> Option<Fingerprint> {
        self.open.fingerprint()
    }

    fn body(&self) -> Range<u64> {
        self.open.body()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        let scan = self.open.chunks()?;
        Some(match &self.starts {
            Some(starts) => starts.recording(scan),
            None => scan,
        })
    }

    fn is_one_chunk(&self) -> bool {
        self.open.is_one_chunk()
    }

    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        self.open.unit_ranges(unit)
    }

    fn row_bytes(&self, check: &Check<'_>) -> Option<u64> {
        self.open.row_bytes(check)
    }

    fn free_spare_memory(&self) {
        self.open.free_spare_memory();
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        let start = self.open.body().start;
        let starts_file = unit.runs.front().is_some_and(|run| run.range.start <= start && run.dropped == 0);
        let skips = options.on_error == OnError::SkipBlock;
        let is_sequential = starts_file && unit.runs.len() == 1 && !skips;
        let decoder = self.open.clone().decoder(unit, options, claim)?;
        let chunk = None;
        Ok(Box::new(Decoder { file: self, decoder, skips, is_sequential, chunk, failed: false }))
    }

    fn selective_decoder(
        self: Arc<Self>,
        unit: &Unit,
        options: &DecodeOptions,
        claim: &mut Option<Claim>,
        share: &Arc<PassingShare>,
    ) -> Result<Option<Box<dyn UnitDecoder>>, FeedError> {
        if self.starts.is_some() {
            // A selective decoder does not return the numbers of rows in their chunk.
            return Ok(None);
        }
        let Some(decoder) = self.open.clone().selective_decoder(unit, options, claim, share)? else {
            return Ok(None);
        };
        let (skips, is_sequential, chunk) = (false, false, None);
        Ok(Some(Box::new(Decoder { file: self, decoder, skips, is_sequential, chunk, failed: false })))
    }
}

/// A decoder that adds the columns to each batch.
struct Decoder {
    file: Arc<File>,
    decoder: Box<dyn UnitDecoder>,
    /// Whether chunks that cannot be decoded are skipped.
    skips: bool,
    /// Whether the unit has all rows of the first chunks of the file.
    is_sequential: bool,
    /// The chunk of the last row.
    chunk: Option<CurrentChunk>,
    failed: bool,
}

struct CurrentChunk {
    offset: u64,
    /// Number of rows of the file before the chunk.
    start: u64,
    /// Number of rows of the chunk up to the last one that was decoded.
    rows: u64,
}

impl Decoder {
    fn with_columns(&mut self, located: LocatedBatch, check: &Check<'_>) -> Result<LocatedBatch, FeedError> {
        let LocatedBatch { batch, origins } = located;
        let (file, rows) = (self.file.clone(), batch.num_rows());
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(file.values.len());
        for values in &file.values {
            columns.push(match values {
                Values::OfFormat(column) => batch.column(*column).clone(),
                Values::Repeated(repeated) => repeated.array(rows, file.limits.batch_bytes)?,
                Values::RowNumbers => Arc::new(self.row_numbers(&origins, rows, check)?),
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(file.schema.clone(), columns, &options);
        Ok(LocatedBatch { batch: batch.map_err(internal)?, origins })
    }

    fn row_numbers(
        &mut self,
        origins: &[RowOrigin],
        rows: usize,
        check: &Check<'_>,
    ) -> Result<Int64Array, FeedError> {
        let mut numbers: Vec<i64> = Vec::with_capacity(rows);
        for (origin, in_batch) in stretches(origins, rows) {
            let start = self.start_of(origin.offset, check)?;
            let end = origin.before.saturating_add(in_batch.len() as u64);
            self.chunk = Some(CurrentChunk { offset: origin.offset, start, rows: end });
            let number = |row: u64| i64::try_from(start.saturating_add(row)).unwrap_or(i64::MAX);
            numbers.extend(number(origin.before)..number(end));
        }
        Ok(numbers.into())
    }

    /// Number of rows of the file before the chunk at `offset`.
    fn start_of(&self, offset: u64, check: &Check<'_>) -> Result<u64, FeedError> {
        match (&self.chunk, &self.file.starts) {
            (Some(chunk), _) if chunk.offset == offset => Ok(chunk.start),
            (chunk, _) if self.is_sequential => {
                Ok(chunk.as_ref().map_or(0, |chunk| chunk.start.saturating_add(chunk.rows)))
            }
            (_, Some(starts)) if !self.file.open.is_one_chunk() => {
                starts.of_chunk(&*self.file.open, offset, self.skips, check)
            }
            _ => Ok(0),
        }
    }
}

impl UnitDecoder for Decoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        if self.failed {
            return Ok(None);
        }
        let Some(located) = self.decoder.next(check)? else { return Ok(None) };
        let batch = self.with_columns(located, check);
        self.failed = batch.is_err();
        batch.map(Some).map_err(|error| error.in_file(&self.file.name))
    }

    fn take_report(&mut self) -> Report {
        self.decoder.take_report()
    }

    fn recycle(self: Box<Self>) {
        if !self.failed {
            self.decoder.recycle();
        }
    }
}
