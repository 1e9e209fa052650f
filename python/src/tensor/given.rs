//! The argument `representations`: a dict of names to representations, messages, or their bytes.

use arrowfeed::tensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::representation::{Representation, bytes};
use crate::argument::wrong_type;
use crate::errors::unnamed_representation_error;

/// Names and representations, in the dict's order.
pub(crate) fn representations(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, tensor::Representation)>> {
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(wrong_type("representations", "a dict of names to representations", value));
    };
    let items = dict.iter().map(|(name, value)| {
        let name = tensor_name(&name)?;
        let representation = representation(&name, &value)?;
        Ok((name, representation))
    });
    items.collect()
}

fn tensor_name(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = name.cast::<PyString>();
    let text = text.map_err(|_| wrong_type("representations", "names of tensors (str)", name))?;
    Ok(text.to_str()?.to_owned())
}

fn representation(name: &str, value: &Bound<'_, PyAny>) -> PyResult<tensor::Representation> {
    if let Ok(representation) = value.cast::<Representation>() {
        return Ok(representation.get().0.clone());
    }
    let argument = format!("representations[{name:?}]");
    let expected = "a Representation, a TensorRepresentation message or its bytes";
    let bytes = bytes(&argument, expected, value)?;
    let parsed = tensor::Representation::from_proto(&bytes);
    parsed.map_err(|error| unnamed_representation_error(value.py(), name, &error))
}
