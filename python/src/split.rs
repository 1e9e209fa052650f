//! `arrowfeed.Split` and `arrowfeed.plan_splits`.

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::argument::{self, integer};
use crate::call::call;
use crate::source::local_files;

/// Bytes of a split unless asked otherwise.
const TARGET_BYTES: u64 = 64 << 20;

/// A byte range of a file. Splits that cover a file cover each of its blocks once.
#[pyclass(module = "arrowfeed", frozen, eq, ord, hash)]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Split(pub(crate) arrowfeed::Split);

#[pymethods]
impl Split {
    #[new]
    fn new(path: &Bound<'_, PyAny>, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = argument::path("path", path)?;
        let (start, end) = (integer("start", 0, start)?, integer("end", 0, end)?);
        Ok(Self(arrowfeed::Split { path, start, end }))
    }

    /// The file.
    #[getter]
    fn path(&self) -> &std::ffi::OsStr {
        self.0.path.as_os_str()
    }

    /// First byte.
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }

    /// The byte after the last.
    #[getter]
    fn end(&self) -> u64 {
        self.0.end
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.path(), self.0.start, self.0.end).into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path().into_pyobject(py)?.repr()?;
        Ok(format!("Split({path}, {}, {})", self.0.start, self.0.end))
    }
}

/// Splits that cover all files, in file order; only headers are read.
#[pyfunction]
#[pyo3(signature = (source, *, target_bytes=None), text_signature = "(source, *, target_bytes=67108864)")]
pub(crate) fn plan_splits(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    target_bytes: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Split>> {
    let target = target_bytes.map_or(Ok(TARGET_BYTES), |value| integer("target_bytes", 1, value))?;
    let files = local_files(source)?;
    let splits = call(py, || arrowfeed::plan_splits(files.iter().map(|file| file as &Path), target))?;
    Ok(splits.into_iter().map(Split).collect())
}
