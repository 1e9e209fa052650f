//! `arrowfeed.Dataset`, the base class of all formats.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_schema::SchemaRef;
use arrowfeed::dataset::{RowRestriction, RowSplit};
use arrowfeed::source::run::RangeOptions;
use arrowfeed::{DatasetError, IterationOptions, RowOptions, TensorDefinitions, printable};
use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::iterator::BatchIterator;
use super::mapped::{MapArgs, PythonMap};
use super::options::{iteration_options, warn_of_unused_seed, with_known_shard, without_unused_seed};
use super::rows::{first_rows, read_rows, thread_number};
use super::traced::{batches_of, rows_of};
use crate::argument::{integer, number, strings, wrong_type};
use crate::argument_types::Argument;
use crate::arrow_schema::{Schema, counted};
use crate::batch::RecordBatch;
use crate::call::{call, caught};
use crate::claims;
use crate::errors::dataset_error;
use crate::html;
use crate::predicate::{Predicate, RowFilter};
use crate::progress::Progress;
use crate::reader::{RecordBatchReader, as_dict};
use crate::schema_merge::{SchemaChange, changes};
use crate::signals;
use crate::source::seekable;
use crate::split::{self, Split};
use crate::stats::LoaderStats;
use crate::tensor::{TensorAdapter, TensorNames, specs_by_name, tensor_definitions, wrapped_representation};

const NO_LENGTH: &str = "a dataset has no length: num_rows is the number of rows, and num_batches(batch_size=...) that of \
                         batches; a DataLoader takes dataset.to_torch(...) or dataset.samples()";

#[doc = docs!(Dataset)]
#[pyclass(module = "arrowfeed", frozen, subclass)]
pub(crate) struct Dataset {
    dataset: arrowfeed::Dataset,
    made: ConstructorArgs,
}

/// The arguments of a dataset, for pickles.
pub(super) struct ConstructorArgs {
    pub(super) class: Class,
    pub(super) source: Py<PyAny>,
    pub(super) keywords: Py<PyDict>,
    /// Names of the tensors after a projection.
    pub(super) names: Option<Vec<String>>,
    /// The functions of `map`, each with the projection after it.
    pub(super) maps: Vec<MapArgs>,
    /// The columns before a projection.
    pub(super) schema: SchemaRef,
}

impl ConstructorArgs {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            class: self.class,
            source: self.source.clone_ref(py),
            keywords: self.keywords.clone_ref(py),
            names: self.names.clone(),
            maps: self.maps.iter().map(|map| map.clone_ref(py)).collect(),
            schema: self.schema.clone(),
        }
    }
}

/// A class of datasets.
pub(crate) trait DatasetClass: PyClass<BaseType = Dataset> + Default {}

impl<T: PyClass<BaseType = Dataset> + Default> DatasetClass for T {}

/// The class of a dataset, which is that of its projections too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    name: &'static str,
    /// Makes an object of the class.
    object: fn(Python<'_>, Dataset) -> PyResult<Py<PyAny>>,
}

impl Class {
    pub(super) fn of<T: DatasetClass>() -> Self {
        let object = |py: Python<'_>, dataset| {
            let made = PyClassInitializer::from(dataset).add_subclass(T::default());
            Ok(Py::new(py, made)?.into_any())
        };
        Self { name: T::NAME, object }
    }
}

impl Dataset {
    pub(super) fn new(dataset: arrowfeed::Dataset, made: ConstructorArgs) -> Self {
        Self { dataset, made }
    }

    pub(crate) fn dataset(&self) -> &arrowfeed::Dataset {
        &self.dataset
    }
}

#[pymethods]
impl Dataset {
    #[doc = docs!(Dataset.arrow_schema)]
    #[getter]
    fn arrow_schema(&self) -> Schema {
        Schema(self.dataset.arrow_schema().clone())
    }

    #[doc = docs!(Dataset.schema_changes)]
    #[getter]
    fn schema_changes(&self) -> Vec<SchemaChange> {
        changes(self.dataset.merge())
    }

