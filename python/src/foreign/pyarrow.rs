//! Batches of pyarrow, whose schemas pyarrow compares itself: to make a schema for the C interface and to read it takes
//! 0.7 µs of a batch with two columns, to ask whether it is the last one 0.1.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::known::Known;

/// A schema of pyarrow's batches, and what was read of it.
#[derive(Debug)]
pub(super) struct Seen {
    class: Py<PyType>,
    schema: Py<PyAny>,
    known: Arc<Known>,
}

impl Seen {
    /// `None` where the value is no batch of pyarrow's own class.
    pub(super) fn new(batch: &Bound<'_, PyAny>, known: &Arc<Known>) -> PyResult<Option<Self>> {
        let py = batch.py();
        let class = batch.get_type();
        let named = class.module().is_ok_and(|module| module == "pyarrow.lib");
        if !named || !batch.hasattr(intern!(py, "_export_to_c"))? {
            return Ok(None);
        }
        if !class.is(&py.import("pyarrow.lib")?.getattr("RecordBatch")?) {
            return Ok(None);
        }
        let schema = batch.getattr(intern!(py, "schema"))?.unbind();
        Ok(Some(Self { class: class.unbind(), schema, known: known.clone() }))
    }

    /// What is known of the schema of a batch, if it is this one. Metadata may differ: no array depends on it.
    pub(super) fn of(&self, batch: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Known>>> {
        let py = batch.py();
        if !batch.get_type().is(&self.class) {
            return Ok(None);
        }
        let schema = batch.getattr(intern!(py, "schema"))?;
        let equal = self.schema.bind(py).call_method1(intern!(py, "equals"), (schema,))?.is_truthy()?;
        Ok(equal.then(|| self.known.clone()))
    }
}
