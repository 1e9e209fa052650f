//! `arrowfeed.Split`.

use arrowfeed::avro::FileIdentity;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::argument::{self, integer, wrong_type};

/// Default size of a split in bytes.
const TARGET_BYTES: u64 = 64 << 20;

#[doc = docs!(Split)]
#[pyclass(module = "arrowfeed", frozen, eq, ord, hash)]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Split(pub(crate) arrowfeed::Split);

#[pymethods]
impl Split {
    #[new]
    #[pyo3(signature = (path, start, end, *, file_id=None))]
    fn new(
        path: &Bound<'_, PyAny>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        file_id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let path = argument::path("path", path)?;
        let (start, end) = (integer("start", 0, start)?, integer("end", 0, end)?);
        let identity = file_id.map(identity).transpose()?;
        let split = arrowfeed::Split { path, start, end, identity };
        split.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self(split))
    }

    #[doc = docs!(Split.path)]
    #[getter]
    fn path(&self) -> &std::ffi::OsStr {
        self.0.path.as_os_str()
    }

    #[doc = docs!(Split.start)]
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }

    #[doc = docs!(Split.end)]
    #[getter]
    fn end(&self) -> u64 {
        self.0.end
    }

    #[doc = docs!(Split.file_id)]
    #[getter]
    fn file_id(&self) -> Option<String> {
        self.0.identity.map(|identity| identity.to_string())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("file_id", self.file_id())?;
        Ok(((self.path(), self.0.start, self.0.end).into_pyobject(py)?, keywords))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path().into_pyobject(py)?.repr()?;
        Ok(format!("Split({path}, {}, {})", self.0.start, self.0.end))
    }
}

fn identity(value: &Bound<'_, PyAny>) -> PyResult<FileIdentity> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type("file_id", "a str or None", value))?;
    let identity = text.to_cow()?.parse::<FileIdentity>();
    identity.map_err(|error| PyValueError::new_err(format!("file_id: {error}")))
}

/// Parses the argument `target_bytes`.
pub(crate) fn target(target_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    target_bytes.map_or(Ok(TARGET_BYTES), |value| integer("target_bytes", 1, value))
}
