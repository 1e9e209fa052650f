//! Options to files and datasets.

use std::path::PathBuf;

use arrowfeed::predicate::Predicate;
use arrowfeed::source::Interrupt;
use arrowfeed::source::options::Object;
use arrowfeed::source::run::FileSet;
use arrowfeed::{Dataset, DatasetOptions, TensorDefinitions};

use crate::error::Error;
use crate::options::tensors::definitions;
use crate::options::{OpenOptions, of_format, parse};
use crate::stores;

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
        let mut open = arrowfeed::open_all(&options.paths);
        open = stores::set(open, &options)?;
        if let Some(format) = options.format {
            open = open.format(format);
        }
        if let Some(interrupt) = interrupt {
            open = open.interrupt(interrupt.clone());
        }
        if let Some(filter) = &filter {
            open = open.filter_by(filter.clone());
        }
        let OpenOptions { columns, exclude, limits: Object(limits), skip, take, index, tensors, .. } =
            options;
        if let Some(columns) = columns {
            open = open.columns(columns);
        }
        if let Some(exclude) = exclude {
            open = open.exclude(exclude);
        }
        if let Some(partitioning) = options.partitioning {
            open = open.partitioned(partitioning);
        }
        if let Some(name) = options.file_column {
            open = open.file_column(name);
        }
        if let Some(name) = options.row_column {
            open = open.row_column(name);
        }
        let found = open.limits(limits).find()?;
        let (of_format, given) = of_format(found.format(), text)?;
        let is_given = |name: &str| given.iter().any(|given| given == name);
        let files = found.options(of_format, is_given)?.files()?;
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
