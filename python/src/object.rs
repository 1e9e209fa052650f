//! References to Python objects that a detached thread may drop.

use std::ops::Deref;

use pyo3::prelude::*;

use crate::shutdown;

/// A reference whose destructor attaches to the interpreter. Invariant: it is `Some` until the destructor runs.
///
/// If a detached thread drops a PyO3 reference, PyO3 adds it to a list behind a lock. If another thread forks at that
/// moment, the child deadlocks on the lock when it next attaches.
#[derive(Debug)]
pub(crate) struct Object(Option<Py<PyAny>>);

impl Object {
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self(Some(object))
    }
}

impl Deref for Object {
    type Target = Py<PyAny>;

    fn deref(&self) -> &Py<PyAny> {
        self.0.as_ref().expect("the reference is there until the destructor runs")
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        shutdown::try_attach(|py| {
            if let Some(object) = self.0.take() {
                shutdown::release(py, object);
            }
        });
    }
}
