//! The formats, one file for each: arguments, dataset classes, and the function that reads the files.
//!
//! `file_format!` generates the classes and functions of formats of files from one list of arguments.
//!
//! | topic | files |
//! |---|---|
//! | formats of files | `arrow_ipc`, `avro`, `csv`, `json_lines`, `parquet`, `tfrecord` |
//! | tables of Iceberg | `iceberg` |
//! | other sources | `chunks` (chunk sources in Python), `mixed` (several datasets) |

use arrowfeed::formats::{AddedToFiles, Format, FormatOptions};
use arrowfeed::source::run::ReadOptions;
use arrowfeed::{DatasetOptions, Partitioning, TensorDefinitions};
use pyo3::prelude::*;

use crate::added_columns::{AddedKeywords, added_columns};
use crate::argument_types::{Given, given};
use crate::arrow_schema::Schema;
use crate::dataset::{DatasetClass, Keywords};
use crate::predicate::RowFilter;
use crate::progress::Progress;
use crate::reader::RecordBatchReader;
use crate::schema_merge::MergedArgument;
use crate::source::rereadable;
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;

/// The arguments of a format of files.
pub(crate) trait FormatArguments: Sized {
    /// Makes the options. Arguments that depend on each other are checked here.
    fn options(self, py: Python<'_>) -> PyResult<FormatOptions>;

    /// The tensors that the arguments define, unless the caller defines some.
    fn tensors(&self, _: Python<'_>) -> PyResult<Option<TensorDefinitions>> {
        Ok(None)
    }
}

/// Implements the trait for options of the library, to which the arguments are equal.
macro_rules! equal_options {
    ($options:ty) => {
        impl $crate::formats::FormatArguments for $options {
            fn options(self, _: Python<'_>) -> PyResult<arrowfeed::formats::FormatOptions> {
                Ok(self.into())
            }
        }
    };
}

/// Generates the dataset class and the read function of a format from the names of its arguments. `name in part`: the argument
/// is a field of a part of the struct.
macro_rules! file_format {
    (
        $arguments:ty: $list:tt
        format: $format:ident,
        $(dataset: $class:ident,)?
        $(reader: $function:ident,)?
    ) => {
        $(dataset_class! { $class, $format, $arguments: $list })?
        $(read_function! {
            $function,
            |source, arguments, reading| {
                $crate::formats::read((source, arrowfeed::formats::Format::$format), arguments, reading)
            },
            $arguments: $list
        })?
    };
}

/// Generates a dataset class.
macro_rules! dataset_class {
    ($class:ident, $format:ident, $arguments:ty: { $($name:ident $(in $($part:ident).+)?),* $(,)? }) => {
        #[doc = signed!($class)]
        #[pyclass(module = "arrowfeed", frozen, extends = $crate::dataset::Dataset)]
        #[derive(Default)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[classattr]
            fn _extension() -> &'static str {
                arrowfeed::formats::Format::$format.name()
            }

            #[new]
            #[pyo3(
                signature = (
                    source, *, $($name=None,)* partitioning=None, file_column=None, row_column=None,
                    features=None, representations=None, index=None,
                    storage_options=None, store=None, cache=None, cache_bytes=None, **others
                ),
                text_signature = None
            )]
            #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
            fn new<'py>(
                source: &Bound<'py, PyAny>,
                $($name: Option<Bound<'py, PyAny>>,)*
                partitioning: Option<Bound<'py, PyAny>>,
                file_column: Option<Bound<'py, PyAny>>,
                row_column: Option<Bound<'py, PyAny>>,
                features: Option<Bound<'py, PyAny>>,
                representations: Option<Bound<'py, PyAny>>,
                index: Option<Bound<'py, PyAny>>,
                storage_options: Option<Bound<'py, PyAny>>,
                store: Option<Bound<'py, PyAny>>,
                cache: Option<Bound<'py, PyAny>>,
                cache_bytes: Option<Bound<'py, PyAny>>,
                others: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                let function = concat!(stringify!($class), ".__new__");
                $crate::argument::refuse_others(function, others, &[$crate::argument::FILTER, $(stringify!($name)),*])?;
                let keywords = $crate::dataset::Keywords::new(source.py());
                let mut arguments = <$arguments>::default();
                $(keywords.set(&mut arguments.$($($part.)+)?$name, stringify!($name), $name)?;)*
                let added = $crate::added_columns::AddedKeywords { partitioning, file_column, row_column };
                let added = keywords.added_columns(added)?;
                let stores = $crate::store_arguments::StoreKeywords { storage_options, store, cache, cache_bytes };
                let stores = keywords.stores(&stores)?;
                let options = keywords.dataset_options(features, representations, index)?;
                let format = arrowfeed::formats::Format::$format;
                $crate::formats::dataset((source, format, &stores), (arguments, added), keywords, options)
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
                r#where=None, partitioning=None, file_column=None, row_column=None, batch_size=None, threads=None, on_error=$crate::argument_types::Given(None), progress=None,
                storage_options=None, store=None, cache=None, cache_bytes=None, **others
            ),
            text_signature = None
        )]
        #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
        pub(crate) fn $function<'py>(
            source: &Bound<'py, PyAny>,
            $($name: $crate::argument_types::Given<'py>,)*
            r#where: Option<&Bound<'py, PyAny>>,
            partitioning: Option<Bound<'py, PyAny>>,
            file_column: Option<Bound<'py, PyAny>>,
            row_column: Option<Bound<'py, PyAny>>,
            batch_size: Option<&Bound<'py, PyAny>>,
            threads: Option<&Bound<'py, PyAny>>,
            on_error: $crate::argument_types::Given<'py>,
            progress: Option<&Bound<'py, PyAny>>,
            storage_options: Option<Bound<'py, PyAny>>,
            store: Option<Bound<'py, PyAny>>,
            cache: Option<Bound<'py, PyAny>>,
            cache_bytes: Option<Bound<'py, PyAny>>,
            others: Option<&Bound<'py, pyo3::types::PyDict>>,
        ) -> PyResult<$crate::reader::RecordBatchReader> {
            let names = ["where", "batch_size", $(stringify!($name)),*];
            $crate::argument::refuse_others(stringify!($function), others, &names)?;
            $(let $name = $name.0.as_ref();)*
            let arguments = parsed!($arguments { $($name $(in $($part).+)?),* });
            let added = $crate::added_columns::AddedKeywords { partitioning, file_column, row_column };
            let stores = $crate::store_arguments::StoreKeywords { storage_options, store, cache, cache_bytes };
            let options = (batch_size, threads, on_error);
            let reading = $crate::formats::Reading::new(options, r#where, progress, &added, &stores)?;
            let read: fn(&Bound<'_, PyAny>, $arguments, $crate::formats::Reading) -> _ = $read;
            read(source, arguments, reading)
        }
    };
}

