//! The named index of a pandas frame.
//!
//! The stream of a frame has columns for all indices but a `RangeIndex`, which is only described in the metadata of the
//! schema. pandas 3.1 returns a `RangeIndex` for more frames than before, such as
//! `pandas.DataFrame({"id": [1, 2], "x": [3, 4]}).set_index("id")`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::shutdown::{attribute, call_with};

/// Returns a table with the columns of a frame and its index, if this is a `RangeIndex` with a name; otherwise `value`.
pub(super) fn with_named_index<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !has_named_range(value)? {
        return Ok(value.clone());
    }
    let py = value.py();
    let keywords = PyDict::new(py);
    keywords.set_item("preserve_index", true)?;
    let table = py.import("pyarrow")?.getattr(intern!(py, "Table"))?;
    call_with(&table.getattr(intern!(py, "from_pandas"))?, (value,), Some(&keywords))
}

fn has_named_range(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    // No value is a frame before pandas is imported.
    let modules = py.import("sys")?.getattr(intern!(py, "modules"))?;
    let Ok(pandas) = modules.get_item(intern!(py, "pandas")) else { return Ok(false) };
    let is_a = |value: &Bound<'_, PyAny>, class: &str| match pandas.getattr_opt(class)? {
        Some(class) => value.is_instance(&class),
        None => Ok(false),
    };
    if !is_a(value, "DataFrame")? {
        return Ok(false);
    }
    let index = attribute(value, intern!(py, "index"))?;
    Ok(is_a(&index, "RangeIndex")? && !attribute(&index, intern!(py, "name"))?.is_none())
}
