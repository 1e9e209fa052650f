//! The formats, one file for each: arguments, dataset classes, and the function that reads the files.
//!
//! `file_format!` generates the classes and functions of formats of files from one list of arguments.

use std::num::NonZeroUsize;

use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{FileSet, ReadOptions};
use arrowfeed::{DatasetOptions, FeedError, TensorDefinitions};
use pyo3::prelude::*;

use crate::argument_types::Given;
use crate::dataset::{DatasetClass, Keywords};
use crate::progress::Progress;
use crate::reader::RecordBatchReader;
use crate::source::rereadable;
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;

/// The arguments of a format of files.
pub(crate) trait FormatArguments: Sized {
    /// The options of the format in the library.
    type Options: Send;

    /// Makes the options. Arguments that depend on each other are checked here.
    fn options(self, py: Python<'_>) -> PyResult<Self::Options>;

    /// The tensors that the arguments define, unless the caller defines some.
    fn tensors(&self, _: Python<'_>) -> PyResult<Option<TensorDefinitions>> {
        Ok(None)
    }
}

/// Generates the struct of the arguments of a format, its dataset class and its read function.
///
/// An argument that the caller leaves out has the default of its type. In a dataset class, None stands for the default; in
/// a read function, only if the type is an `Option`.
macro_rules! file_format {
    (
        struct $arguments:ident $list:tt
        extension: $extension:expr,
        open: $open:expr,
        $(dataset: $class:ident,)?
        $(reader: $function:ident,)?
    ) => {
        arguments! { $arguments $list }
        $(dataset_class! { $class, $extension, $open, $arguments $list })?
        $(read_function! {
            $function,
            |source, arguments, reading| $crate::formats::read((source, $extension), arguments, $open, reading),
            $arguments $list
        })?
    };
    (
        struct $arguments:ident $list:tt
        reader: $function:ident by $read:expr,
    ) => {
        arguments! { $arguments $list }
        read_function! { $function, $read, $arguments $list }
    };
}

/// Generates the struct of the arguments of a format.
macro_rules! arguments {
    ($arguments:ident { $($name:ident: $type:ty),* $(,)? }) => {
        struct $arguments {
            $($name: $type),*
        }
    };
}

/// Generates a dataset class.
macro_rules! dataset_class {
    ($class:ident, $extension:expr, $open:expr, $arguments:ident { $($name:ident: $type:ty),* $(,)? }) => {
        #[doc = signed!($class)]
        #[pyclass(module = "arrowfeed", frozen, extends = $crate::dataset::Dataset)]
        #[derive(Default)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[classattr]
            fn _extension() -> &'static str {
                $extension
            }

            #[new]
            #[pyo3(
                signature = (
                    source, *, $($name=None,)* features=None, representations=None, index=None,
                    storage_options=None, store=None, cache=None, cache_bytes=None
                ),
                text_signature = None
            )]
            #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
            fn new<'py>(
                source: &Bound<'py, PyAny>,
                $($name: Option<Bound<'py, PyAny>>,)*
                features: Option<Bound<'py, PyAny>>,
                representations: Option<Bound<'py, PyAny>>,
                index: Option<Bound<'py, PyAny>>,
                storage_options: Option<Bound<'py, PyAny>>,
                store: Option<Bound<'py, PyAny>>,
                cache: Option<Bound<'py, PyAny>>,
                cache_bytes: Option<Bound<'py, PyAny>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                let keywords = $crate::dataset::Keywords::new(source.py());
                let arguments = $arguments { $($name: keywords.parse(stringify!($name), $name)?),* };
                let stores = $crate::store_arguments::StoreKeywords { storage_options, store, cache, cache_bytes };
                let stores = keywords.stores(&stores)?;
                let options = keywords.dataset_options(features, representations, index)?;
                $crate::formats::dataset((source, $extension, &stores), arguments, $open, keywords, options)
            }
        }
    };
}

