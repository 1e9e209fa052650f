//! `arrowfeed.Schema`: an Arrow schema that every Arrow library accepts.

use std::collections::HashMap;

use arrow_schema::{FieldRef, SchemaRef};
use arrowfeed::printable;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::exported::schema_capsule;
use crate::html;
use crate::libraries;
use crate::pickled;

/// Maximum number of fields in a text form.
pub(crate) const SHOWN: usize = 50;

#[doc = docs!(Schema)]
#[pyclass(module = "arrowfeed", frozen, eq)]
#[derive(Debug, PartialEq)]
pub(crate) struct Schema(pub(crate) SchemaRef);

#[pymethods]
impl Schema {
    #[doc = docs!(Schema.names)]
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.fields().iter().map(|field| field.name().as_str()).collect()
    }

    #[doc = docs!(Schema.metadata)]
    #[getter]
    fn metadata(&self) -> &HashMap<String, String> {
        self.0.metadata()
    }

    #[doc = docs!(Schema.to_pyarrow)]
    fn to_pyarrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        libraries::to_pyarrow(&slf, "schema")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
        pickled::reduced(py, &self.0)
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.Schema of {}>{}", counted(self.0.fields().len(), "column"), listed(&self.0))
    }

    fn _repr_html_(&self) -> String {
        html::schema(&self.0)
    }
}

/// A number with its noun, such as `1 column` or `2 columns`.
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Lists the fields, one per line, with a last line for the omitted fields.
pub(crate) fn listed(schema: &SchemaRef) -> String {
    let fields = schema.fields();
    let mut text = String::new();
    for field in fields.iter().take(SHOWN) {
        text.push_str(&line(field));
    }
    text.push_str(&and_more(fields.len()));
    text
}

/// The last line of a list of columns that is not complete.
pub(crate) fn and_more(fields: usize) -> String {
    match fields.checked_sub(SHOWN) {
        None | Some(0) => String::new(),
        Some(more) => format!("\n  and {more} more"),
    }
}

/// The line of a column.
pub(crate) fn line(field: &FieldRef) -> String {
    let null = if field.is_nullable() { "" } else { " not null" };
    format!("\n  {}{null}", printable(&format!("{}: {}", field.name(), field.data_type())))
}
