//! The values of the store arguments of a function call.

use pyo3::prelude::*;

/// The values. None stands for the default of each.
#[derive(Default)]
pub(crate) struct StoreKeywords<'py> {
    pub(crate) storage_options: Option<Bound<'py, PyAny>>,
    pub(crate) store: Option<Bound<'py, PyAny>>,
    pub(crate) cache: Option<Bound<'py, PyAny>>,
    pub(crate) cache_bytes: Option<Bound<'py, PyAny>>,
}

impl<'py> StoreKeywords<'py> {
    /// The values of a function that does not use a cache.
    pub(crate) fn without_cache(
        storage_options: Option<Bound<'py, PyAny>>,
        store: Option<Bound<'py, PyAny>>,
    ) -> Self {
        Self { storage_options, store, ..Default::default() }
    }

    /// The values with the names of the arguments.
    pub(crate) fn by_name(&self) -> [(&'static str, Option<&Bound<'py, PyAny>>); 4] {
        [
            ("storage_options", self.storage_options.as_ref()),
            ("store", self.store.as_ref()),
            ("cache", self.cache.as_ref()),
            ("cache_bytes", self.cache_bytes.as_ref()),
        ]
    }
}
