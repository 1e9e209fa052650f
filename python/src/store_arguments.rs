//! Names of the store arguments, and their separation from other keywords.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{copied, unexpected_keyword};
use crate::stores::StoreArguments;

/// Names of the arguments.
pub(crate) const STORE_ARGUMENTS: [&str; 4] = ["storage_options", "store", "cache", "cache_bytes"];

impl StoreArguments {
    /// Separates the store arguments from a copy of the other keywords.
    pub(crate) fn split<'py>(
        py: Python<'py>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Self, Bound<'py, PyDict>)> {
        let others = copied(py, keywords)?;
        Ok((Self::take(&others)?, others))
    }

    /// Parses the arguments of a function without other keywords and without a cache.
    pub(crate) fn only(
        function: &str,
        py: Python<'_>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        for (name, _) in keywords.into_iter().flatten() {
            let name = name.extract::<String>()?;
            if !STORE_ARGUMENTS[..2].contains(&name.as_str()) {
                return Err(unexpected_keyword(function, &name));
            }
        }
        Ok(Self::split(py, keywords)?.0)
    }
}
