//! `arrowfeed.TensorAdapter`.

use arrowfeed::tensor::feature::FeatureAdapter;
use arrowfeed::tensor::{
    self, Adapter, AdapterOptions, Duplicates, InnerNulls, RepresentationError, Tensors,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::features::features;
use super::given::representations;
use super::import::{record_batch, schema};
use super::spec::TensorSpec;
use super::wrapped;
use crate::argument::{choice, strings};
use crate::arrow_schema::{Schema, counted};
use crate::call::caught;
use crate::errors::{conversion_error, representation_error, to_python};

const INNER_NULLS: [(&str, InnerNulls); 2] = [("error", InnerNulls::Error), ("fill", InnerNulls::Fill)];

pub(super) const DUPLICATES: [(&str, Duplicates); 2] =
    [("keep", Duplicates::Keep), ("error", Duplicates::Error)];

/// Turns record batches of one schema into tensors.
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct TensorAdapter(Adapter);

impl TensorAdapter {
    pub(crate) fn of(adapter: Adapter) -> Self {
        Self(adapter)
    }

    fn compiled(
        py: Python<'_>,
        compile: impl FnOnce() -> Result<Adapter, RepresentationError>,
    ) -> PyResult<Self> {
        let made = caught(|| Ok(compile())).map_err(|error| to_python(py, error))?;
        made.map(Self::of).map_err(|error| representation_error(py, &error))
    }
}

/// The dict of Python's tensors.
pub(crate) fn tensors_by_name(py: Python<'_>, tensors: Tensors) -> PyResult<Bound<'_, PyDict>> {
    let named = PyDict::new(py);
    for (name, tensor) in tensors {
        let tensor = wrapped(py, tensor, &name)?;
        named.set_item(name, tensor)?;
    }
    Ok(named)
}

#[pymethods]
impl TensorAdapter {
    #[new]
    #[pyo3(signature = (schema, representations, *, inner_nulls=None, duplicates=None),
        text_signature = "(schema, representations, *, inner_nulls='error', duplicates='keep')")]
    fn new(
        schema: &Bound<'_, PyAny>,
        representations: &Bound<'_, PyAny>,
        inner_nulls: Option<&Bound<'_, PyAny>>,
        duplicates: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = schema.py();
        let mut options = AdapterOptions::default();
        if let Some(value) = inner_nulls {
            options.inner_nulls = choice("inner_nulls", &INNER_NULLS, value)?;
        }
        if let Some(value) = duplicates {
            options.duplicates = choice("duplicates", &DUPLICATES, value)?;
        }
        let schema = self::schema(schema)?;
        let given = self::representations(representations)?;
        let given = given.iter().map(|(name, representation)| (name.as_str(), representation));
        let adapter = || tensor::TensorAdapter::with_options(schema, given, options);
        Self::compiled(py, || adapter().map(Adapter::Representations))
    }

    /// An adapter of features over key expressions.
    #[staticmethod]
    fn from_features(schema: &Bound<'_, PyAny>, features: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = schema.py();
        let schema = self::schema(schema)?;
        let given = self::features(features)?;
        Self::compiled(py, || FeatureAdapter::try_new(schema, given).map(Adapter::Features))
    }

    /// The tensors of a batch, by name.
    #[pyo3(signature = (batch, names=None))]
    fn convert<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        names: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = batch.py();
        let names = names.map(|names| strings("names", "a list or tuple of names of tensors (str)", names));
        let names = names.transpose()?;
        let batch = record_batch(batch)?;
        let converted = py.detach(|| {
            caught(|| {
                Ok(match &names {
                    None => self.0.convert(&batch),
                    Some(names) => {
                        let names: Vec<&str> = names.iter().map(String::as_str).collect();
                        self.0.convert_only(&batch, &names)
                    }
                })
            })
        });
        let converted = converted.map_err(|error| to_python(py, error))?;
        tensors_by_name(py, converted.map_err(|error| conversion_error(py, &error))?)
    }

    /// What is known of each tensor before any batch.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let specs = PyDict::new(py);
        for (name, spec) in self.0.specs() {
            specs.set_item(name, TensorSpec(spec.clone()))?;
        }
        Ok(specs)
    }

    /// The schema that batches must have.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema().clone())
    }

    /// Of each tensor, what is shared with the batch and what is copied, and why.
    fn explain(&self) -> String {
        let tensors: Vec<String> = self.0.explain().iter().map(ToString::to_string).collect();
        tensors.join("\n")
    }

    fn __repr__(&self) -> String {
        let specs = self.0.specs().iter().map(|(name, spec)| format!("\n  {name}: {spec}"));
        let number = counted(self.0.specs().len(), "tensor");
        format!("<arrowfeed.TensorAdapter of {number}>{}", specs.collect::<String>())
    }
}