    #[doc = docs!(Dataset.tensor_representations)]
    #[getter]
    fn tensor_representations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = PyDict::new(py);
        match self.dataset.tensor_definitions() {
            TensorDefinitions::Representations(all) => {
                for (name, representation) in all {
                    made.set_item(name, wrapped_representation(py, representation.clone())?)?;
                }
            }
            TensorDefinitions::Features(all) => {
                let of_maps =
                    self.made.maps.iter().rev().map(|map| map.keywords.bind(py).get_item("features"));
                let of_maps = of_maps.collect::<PyResult<Vec<_>>>()?.into_iter().flatten().next();
                let features = match of_maps.or(self.made.keywords.bind(py).get_item("features")?) {
                    Some(features) => features,
                    // The datasets of a mixture have the same features.
                    None => self.made.source.bind(py).get_item(0)?.getattr("tensor_representations")?,
                };
                for (name, _) in all {
                    made.set_item(name, features.get_item(name)?)?;
                }
            }
        }
        Ok(made)
    }

    #[doc = docs!(Dataset.specs)]
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs_by_name(py, self.dataset.specs())
    }

    #[doc = docs!(Dataset.num_rows)]
    #[getter]
    fn num_rows(&self, py: Python<'_>) -> PyResult<u64> {
        let interrupt = signals::interrupt_of_call(py)?;
        call(py, || self.dataset.num_rows_with(Some(interrupt)))
    }

    #[doc = signed!(Dataset.num_batches)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn num_batches(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Option<u64>> {
        let interrupt = Some(signals::interrupt_of_call(py)?);
        let options = IterationOptions { interrupt, ..iteration_options("num_batches", options)? };
        call(py, || self.dataset.num_batches(&options))
    }

    #[doc = docs!(Dataset._known_num_batches)]
    #[pyo3(signature = (**options))]
    fn _known_num_batches(
        &self,
        py: Python<'_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<u64>> {
        let interrupt = Some(signals::interrupt_of_call(py)?);
        let options = IterationOptions { interrupt, ..iteration_options("num_batches", options)? };
        call(py, || self.dataset.known_num_batches(&options)).map(Option::flatten)
    }

    #[doc = docs!(Dataset.report)]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, &py.detach(|| self.dataset.report()))
    }

    #[doc = docs!(Dataset.stats)]
    fn stats(&self) -> Option<LoaderStats> {
        self.dataset.stats().map(LoaderStats)
    }

    #[doc = docs!(Dataset.fingerprint)]
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let interrupt = signals::interrupt_of_call(py)?;
        call(py, || self.dataset.fingerprint_with(Some(&interrupt)))
    }

    #[doc = docs!(Dataset.save_index)]
    fn save_index(&self, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = path.py();
        let path = crate::argument::path("path", path)?;
        let interrupt = signals::interrupt_of_call(py)?;
        call(py, || self.dataset.save_index(path, Some(interrupt)))
    }

    #[doc = docs!(Dataset.tensor_adapter)]
    fn tensor_adapter(&self, py: Python<'_>) -> PyResult<TensorAdapter> {
        let (dataset, batch_bytes) = (&self.dataset, self.dataset.limits().batch_bytes);
        let features = || Ok(self.tensor_representations(py)?.into_any().unbind());
        let (adapter, definitions) = (dataset.tensor_adapter().clone(), dataset.tensor_definitions());
        TensorAdapter::defined(py, adapter, definitions, features, batch_bytes)
    }

    #[doc = signed!(Dataset.plan_splits)]
    #[pyo3(signature = (*, target_bytes=None), text_signature = None)]
    fn plan_splits(&self, py: Python<'_>, target_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Split>> {
        let target = split::target(target_bytes)?;
        let interrupt = signals::interrupt_of_call(py)?;
        let splits = call(py, || self.dataset.plan_splits(target, Some(&interrupt)))?;
        Ok(splits.into_iter().map(Split).collect())
    }

    #[doc = signed!(Dataset.read_split)]
    #[pyo3(signature = (split, *, claim=None, file=None, batch_size=None, on_error=None, progress=None), text_signature = None)]
    fn read_split(
        &self,
        split: &Bound<'_, PyAny>,
        claim: Option<&Bound<'_, PyAny>>,
        file: Option<&Bound<'_, PyAny>>,
        batch_size: Option<&Bound<'_, PyAny>>,
        on_error: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RecordBatchReader> {
        let split = split.cast::<Split>().map_err(|_| wrong_type("split", "a Split", split))?;
        let (py, Split(split)) = (split.py(), split.get());
        let mut options = parsed!(RangeOptions { batch_size, on_error });
        if let Some(claim) = claim {
            options.claim = Some(Box::new(claims::by_python(claim)?));
        }
        let source = file.map(|file| seekable("file", file, &split.path)).transpose()?;
        let progress = progress.map(Progress::new).transpose()?.unwrap_or_default();
        RecordBatchReader::open(py, progress, |interrupt| {
            options.interrupt = Some(interrupt);
            self.dataset.read_split(split, source, options)
        })
    }

    #[doc = docs!(Dataset.project)]
    fn project(&self, names: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = names.py();
        let names = strings("names", "a list or tuple of names of tensors (str)", names)?;
        self.projected(py, names)
    }

    #[doc = docs!(Dataset.filter)]
    fn filter(&self, predicate: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = predicate.py();
        let filter = RowFilter::parse("predicate", predicate)?;
        let filtered = py.detach(|| {
            caught(|| {
                let predicate = filter.over(|| self.dataset.all_columns())?;
                self.dataset.filter(&predicate)
            })
        });
        self.selected(py, filtered.map_err(|error| dataset_error(py, error))?)
    }

    #[doc = signed!(Dataset.map)]
    #[pyo3(
        signature = (function, *, schema=None, workers=None, features=None, representations=None),
        text_signature = None
    )]
    fn map<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
        schema: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
        features: Option<Bound<'py, PyAny>>,
        representations: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let map = PythonMap::new(function, workers)?;
        let schema = map.schema(slf.as_any(), schema)?;
        let keywords = map.arguments(py, &schema)?;
        for (name, given) in [("features", &features), ("representations", &representations)] {
            if let Some(given) = given {
                keywords.set_item(name, py.import("copy")?.call_method1("copy", (given,))?)?;
            }
        }
        let tensors = tensor_definitions(features, representations)?;
        let own = slf.get();
        let mapped = py.detach(|| caught(|| own.dataset.map(Arc::new(map), schema, tensors)));
        let mapped = mapped.map_err(|error| dataset_error(py, error))?;
        let mut made = own.made.clone_ref(py);
        made.maps.push(MapArgs { keywords: keywords.unbind(), names: None });
        (made.class.object)(py, Self::new(mapped, made))
    }

    #[doc = docs!(Dataset.predicate)]
    #[getter]
    fn predicate(&self) -> Option<Predicate> {
        self.dataset.predicate().cloned().map(Predicate)
    }

    #[doc = docs!(Dataset.take)]
    fn take(&self, count: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.checked(count.py(), self.dataset.take(integer("count", 0, count)?))
    }

    #[doc = docs!(Dataset.skip)]
    fn skip(&self, count: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.checked(count.py(), self.dataset.skip(integer("count", 0, count)?))
    }

    #[doc = docs!(Dataset.split)]
    #[pyo3(signature = (fraction, *, seed))]
    fn split<'py>(
        &self,
        fraction: &Bound<'py, PyAny>,
        seed: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = fraction.py();
        let number = number("fraction", fraction)?;
        let seed = integer("seed", 0, seed)?;
        let (first, rest) = call(py, || self.dataset.split(number, seed))?;
        PyTuple::new(py, [self.selected(py, first)?, self.selected(py, rest)?])
    }

    #[doc = signed!(Dataset.head)]
    #[pyo3(signature = (count=None), text_signature = None)]
    fn head(slf: &Bound<'_, Self>, count: Option<&Bound<'_, PyAny>>) -> PyResult<RecordBatch> {
        first_rows(slf, &slf.get().dataset, count)
    }

    #[doc = signed!(Dataset.rows)]
    #[pyo3(signature = (numbers, *, threads=None), text_signature = None)]
    fn rows(&self, numbers: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<RecordBatch> {
        let read = |numbers: &[i64], options: &RowOptions| self.dataset.rows(numbers, options);
        read_rows(numbers, thread_number(threads)?, read).map(RecordBatch::new)
    }

    #[doc = signed!(Dataset.row_tensors)]
    #[pyo3(signature = (numbers, *, threads=None), text_signature = None)]
    fn row_tensors<'py>(
        &self,
        numbers: &Bound<'py, PyAny>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let read = |numbers: &[i64], options: &RowOptions| self.dataset.row_tensors(numbers, options);
        let tensors = read_rows(numbers, thread_number(threads)?, read)?;
        TensorNames::new(numbers.py(), self.dataset.specs()).dict(numbers.py(), tensors)
    }

    #[doc = signed!(Dataset.rows_of)]
    #[pyo3(signature = (numbers, /, *, epoch=None, **options), text_signature = None)]
    fn rows_of(
        &self,
        numbers: &Bound<'_, PyAny>,
        epoch: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<RecordBatch> {
        rows_of(&self.dataset, numbers, epoch, options)
    }

    #[doc = signed!(Dataset.batches_of)]
    #[pyo3(signature = (file, rows, **options), text_signature = None)]
    fn batches_of(
        &self,
        file: &Bound<'_, PyAny>,
        rows: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<RecordBatch> {
        batches_of(&self.dataset, file, rows, options)
    }

    #[doc = signed!(Dataset.samples)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn samples<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_maker(("arrowfeed._dataset.samples", "Samples"), slf, options)
    }

    #[doc = signed!(Dataset.describe)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn describe<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_maker(("arrowfeed._statistics", "described"), slf, options)
    }

    #[doc = docs!(Dataset.explain)]
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        html::explanation(py, self.dataset.explain())
    }

    #[doc = signed!(Dataset.record_batches)]
    #[pyo3(signature = (*, progress=None, **options), text_signature = None)]
    fn record_batches(
        slf: &Bound<'_, Self>,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BatchIterator> {
        let dataset = &slf.get().dataset;
        let open = |options| dataset.record_batches(options);
        Self::iterate(slf, "record_batches", (progress, options), open, |batches, stop| {
            BatchIterator::of_records(slf.py(), batches, stop).with_schema(dataset.arrow_schema().clone())
        })
    }

    #[doc = signed!(Dataset.tensors)]
    #[pyo3(signature = (*, progress=None, label=None, weight=None, **options), text_signature = None)]
    fn tensors(
        slf: &Bound<'_, Self>,
        progress: Option<&Bound<'_, PyAny>>,
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BatchIterator> {
        let dataset = &slf.get().dataset;
        let open = |options| dataset.tensors(options);
        let batches = Self::iterate(slf, "tensors", (progress, options), open, |batches, stop| {
            BatchIterator::of_tensors(slf.py(), batches, dataset.specs(), stop)
        })?;
        let labels = match (label, weight) {
            (None, None) => None,
            _ => {
                let names: Vec<&str> = dataset.specs().iter().map(|(name, _)| name.as_str()).collect();
                let module = slf.py().import("arrowfeed._frameworks.labels")?;
                Some(module.call_method1("labels_of", (names, label, weight))?.unbind())
            }
        };
        Ok(batches.with_labels(labels))
    }

    #[doc = signed!(Dataset.to_tf)]
    #[pyo3(signature = (*, label=None, weight=None, r#match=None, **options), text_signature = None)]
    fn to_tf<'py>(
        slf: &Bound<'py, Self>,
        label: Option<&Bound<'py, PyAny>>,
        weight: Option<&Bound<'py, PyAny>>,
        r#match: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = with_known_shard(options)?;
        // If a shard is known only in a graph, the op checks its numbers.
        let checked = options.as_ref().map(without_tensors).transpose()?;
        let parsed = iteration_options("to_tf", checked.as_ref())?;
        let options = without_unused_seed(options, &parsed, slf.get().is_mixture(slf.py())?)?;
        let options = options.unwrap_or_else(|| PyDict::new(slf.py()));
        for (name, argument) in [("label", label), ("weight", weight), ("match", r#match)] {
            if let Some(argument) = argument {
                options.set_item(name, argument)?;
            }
        }
        call_maker(("arrowfeed._tensorflow", "tf_dataset"), slf, Some(&options))
    }

    #[doc = signed!(Dataset.to_torch)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn to_torch<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let maker = ("arrowfeed._frameworks.torch_dataset", "torch_dataset");
        let forms =
            ["ragged", "keyed_jagged", "pin_memory", "device", "copies_ahead", "label", "weight", "match"]
                .as_slice();
        to_framework("to_torch", maker, slf, options, forms)
    }

    #[doc = signed!(Dataset.to_jax)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn to_jax<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let maker = ("arrowfeed._frameworks.jax_iterator", "JaxIterator");
        let forms = ["ragged", "device", "sharding", "copies_ahead", "label", "weight"].as_slice();
        to_framework("to_jax", maker, slf, options, forms)
    }

    #[doc = signed!(Dataset.to_keras)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn to_keras<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_maker(("arrowfeed._frameworks.keras_dataset", "KerasDataset"), slf, options)
    }

    #[doc = signed!(Dataset.to_hf)]
    #[pyo3(signature = (**options), text_signature = None)]
    fn to_hf<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_maker(("arrowfeed._frameworks.hf_dataset", "hf_dataset"), slf, options)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, made) = (slf.py(), &slf.get().made);
        let module = py.import("arrowfeed._dataset")?;
        let (restored, source) = (module.getattr("restored")?, made.source.clone_ref(py));
        let arguments = (slf.get_type(), &source, &made.keywords, Schema(made.schema.clone()));
        let keywords = module.call_method1("with_inferred_schema", arguments)?;
        let count = |rows: Range<u64>| (rows.start, rows.end - rows.start);
        let restrictions = slf.get().dataset.restrictions().into_iter().map(|restriction| {
            let made = match restriction {
                RowRestriction::Filter(predicate) => ("filter", predicate.to_string()).into_pyobject(py),
                RowRestriction::Rows(rows) => ("rows", count(rows)).into_pyobject(py),
                RowRestriction::Split(RowSplit { rows, fraction, seed, is_rest }) => {
                    ("split", (count(rows), fraction, seed, is_rest)).into_pyobject(py)
                }
            };
            Ok(made?.into_any())
        });
        let restrictions = restrictions.collect::<PyResult<Vec<_>>>()?;
        let mut arguments = vec![
            slf.get_type().into_any(),
            source.into_bound(py),
            keywords,
            made.names.clone().into_pyobject(py)?.into_any(),
            restrictions.into_pyobject(py)?.into_any(),
        ];
        for map in &made.maps {
            arguments.push((map.keywords.bind(py), map.names.clone()).into_pyobject(py)?.into_any());
        }
        Ok((restored, PyTuple::new(py, arguments)?))
    }

    fn __len__(&self) -> PyResult<usize> {
        Err(PyTypeError::new_err(NO_LENGTH))
    }

    // Without this method, the length would decide.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        let specs = self
            .dataset
            .specs()
            .iter()
            .map(|(name, spec)| format!("\n  {}", printable(&format!("{name}: {spec}"))));
        let number = counted(self.dataset.specs().len(), "tensor");
        let class = self.made.class.name;
        format!("<arrowfeed.{class} of {number}>{}", specs.collect::<String>())
    }

    fn _repr_html_(&self) -> String {
        html::specs(self.made.class.name, self.dataset.specs())
    }
}

