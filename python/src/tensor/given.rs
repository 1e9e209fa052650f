//! The arguments `features` and `representations`, which exclude each other. `representations` is a dict of names to
//! representations, messages, or their bytes.

use arrowfeed::{TensorDefinitions, tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use super::features::features;
use super::representation::{Representation, bytes};
use crate::argument::{shown, wrong_type};
use crate::errors::unnamed_representation_error;
use crate::once::imported;

/// Parses the tensor definitions from one of the arguments. `None`: neither is set.
pub(crate) fn tensor_definitions(
    by_feature: Option<Bound<'_, PyAny>>,
    by_representation: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<TensorDefinitions>> {
    Ok(match (by_feature, by_representation) {
        (Some(_), Some(_)) => {
            let message = "features: expected either features or representations, found both";
            return Err(PyValueError::new_err(message));
        }
        (Some(value), None) => Some(TensorDefinitions::Features(features(&value)?)),
        (None, Some(value)) => Some(TensorDefinitions::Representations(representations(&value)?)),
        (None, None) => None,
    })
}

/// Parses names and representations, in the order of the dict.
pub(super) fn representations(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, tensor::Representation)>> {
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

/// Raises for a feature: the classes of some features have the names of those of representations.
fn refuse_feature(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static FEATURE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !value.is_instance(&imported(&FEATURE, value.py(), "arrowfeed.features", "Feature")?)? {
        return Ok(());
    }
    let found = shown(value)?;
    Err(PyTypeError::new_err(format!(
        "{argument}: expected a representation, such as arrowfeed.representations.Dense, found the feature \
         arrowfeed.features.{found}: pass features as features=, or to TensorAdapter.from_features"
    )))
}

fn representation(name: &str, value: &Bound<'_, PyAny>) -> PyResult<tensor::Representation> {
    if let Ok(representation) = value.cast::<Representation>() {
        return Ok(representation.get().0.clone());
    }
    let argument = format!("representations[{name:?}]");
    let expected = "a Representation, a TensorRepresentation message or its bytes";
    let bytes = bytes(&argument, expected, value)
        .or_else(|error| refuse_feature(&argument, value).and(Err(error)))?;
    let parsed = tensor::Representation::from_proto(&bytes);
    parsed.map_err(|error| unnamed_representation_error(value.py(), name, &error))
}