/// Generates a function that reads files.
macro_rules! read_function {
    ($function:ident, $read:expr, $arguments:ident { $($name:ident: $type:ty),* $(,)? }) => {
        #[doc = signed!($function)]
        #[pyfunction]
        #[pyo3(
            signature = (
                source, *, $($name=Given(None),)* batch_size=Given(None), threads=Given(None),
                on_error=Given(None), progress=None,
                storage_options=None, store=None, cache=None, cache_bytes=None
            ),
            text_signature = None
        )]
        #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
        pub(crate) fn $function<'py>(
            source: &Bound<'py, PyAny>,
            $($name: Given<'py>,)*
            batch_size: Given<'py>,
            threads: Given<'py>,
            on_error: Given<'py>,
            progress: Option<&Bound<'py, PyAny>>,
            storage_options: Option<Bound<'py, PyAny>>,
            store: Option<Bound<'py, PyAny>>,
            cache: Option<Bound<'py, PyAny>>,
            cache_bytes: Option<Bound<'py, PyAny>>,
        ) -> PyResult<$crate::reader::RecordBatchReader> {
            let arguments = $arguments { $($name: $name.parse(stringify!($name))?),* };
            let stores = $crate::store_arguments::StoreKeywords { storage_options, store, cache, cache_bytes };
            let reading = $crate::formats::Reading::new([batch_size, threads, on_error], progress, &stores)?;
            let read: fn(&Bound<'_, PyAny>, $arguments, $crate::formats::Reading) -> _ = $read;
            read(source, arguments, reading)
        }
    };
}

pub(crate) mod arrow_ipc;
pub(crate) mod avro;
pub(crate) mod chunks;
pub(crate) mod csv;
pub(crate) mod json_lines;
pub(crate) mod mixed;
pub(crate) mod parquet;
pub(crate) mod tfrecord;

/// The function of a format that opens files.
type Open<O> = fn(Vec<FileSource>, O, Option<&Interrupt>) -> Result<FileSet, FeedError>;

/// Opens a dataset of the files of a source. In a directory, only files with the extension are read.
fn dataset<T: DatasetClass, A: FormatArguments>(
    (source, extension, stores): (&Bound<'_, PyAny>, &str, &StoreArguments),
    arguments: A,
    open: Open<A::Options>,
    keywords: Keywords<'_>,
    mut options: DatasetOptions,
) -> PyResult<PyClassInitializer<T>> {
    let py = source.py();
    if options.tensors.is_none() {
        options.tensors = arguments.tensors(py)?;
    }
    let of_format = arguments.options(py)?;
    let sources = rereadable(source, extension, stores)?;
    keywords.open_files(sources, options, |sources, interrupt| open(sources, of_format, Some(interrupt)))
}

/// The arguments that all read functions have.
struct Reading {
    options: ReadOptions,
    progress: Progress,
    stores: StoreArguments,
}

impl Reading {
    fn new(
        [batch_size, threads, on_error]: [Given<'_>; 3],
        progress: Option<&Bound<'_, PyAny>>,
        stores: &StoreKeywords<'_>,
    ) -> PyResult<Self> {
        let batch_size = batch_size.parse::<Option<NonZeroUsize>>("batch_size")?.map(NonZeroUsize::get);
        let (threads, on_error) = (threads.parse("threads")?, on_error.parse("on_error")?);
        Ok(Self {
            options: ReadOptions { batch_size, threads, on_error, interrupt: None },
            progress: progress.map(Progress::new).transpose()?.unwrap_or_default(),
            stores: StoreArguments::new(stores)?,
        })
    }
}

/// Opens a reader of the files of a source. In a directory, only files with the extension are read.
fn read<A: FormatArguments>(
    (source, extension): (&Bound<'_, PyAny>, &str),
    arguments: A,
    open: Open<A::Options>,
    reading: Reading,
) -> PyResult<RecordBatchReader> {
    let py = source.py();
    let Reading { options, progress, stores } = reading;
    let of_format = arguments.options(py)?;
    let (sources, _) = rereadable(source, extension, &stores)?;
    RecordBatchReader::open(py, progress, |interrupt| {
        let files = open(sources, of_format, Some(&interrupt))?;
        files.read_files(ReadOptions { interrupt: Some(interrupt), ..options })
    })
}