impl Dataset {
    fn projected(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Py<PyAny>> {
        let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
        let dataset = py.detach(|| caught(|| self.dataset.project(&wanted)));
        let dataset = dataset.map_err(|error| dataset_error(py, error))?;
        let mut made = self.made.clone_ref(py);
        match made.maps.last_mut() {
            Some(map) => map.names = Some(names),
            None => made.names = Some(names),
        }
        (made.class.object)(py, Self::new(dataset, made))
    }

    /// Whether the dataset is a mixture: no other class has weights.
    fn is_mixture(&self, py: Python<'_>) -> PyResult<bool> {
        self.made.keywords.bind(py).contains("weights")
    }

    /// Opens an iteration with the keywords of `function`, and shows its progress bar.
    fn iterate<B>(
        slf: &Bound<'_, Self>,
        function: &str,
        (progress, options): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyDict>>),
        open: impl FnOnce(IterationOptions) -> Result<B, DatasetError>,
        iterator: impl FnOnce(B, Arc<AtomicBool>) -> BatchIterator,
    ) -> PyResult<BatchIterator> {
        let py = slf.py();
        let progress = progress.map(Progress::new).transpose()?.unwrap_or_default();
        signals::notice_main_thread(py)?;
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = Some(signals::interrupt_or(stop.clone()));
        let options = IterationOptions { interrupt, ..iteration_options(function, options)? };
        warn_of_unused_seed(py, &options, slf.get().is_mixture(slf.py())?)?;
        let total = progress.total(py, &slf.get().dataset, &options)?;
        let batches = open(options.clone()).map_err(|error| dataset_error(py, error))?;
        progress.start(py, total)?;
        Ok(iterator(batches, stop).with_progress(progress).with_origin(slf.get().dataset.clone(), options))
    }

