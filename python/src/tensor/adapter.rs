//! `arrowfeed.TensorAdapter`.

use arrowfeed::tensor::{self, AdapterOptions, InnerNulls, Representation, RepresentationError};
use arrowfeed::{TensorDefinitions, printable, source};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::features::features;
use super::given::representations;
use super::import::{BatchArgument, schema};
use super::names::{TensorNames, dict_of_some};
use super::representation::by_name;
use super::spec::specs_by_name;
use crate::argument::strings;
use crate::argument_types::{Choice, given};
use crate::arrow_schema::{Schema, counted};
use crate::call::caught;
use crate::errors::{conversion_error, representation_error, to_python};
use crate::foreign::{SchemaCache, refusal};
use crate::html;
use crate::limits::Limits;

choices! { InnerNulls { "error" = Error, "fill" = Fill } }

#[doc = signed!(TensorAdapter)]
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct TensorAdapter {
    adapter: tensor::TensorAdapter,
    recipe: Recipe,
    projection: SchemaCache,
    names: TensorNames,
}

/// The arguments of an adapter, for pickles.
#[derive(Debug)]
enum Recipe {
    Representations(Vec<(String, Representation)>, AdapterOptions),
    /// The dict of `from_features`, and the limit `batch_bytes`.
    Features(Py<PyAny>, usize),
}

impl TensorAdapter {
    /// Wraps an adapter with its `definitions`. `features`: the dict of features that they were created from.
    pub(crate) fn defined(
        py: Python<'_>,
        adapter: tensor::TensorAdapter,
        definitions: &TensorDefinitions,
        features: impl FnOnce() -> PyResult<Py<PyAny>>,
        batch_bytes: usize,
    ) -> PyResult<Self> {
        let recipe = match definitions {
            TensorDefinitions::Representations(all) => {
                let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
                Recipe::Representations(all.clone(), options)
            }
            TensorDefinitions::Features(_) => Recipe::Features(features()?, batch_bytes),
        };
        Ok(Self::of(py, adapter, recipe))
    }

    fn of(py: Python<'_>, adapter: tensor::TensorAdapter, recipe: Recipe) -> Self {
        let names = TensorNames::new(py, adapter.specs());
        let projection = SchemaCache::new(adapter.columns());
        Self { adapter, recipe, projection, names }
    }

    fn compiled(
        py: Python<'_>,
        recipe: Recipe,
        compile: impl FnOnce() -> Result<tensor::TensorAdapter, RepresentationError>,
    ) -> PyResult<Self> {
        let made = caught(|| Ok(compile())).map_err(|error| to_python(py, error))?;
        let adapter = made.map_err(|error| representation_error(py, &error))?;
        Ok(Self::of(py, adapter, recipe))
    }
}

#[pymethods]
impl TensorAdapter {
    #[new]
    #[pyo3(signature = (schema, representations, *, inner_nulls=None, duplicates=None, limits=None), text_signature = None)]
    fn new(
        schema: &Bound<'_, PyAny>,
        representations: &Bound<'_, PyAny>,
        inner_nulls: Option<&Bound<'_, PyAny>>,
        duplicates: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = schema.py();
        let mut options = parsed!(AdapterOptions { inner_nulls, duplicates });
        options.batch_bytes = batch_bytes(limits)?;
        let schema = self::schema(schema)?;
        let given = self::representations(representations)?;
        Self::compiled(py, Recipe::Representations(given.clone(), options), || {
            let named = given.iter().map(|(name, representation)| (name.as_str(), representation));
            tensor::TensorAdapter::with_options(schema, named, options)
        })
    }

    #[doc = docs!(TensorAdapter.from_features)]
    #[staticmethod]
    #[pyo3(signature = (schema, features, *, limits=None))]
    fn from_features(
        schema: &Bound<'_, PyAny>,
        features: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = schema.py();
        let batch_bytes = batch_bytes(limits)?;
        let schema = self::schema(schema)?;
        let given = self::features(features)?;
        let features = features.cast::<PyDict>()?.copy()?.into_any().unbind();
        Self::compiled(py, Recipe::Features(features, batch_bytes), || {
            tensor::TensorAdapter::from_features_within(schema, given, batch_bytes)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>();
        match &self.recipe {
            Recipe::Representations(representations, options) => {
                let keywords = PyDict::new(py);
                keywords.set_item("inner_nulls", options.inner_nulls.word())?;
                keywords.set_item("duplicates", options.duplicates.word())?;
                keywords.set_item("limits", limits(options.batch_bytes))?;
                let arguments = (self.schema(), by_name(py, representations.clone())?);
                let make = py.import("copyreg")?.getattr("__newobj_ex__")?;
                Ok((make, (class, arguments, keywords).into_pyobject(py)?))
            }
            Recipe::Features(features, batch_bytes) => {
                let keywords = PyDict::new(py);
                keywords.set_item("limits", limits(*batch_bytes))?;
                let make = (class.getattr("from_features")?,);
                let make = py.import("functools")?.getattr("partial")?.call(make, Some(&keywords))?;
                Ok((make, (self.schema(), features).into_pyobject(py)?))
            }
        }
    }

    #[doc = docs!(TensorAdapter.convert)]
    #[pyo3(signature = (batch, names=None))]
    fn convert<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        names: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = batch.py();
        let names = names.map(|names| strings("names", "a list or tuple of names of tensors (str)", names));
        let names = names.transpose()?;
        let given = BatchArgument::new(batch, &self.projection)?;
        let small = given.is_small();
        let work = || {
            caught(|| {
                Ok(given.batch().map(|batch| match &names {
                    None => self.adapter.convert(&batch),
                    Some(names) => {
                        let names: Vec<&str> = names.iter().map(String::as_str).collect();
                        self.adapter.convert_only(&batch, &names)
                    }
                }))
            })
        };
        let converted = if small { work() } else { py.detach(work) };
        let converted = converted.map_err(|error| to_python(py, error))?;
        let converted = converted.map_err(|refused| refusal(py, "batch", refused))?;
        let tensors = converted.map_err(|error| conversion_error(py, &error))?;
        match names {
            None => self.names.dict(py, tensors),
            Some(_) => dict_of_some(py, tensors),
        }
    }

    #[doc = docs!(TensorAdapter.specs)]
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs_by_name(py, self.adapter.specs())
    }

    #[doc = docs!(TensorAdapter.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.adapter.schema().clone())
    }

    #[doc = docs!(TensorAdapter.explain)]
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensors: Vec<String> = self.adapter.explain().iter().map(ToString::to_string).collect();
        html::explanation(py, tensors.join("\n"))
    }

    fn __repr__(&self) -> String {
        let specs = self
            .adapter
            .specs()
            .iter()
            .map(|(name, spec)| format!("\n  {}", printable(&format!("{name}: {spec}"))));
        let number = counted(self.adapter.specs().len(), "tensor");
        format!("<arrowfeed.TensorAdapter of {number}>{}", specs.collect::<String>())
    }

    fn _repr_html_(&self) -> String {
        html::specs("TensorAdapter", self.adapter.specs())
    }
}

/// The only limit that an adapter uses.
fn batch_bytes(limits: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let limits: Option<source::Limits> = given("limits", limits)?;
    Ok(limits.map_or(AdapterOptions::BATCH_BYTES, |limits| limits.batch_bytes))
}

fn limits(batch_bytes: usize) -> Limits {
    Limits(source::Limits { batch_bytes, ..source::Limits::default() })
}
