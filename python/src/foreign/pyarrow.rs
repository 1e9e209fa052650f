//! Batches of pyarrow, whose schemas pyarrow compares itself: to export and import the schema of a batch with two columns
//! takes 0.7 µs, to ask whether it is the last one 0.1.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::known::{Known, Projection};

/// A schema of pyarrow's batches, and its import.
#[derive(Debug)]
pub(super) struct Seen {
    class: Py<PyType>,
    schema: Py<PyAny>,
    known: Arc<Known>,
}

impl Seen {
    /// The import of a batch's schema, if the batch is one of pyarrow with the schema of the last one. Metadata may
    /// differ: no array depends on it.
    pub(super) fn known(batch: &Bound<'_, PyAny>, projection: &Projection) -> PyResult<Option<Arc<Known>>> {
        let Some(seen) = projection.pyarrow() else { return Ok(None) };
        let py = batch.py();
        if !batch.get_type().is(&seen.class) {
            return Ok(None);
        }
        let schema = batch.getattr(intern!(py, "schema"))?;
        let equal = seen.schema.bind(py).call_method1(intern!(py, "equals"), (schema,))?.is_truthy()?;
        Ok(equal.then(|| seen.known.clone()))
    }

    /// Keeps the schema of a batch, if the batch is of pyarrow's own class.
    pub(super) fn remember(
        batch: &Bound<'_, PyAny>,
        known: &Arc<Known>,
        projection: &Projection,
    ) -> PyResult<()> {
        let py = batch.py();
        let class = batch.get_type();
        let named = class.module().is_ok_and(|module| module == "pyarrow.lib");
        if !named || !batch.hasattr(intern!(py, "_export_to_c"))? {
            return Ok(());
        }
        if class.is(&py.import("pyarrow.lib")?.getattr("RecordBatch")?) {
            let schema = batch.getattr(intern!(py, "schema"))?.unbind();
            projection.set_pyarrow(Self { class: class.unbind(), schema, known: known.clone() });
        }
        Ok(())
    }
}
