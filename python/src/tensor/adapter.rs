//! `arrowfeed.TensorAdapter`.

use std::sync::Arc;

use arrowfeed::tensor::{self, AdapterOptions, Duplicates, InnerNulls};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::given::representations;
use super::import::{Given, schema};
use super::infer::by_name;
use super::spec::TensorSpec;
use super::wrapped;
use crate::argument::{choice, strings};
use crate::arrow_schema::{Schema, counted};
use crate::call::caught;
use crate::errors::{conversion_error, representation_error, to_python};
use crate::foreign::Projection;

const INNER_NULLS: [(&str, InnerNulls); 2] = [("error", InnerNulls::Error), ("fill", InnerNulls::Fill)];

const DUPLICATES: [(&str, Duplicates); 2] = [("keep", Duplicates::Keep), ("error", Duplicates::Error)];

/// Turns record batches of one schema into tensors.
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct TensorAdapter {
    adapter: tensor::TensorAdapter,
    representations: Vec<(String, tensor::Representation)>,
    options: AdapterOptions,
    projection: Projection,
    /// Of all tensors: keys that Python hashes once, and what their messages say.
    names: Vec<(Py<PyString>, Arc<str>)>,
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
        let named = given.iter().map(|(name, representation)| (name.as_str(), representation));
        let made = caught(|| Ok(tensor::TensorAdapter::with_options(schema, named, options)));
        let made = made.map_err(|error| to_python(py, error))?;
        let adapter = made.map_err(|error| representation_error(py, &error))?;
        let names = adapter.specs().iter().map(|(name, _)| name.as_str());
        let names = names.map(|name| (PyString::new(py, name).unbind(), name.into())).collect();
        let projection = Projection::new(adapter.columns());
        Ok(Self { adapter, representations: given, options, projection, names })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py>> {
        let keywords = PyDict::new(py);
        keywords.set_item("inner_nulls", word(&INNER_NULLS, self.options.inner_nulls))?;
        keywords.set_item("duplicates", word(&DUPLICATES, self.options.duplicates))?;
        Ok(((self.schema(), by_name(py, self.representations.clone())?), keywords))
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
        let given = Given::new(batch, &self.projection)?;
        let small = given.is_small();
        let work = || {
            caught(|| {
                Ok(given.batch(&self.projection).map(|batch| match &names {
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
        let converted = converted.map_err(|refused| refused.into_python(py, "batch"))?;
        let tensors = PyDict::new(py);
        let converted = converted.map_err(|error| conversion_error(py, &error))?;
        for (index, (name, tensor)) in converted.into_iter().enumerate() {
            match (&names, self.names.get(index)) {
                (None, Some((key, name))) => tensors.set_item(key, wrapped(py, tensor, name)?)?,
                _ => tensors.set_item(&name, wrapped(py, tensor, &name.as_str().into())?)?,
            }
        }
        Ok(tensors)
    }

    /// What is known of each tensor before any batch.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let specs = PyDict::new(py);
        for (name, spec) in self.adapter.specs() {
            specs.set_item(name, TensorSpec(spec.clone()))?;
        }
        Ok(specs)
    }

    /// The schema that batches must have.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.adapter.schema().clone())
    }

    /// Of each tensor, what is shared with the batch and what is copied, and why.
    fn explain(&self) -> String {
        let tensors: Vec<String> = self.adapter.explain().iter().map(ToString::to_string).collect();
        tensors.join("\n")
    }

    fn __repr__(&self) -> String {
        let specs = self.adapter.specs().iter().map(|(name, spec)| format!("\n  {name}: {spec}"));
        let number = counted(self.adapter.specs().len(), "tensor");
        format!("<arrowfeed.TensorAdapter of {number}>{}", specs.collect::<String>())
    }
}

type NewArguments<'py> = ((Schema, Bound<'py, PyDict>), Bound<'py, PyDict>);

/// What an option is called.
fn word<T: PartialEq>(words: &[(&'static str, T)], option: T) -> Option<&'static str> {
    words.iter().find(|(_, meaning)| *meaning == option).map(|(word, _)| *word)
}
