//! `infer_representations` and `representations_from_tfmd`, which derive representations from schemas.

use arrowfeed::tensor::{self, Inferred, Representations};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::import::schema;
use super::representation::{by_name, bytes};
use crate::argument::wrong_type;
use crate::call::caught;
use crate::errors::{representation_error, to_python};

#[doc = docs!(infer_representations)]
#[pyfunction]
#[pyo3(signature = (schema))]
pub(crate) fn infer_representations<'py>(schema: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = schema.py();
    let schema = self::schema(schema)?;
    let inferred = caught(|| Ok(Inferred::from_schema(&schema)));
    let Inferred { representations, left_out } = inferred.map_err(|error| to_python(py, error))?;
    let reasons = PyDict::new(py);
    for (name, reason) in left_out {
        reasons.set_item(name, reason.to_string())?;
    }
    let class = py.import("arrowfeed._inferred")?.getattr("InferredRepresentations")?;
    Ok(class.call1((by_name(py, representations)?, reasons))?.cast_into()?)
}

#[doc = signed!(representations_from_tfmd)]
#[pyfunction]
#[pyo3(signature = (schema_proto, *, group=None), text_signature = None)]
pub(crate) fn representations_from_tfmd<'py>(
    schema_proto: &Bound<'py, PyAny>,
    group: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = schema_proto.py();
    let group = match group.map(|group| (group, group.cast::<PyString>())) {
        None => String::new(),
        Some((_, Ok(name))) => name.to_str()?.to_owned(),
        Some((group, Err(_))) => return Err(wrong_type("group", "the name of a group (str)", group)),
    };
    let bytes = bytes("schema_proto", "bytes, or a message with SerializeToString", schema_proto)?;
    by_name(py, representations_of_tfmd(py, &bytes, &group)?)
}

/// Derives representations from the bytes of a TensorFlow Metadata schema.
pub(crate) fn representations_of_tfmd(
    py: Python<'_>,
    schema: &[u8],
    group: &str,
) -> PyResult<Representations> {
    let found = caught(|| Ok(tensor::representations_from_tfmd(schema, group)));
    let found = found.map_err(|error| to_python(py, error))?;
    found.map_err(|error| representation_error(py, &error))
}
