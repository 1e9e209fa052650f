//! Arguments of columns that are not stored in files: `partitioning`, `file_column` and `row_column`.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed::avro::AvroOptions;
use arrowfeed::ipc::IpcOptions;
use arrowfeed::parquet::ParquetOptions;
use arrowfeed::predicate::Predicate;
use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{AddedColumns, FileSet};
use arrowfeed::text::{CsvOptions, JsonLinesOptions};
use arrowfeed::tfrecord::RecordOptions;
use arrowfeed::{FeedError, Partitioning};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::argument::{wrong_type, wrong_value};
use crate::argument_types::Argument;
use crate::formats::Open;

/// The values of the arguments. None stands for the default of each.
pub(crate) struct AddedKeywords<'py> {
    pub(crate) partitioning: Option<Bound<'py, PyAny>>,
    pub(crate) file_column: Option<Bound<'py, PyAny>>,
    pub(crate) row_column: Option<Bound<'py, PyAny>>,
}

/// The arguments.
#[derive(Default)]
pub(crate) struct AddedArguments {
    pub(crate) partitioning: Option<Partitioning>,
    pub(crate) file_column: Option<String>,
    pub(crate) row_column: Option<String>,
}

/// Options of a format that select columns.
pub(crate) trait SelectColumns {
    /// Removes and returns the options `columns` and `exclude`.
    fn take_selection(&mut self) -> (Option<Vec<String>>, Option<Vec<String>>);
}

macro_rules! select_columns {
    ($($options:ty),*) => {
        $(impl SelectColumns for $options {
            fn take_selection(&mut self) -> (Option<Vec<String>>, Option<Vec<String>>) {
                (self.columns.take(), self.exclude.take())
            }
        })*
    };
}

select_columns!(AvroOptions, CsvOptions, IpcOptions, JsonLinesOptions, ParquetOptions, RecordOptions);

impl AddedArguments {
    pub(crate) fn new(keywords: &AddedKeywords<'_>) -> PyResult<Self> {
        let AddedKeywords { partitioning, file_column, row_column } = keywords;
        let (partitioning, file_column) = (partitioning.as_ref(), file_column.as_ref());
        let row_column = row_column.as_ref();
        Ok(parsed!(Self { partitioning, file_column, row_column }))
    }

    /// Whether there is no such column.
    pub(crate) fn is_empty(&self) -> bool {
        self.partitioning.is_none() && self.file_column.is_none() && self.row_column.is_none()
    }

    /// Whether the directories below a directory have files of the source.
    pub(crate) fn searches_below(&self) -> bool {
        self.partitioning.is_some()
    }

    /// Opens files, and adds the columns. Also returns the partition columns. The first file that the filter does not rule out by
    /// its directories gives the schema.
    pub(crate) fn open<O: SelectColumns>(
        self,
        (mut sources, filter): (Vec<FileSource>, Option<&Predicate>),
        mut options: O,
        open: Open<O>,
        interrupt: &Interrupt,
    ) -> Result<(FileSet, SchemaRef), FeedError> {
        if self.is_empty() {
            return Ok((open(sources, options, Some(interrupt))?, Arc::new(Schema::empty())));
        }
        // The caller may select added columns, which the format does not know.
        let (columns, exclude) = options.take_selection();
        if let (Some(partitioning), Some(filter)) = (&self.partitioning, filter) {
            sources = partitioning.rule_out(sources, filter);
        }
        let files = open(sources, options, Some(interrupt))?;
        let of_files = match self.partitioning {
            Some(partitioning) => partitioning.columns(&files)?,
            None => Vec::new(),
        };
        let partitions = Schema::new(of_files.iter().map(|column| column.field.clone()).collect::<Vec<_>>());
        let (file, row) = (self.file_column, self.row_column);
        let added = AddedColumns { of_files, file, row, order: None };
        let files = files.with_added_columns(added)?;
        Ok((files.selecting(columns.as_deref(), exclude.as_deref())?, Arc::new(partitions)))
    }
}

impl Argument for Partitioning {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "\"hive\" or a schema of the partition columns";
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str()? {
                "hive" => Ok(Self::Hive),
                _ => Err(wrong_value(name, EXPECTED, value)),
            };
        }
        match value.hasattr("__arrow_c_schema__")? {
            true => SchemaRef::parse(name, value).map(Self::Schema),
            false => Err(wrong_type(name, EXPECTED, value)),
        }
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Hive => Ok(given),
            Self::Schema(schema) => schema.picklable(given),
        }
    }
}
