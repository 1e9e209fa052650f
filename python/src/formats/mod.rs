//! The formats, one file for each: arguments, dataset classes, and the function that reads the files.
//!
//! `file_format!` generates the classes and functions of formats of files from one list of arguments.

use arrowfeed::source::Interrupt;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{FileSet, ReadOptions};
use arrowfeed::{DatasetOptions, FeedError, TensorDefinitions};
use pyo3::prelude::*;

use crate::argument_types::{Given, set};
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

/// Implements the trait for options of the library, to which the arguments are equal.
macro_rules! equal_options {
    ($options:ty) => {
        impl $crate::formats::FormatArguments for $options {
            type Options = Self;

            fn options(self, _: Python<'_>) -> PyResult<Self> {
                Ok(self)
            }
        }
    };
}

/// Generates the dataset class and the read function of a format from the names of its arguments. `name in part`: the argument
/// is a field of a part of the struct.
macro_rules! file_format {
    (
        $arguments:ty: $list:tt
        extension: $extension:expr,
        open: $open:expr,
        $(dataset: $class:ident,)?
        $(reader: $function:ident,)?
    ) => {
        $(dataset_class! { $class, $extension, $open, $arguments: $list })?
        $(read_function! {
            $function,
            |source, arguments, reading| $crate::formats::read((source, $extension), arguments, $open, reading),
            $arguments: $list
        })?
    };
}

/// Generates a dataset class.
macro_rules! dataset_class {
    ($class:ident, $extension:expr, $open:expr, $arguments:ty: { $($name:ident $(in $($part:ident).+)?),* $(,)? }) => {
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
                let mut arguments = <$arguments>::default();
                $(keywords.set(&mut arguments.$($($part.)+)?$name, stringify!($name), $name)?;)*
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
    ($function:ident, $read:expr, $arguments:ty: { $($name:ident $(in $($part:ident).+)?),* $(,)? }) => {
        #[doc = signed!($function)]
        #[pyfunction]
        #[pyo3(
            signature = (
                source, *, $($name=$crate::argument_types::Given(None),)*
                r#where=None, batch_size=None, threads=None, on_error=$crate::argument_types::Given(None), progress=None,
                storage_options=None, store=None, cache=None, cache_bytes=None
            ),
            text_signature = None
        )]
        #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
        pub(crate) fn $function<'py>(
            source: &Bound<'py, PyAny>,
            $($name: $crate::argument_types::Given<'py>,)*
            r#where: Option<&Bound<'py, PyAny>>,
            batch_size: Option<&Bound<'py, PyAny>>,
            threads: Option<&Bound<'py, PyAny>>,
            on_error: $crate::argument_types::Given<'py>,
            progress: Option<&Bound<'py, PyAny>>,
            storage_options: Option<Bound<'py, PyAny>>,
            store: Option<Bound<'py, PyAny>>,
            cache: Option<Bound<'py, PyAny>>,
            cache_bytes: Option<Bound<'py, PyAny>>,
        ) -> PyResult<$crate::reader::RecordBatchReader> {
            $(let $name = $name.0.as_ref();)*
            let arguments = parsed!($arguments { $($name $(in $($part).+)?),* });
            let stores = $crate::store_arguments::StoreKeywords { storage_options, store, cache, cache_bytes };
            let reading = $crate::formats::Reading::new((batch_size, threads, on_error), r#where, progress, &stores)?;
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
        (batch_size, threads, on_error): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>, Given<'_>),
        filter: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        stores: &StoreKeywords<'_>,
    ) -> PyResult<Self> {
        let on_error = on_error.0.as_ref();
        let mut options = parsed!(ReadOptions { batch_size, threads, on_error });
        set(&mut options.filter, "where", filter)?;
        Ok(Self {
            options,
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
