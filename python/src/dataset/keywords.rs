//! The keywords of a dataset in the form that its pickles keep, and the object that a constructor returns.

use arrowfeed::formats::AddedToFiles;
use arrowfeed::source::Interrupt;
use arrowfeed::source::run::FileSet;
use arrowfeed::{DatasetError, DatasetOptions, FeedError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::base::{Class, ConstructorArgs, Dataset, DatasetClass};
use crate::added_columns::AddedKeywords;
use crate::argument_types::Argument;
use crate::call::caught;
use crate::errors::dataset_error;
use crate::exported::check_schema;
use crate::signals;
use crate::store_arguments::StoreKeywords;
use crate::stores::{StoreArguments, warn_of_servers_without_ranges};
use crate::tensor::tensor_definitions;

/// The keywords that a constructor was called with. None stands for the default of each.
#[derive(Clone)]
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// Keeps a value that later changes by the caller do not affect.
    pub(crate) fn keep(&self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<()> {
        self.0.set_item(name, value)
    }

    /// Keeps the default of a keyword.
    pub(crate) fn forget(&self, name: &str) -> PyResult<()> {
        if self.0.contains(name)? { self.0.del_item(name) } else { Ok(()) }
    }

    /// Sets a field to the value of an argument, and keeps the value.
    pub(crate) fn set<T: Argument>(
        &self,
        field: &mut T,
        name: &str,
        given: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let Some(given) = given else { return Ok(()) };
        *field = T::parse(name, &given)?;
        self.keep(name, field.picklable(given)?)
    }

    /// Converts and keeps the arguments of added columns.
    pub(crate) fn added_columns(&self, added: AddedKeywords<'py>) -> PyResult<AddedToFiles> {
        let AddedKeywords { partitioning, file_column, row_column } = added;
        let mut added = AddedToFiles::default();
        self.set(&mut added.partitioning, "partitioning", partitioning)?;
        self.set(&mut added.file_column, "file_column", file_column)?;
        self.set(&mut added.row_column, "row_column", row_column)?;
        Ok(added)
    }

    /// Converts and keeps the store arguments.
    pub(crate) fn stores(&self, stores: &StoreKeywords<'py>) -> PyResult<StoreArguments> {
        for (name, value) in stores.by_name() {
            if let Some(value) = value {
                self.keep(name, value)?;
            }
        }
        StoreArguments::new(stores)
    }

    /// Converts and keeps the arguments that all formats have.
    pub(crate) fn dataset_options(
        &self,
        features: Option<Bound<'py, PyAny>>,
        representations: Option<Bound<'py, PyAny>>,
        index: Option<Bound<'py, PyAny>>,
    ) -> PyResult<DatasetOptions> {
        for (name, given) in [("features", &features), ("representations", &representations)] {
            if let Some(given) = given {
                self.keep(name, given.py().import("copy")?.call_method1("copy", (given,))?)?;
            }
        }
        let tensors = tensor_definitions(features, representations)?;
        let mut options = DatasetOptions { tensors, ..Default::default() };
        self.set(&mut options.index, "index", index)?;
        Ok(options)
    }

    /// Opens a dataset of files: see [`open`](Self::open).
    pub(crate) fn open_files<T: DatasetClass, S: Send>(
        self,
        sources: (S, Py<PyAny>),
        options: DatasetOptions,
        files: impl FnOnce(S, &Interrupt) -> Result<FileSet, FeedError> + Send,
    ) -> PyResult<PyClassInitializer<T>> {
        self.open(sources, |sources, interrupt| {
            let options = DatasetOptions { interrupt: Some(interrupt.clone()), ..options };
            arrowfeed::Dataset::open(files(sources, interrupt)?, options)
        })
    }

    /// Opens a dataset from `sources`. `source` is their picklable form.
    pub(crate) fn open<T: DatasetClass, S: Send>(
        self,
        (sources, source): (S, Py<PyAny>),
        open: impl FnOnce(S, &Interrupt) -> Result<arrowfeed::Dataset, DatasetError> + Send,
    ) -> PyResult<PyClassInitializer<T>> {
        let py = self.0.py();
        let interrupt = signals::interrupt_of_call(py)?;
        let dataset = py.detach(|| caught(|| open(sources, &interrupt)));
        let dataset = dataset.map_err(|error| dataset_error(py, error))?;
        check_schema(py, dataset.arrow_schema())?;
        warn_of_servers_without_ranges(py)?;
        let schema = dataset.arrow_schema().clone();
        let made = ConstructorArgs {
            class: Class::of::<T>(),
            source,
            keywords: self.0.unbind(),
            names: None,
            maps: Vec::new(),
            schema,
        };
        Ok(PyClassInitializer::from(Dataset::new(dataset, made)).add_subclass(T::default()))
    }
}
