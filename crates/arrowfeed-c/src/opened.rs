//! Options to files and datasets.

use std::path::PathBuf;

use arrowfeed::predicate::Predicate;
use arrowfeed::source::Interrupt;
use arrowfeed::source::run::{AddedColumns, FileSet};
use arrowfeed::{Dataset, DatasetOptions, Partitioning, TensorDefinitions};

use crate::error::Error;
use crate::files::files;
use crate::formats::{self, Common};
use crate::options::tensors::definitions;
use crate::options::{OpenOptions, Partitioned, parse};

/// Files of one format, and the rows of them that are selected.
pub(crate) struct Opened {
    files: FileSet,
    filter: Option<Predicate>,
    skip: u64,
    take: Option<u64>,
    index: Option<PathBuf>,
    tensors: Option<TensorDefinitions>,
}

impl Opened {
    /// Parses options, and opens the first file.
    pub(crate) fn new(text: &str, interrupt: Option<&Interrupt>) -> Result<Self, Error> {
        let options: OpenOptions = parse(text, "options")?;
        let filter = options.filter.as_deref().map(str::parse::<Predicate>).transpose();
        let filter = filter.map_err(|error| Error::options(format!("filter: {error}")))?;
        let partitioning = match &options.partitioning {
            None => None,
            Some(Partitioned::Hive) => Some(Partitioning::Hive),
            Some(Partitioned::Columns(columns)) => {
                Some(Partitioning::Schema(columns.schema("partitioning")?))
            }
        };
        let rule_out = |sources| match (&partitioning, &filter) {
            (Some(partitioning), Some(filter)) => partitioning.rule_out(sources, filter),
            _ => sources,
        };
        let (sources, format) = files(&options, rule_out, interrupt)?;
        let OpenOptions { columns, exclude, limits, skip, take, index, tensors, .. } = options;
        let added = [&options.file_column, &options.row_column].iter().any(|column| column.is_some())
            || partitioning.is_some();
        // Added columns may be selected too, so columns are selected after them.
        let (of_format, selected) = match added {
            true => ((None, None), (columns, exclude)),
            false => ((columns, exclude), (None, None)),
        };
        let common = Common { columns: of_format.0, exclude: of_format.1, limits: limits.0.into() };
        let mut files = formats::open(format, sources, text, common, interrupt)?;
        if added {
            let of_files =
                partitioning.map_or(Ok(Vec::new()), |partitioning| partitioning.columns(&files))?;
            let (file, row) = (options.file_column, options.row_column);
            files = files.with_added_columns(AddedColumns { of_files, file, row, order: None })?;
            files = files.selecting(selected.0.as_deref(), selected.1.as_deref())?;
        }
        let tensors = tensors.map(definitions);
        Ok(Self { files, filter, skip, take, index, tensors })
    }

    /// The rows as record batches of all columns.
    pub(crate) fn batches(&self, interrupt: Option<&Interrupt>) -> Result<Dataset, Error> {
        self.dataset(Some(TensorDefinitions::Representations(Vec::new())), interrupt)
    }

    /// The rows as tensors.
    pub(crate) fn tensors(&self, interrupt: Option<&Interrupt>) -> Result<Dataset, Error> {
        self.dataset(self.tensors.clone(), interrupt)
    }

    fn dataset(
        &self,
        tensors: Option<TensorDefinitions>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, Error> {
        let options = DatasetOptions { tensors, index: self.index.clone(), interrupt: interrupt.cloned() };
        let mut dataset = Dataset::open(self.files.clone(), options)?;
        if let Some(filter) = &self.filter {
            dataset = dataset.filter(filter)?;
        }
        if self.skip > 0 {
            dataset = dataset.skip(self.skip);
        }
        Ok(match self.take {
            Some(count) => dataset.take(count),
            None => dataset,
        })
    }
}
