//! The argument `representations`: a dict of names to representations, messages, or their bytes.

use arrowfeed::tensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::representation::{Representation, bytes, parsed};
use crate::argument::wrong_type;

/// Names and representations, in the dict's order.
pub(super) fn representations(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, tensor::Representation)>> {
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(wrong_type("representations", "a dict of names to representations", value));
    };
    dict.iter().map(|(name, value)| Ok((tensor_name(&name)?, representation(&name, &value)?))).collect()
}

fn tensor_name(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = name.cast::<PyString>();
    let text = text.map_err(|_| wrong_type("representations", "names of tensors (str)", name))?;
    Ok(text.to_str()?.to_owned())
}

fn representation(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<tensor::Representation> {
    if let Ok(representation) = value.cast::<Representation>() {
        return Ok(representation.get().0.clone());
    }
    let argument = format!("representations[{}]", name.repr()?);
    let Ok(bytes) = bytes(&argument, value) else {
        let expected = "a Representation, a TensorRepresentation message or its bytes";
        return Err(wrong_type(&argument, expected, value));
    };
    parsed(value.py(), &bytes)
}