    /// Makes a dataset of some rows of this one, unless it is mixed.
    fn checked(&self, py: Python<'_>, dataset: arrowfeed::Dataset) -> PyResult<Py<PyAny>> {
        call(py, || dataset.check_rows())?;
        self.selected(py, dataset)
    }

    /// Makes a dataset of some rows of this one.
    fn selected(&self, py: Python<'_>, dataset: arrowfeed::Dataset) -> PyResult<Py<PyAny>> {
        (self.made.class.object)(py, Self::new(dataset, self.made.clone_ref(py)))
    }
}

/// Copies the options without a shard that is known only in a TensorFlow graph.
fn without_tensors<'py>(options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let options = options.copy()?;
    if let Some(shard) = options.get_item("shard")?
        && let Ok(shard) = shard.cast::<PyTuple>()
        && shard.iter().any(|part| part.hasattr("device").unwrap_or(false))
    {
        options.del_item("shard")?;
    }
    Ok(options)
}

/// Converts a dataset with the module of a framework. It checks the options of the iteration before it loads the framework.
/// `forms` are the names of the other options, which the module checks.
fn to_framework<'py>(
    method: &str,
    maker: (&str, &str),
    dataset: &Bound<'py, Dataset>,
    options: Option<&Bound<'py, PyDict>>,
    forms: &[&str],
) -> PyResult<Bound<'py, PyAny>> {
    let py = dataset.py();
    let (iteration, own) = (PyDict::new(py), PyDict::new(py));
    for (name, value) in options.into_iter().flatten() {
        let name_text = name.cast::<PyString>()?.to_str()?;
        let is_form = forms.contains(&name_text);
        // `to_torch` finds the rank later.
        if method == "to_torch" && name_text == "shard" && value.is_none() {
            continue;
        }
        if !is_form {
            iteration.set_item(name, value)?;
        } else if !value.is_none() {
            own.set_item(name, value)?;
        }
    }
    let options = with_known_shard(Some(&iteration))?;
    let parsed = iteration_options(method, options.as_ref())?;
    let options = without_unused_seed(options, &parsed, dataset.get().is_mixture(py)?)?;
    let options = options.unwrap_or_else(|| PyDict::new(py));
    options.update(own.as_mapping())?;
    call_maker(maker, dataset, Some(&options))
}

/// Calls a function of the module of a framework with a dataset.
fn call_maker<'py>(
    (module, maker): (&str, &str),
    dataset: &Bound<'py, Dataset>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    dataset.py().import(module)?.getattr(maker)?.call((dataset,), options)
}
