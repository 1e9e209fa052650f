//! Claims of blocks through a Python function: `Dataset.read_split(claim=...)`.

use std::error::Error;

use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::argument::wrong_type;
use crate::errors::io_error;
use crate::object::Object;
use crate::shutdown::{call, try_attach};

/// Wraps a Python function for the reader, which calls it for each block. An [`io::Error`](std::io::Error) carries its exception, which is
/// raised unchanged.
pub(crate) fn by_python(
    claim: &Bound<'_, PyAny>,
) -> PyResult<impl FnMut(u64) -> Result<bool, Box<dyn Error + Send + Sync>> + Send + use<>> {
    if !claim.is_callable() {
        return Err(wrong_type("claim", "a function of an offset", claim));
    }
    let claim = Object::new(claim.clone().unbind());
    Ok(move |offset| {
        let granted = try_attach(|py| granted(claim.bind(py), offset).map_err(|error| io_error(py, error)));
        let granted = granted.ok_or("expected a running Python interpreter, found it shut down")?;
        Ok(granted?)
    })
}

/// Accepts only True and False, because a function that forgets to return a value must not end a split.
fn granted(claim: &Bound<'_, PyAny>, offset: u64) -> PyResult<bool> {
    let answer = call(claim, (offset,))?;
    let granted = answer.cast::<PyBool>().map(|answer| answer.is_true());
    granted.map_err(|_| wrong_type("claim", "a return value of True or False", &answer))
}