pub(crate) mod arrow_ipc;
pub(crate) mod avro;
pub(crate) mod chunks;
pub(crate) mod csv;
pub(crate) mod iceberg;
pub(crate) mod json_lines;
pub(crate) mod mixed;
pub(crate) mod parquet;
pub(crate) mod tfrecord;

/// Opens a dataset of the files of a source. In a directory, only files with the extension are read.
fn dataset<T: DatasetClass, A: FormatArguments>(
    (source, format, stores): (&Bound<'_, PyAny>, Format, &StoreArguments),
    (arguments, added): (A, AddedToFiles),
    keywords: Keywords<'_>,
    mut options: DatasetOptions,
) -> PyResult<PyClassInitializer<T>> {
    let py = source.py();
    if options.tensors.is_none() {
        options.tensors = arguments.tensors(py)?;
    }
    let of_format = arguments.options(py)?;
    let infers = matches!(added.partitioning, Some(Partitioning::Hive));
    let sources = rereadable(source, format.name(), added.searches_below(), stores)?;
    let (kept, mut partitions, mut merged) = (keywords.clone(), None, None);
    let dataset = keywords.open_files(sources, options, |sources, interrupt| {
        let (files, found) = added.open(sources, of_format, None, Some(interrupt))?;
        partitions = Some(found);
        merged = MergedArgument::of(&files)?;
        Ok(files)
    })?;
    if let Some(merged) = merged {
        merged.keep(&kept)?;
    }
    // Copies have the same columns, also if they read only some of the files.
    if let Some(partitions) = partitions.filter(|_| infers) {
        kept.keep("partitioning", Schema(partitions))?;
    }
    Ok(dataset)
}

/// The arguments that all read functions have.
struct Reading {
    /// Without a filter.
    options: ReadOptions,
    filter: Option<RowFilter>,
    progress: Progress,
    added: AddedToFiles,
    stores: StoreArguments,
}

impl Reading {
    fn new(
        (batch_size, threads, on_error): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>, Given<'_>),
        filter: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        added: &AddedKeywords<'_>,
        stores: &StoreKeywords<'_>,
    ) -> PyResult<Self> {
        let on_error = on_error.0.as_ref();
        Ok(Self {
            options: parsed!(ReadOptions { batch_size, threads, on_error }),
            filter: given("where", filter)?,
            progress: progress.map(Progress::new).transpose()?.unwrap_or_default(),
            added: added_columns(added)?,
            stores: StoreArguments::new(stores)?,
        })
    }
}

/// Opens a reader of the files of a source. In a directory, only files with the extension are read.
fn read<A: FormatArguments>(
    (source, format): (&Bound<'_, PyAny>, Format),
    arguments: A,
    reading: Reading,
) -> PyResult<RecordBatchReader> {
    let py = source.py();
    let Reading { options, filter, progress, added, stores } = reading;
    let of_format = arguments.options(py)?;
    let (sources, _) = rereadable(source, format.name(), added.searches_below(), &stores)?;
    RecordBatchReader::open(py, progress, |interrupt| {
        let known = filter.as_ref().and_then(RowFilter::predicate);
        let (files, _) = added.open(sources, of_format, known, Some(&interrupt))?;
        let filter = filter.map(|filter| filter.over(|| files.all_columns())).transpose()?;
        files.read_files(ReadOptions { filter, interrupt: Some(interrupt), ..options })
    })
}
