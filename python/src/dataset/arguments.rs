//! Arguments of a dataset: kept as they were given, so that it can be pickled, and parsed.

use arrowfeed::{AvroDatasetOptions, TensorDefinitions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::unexpected_keyword;
use crate::options::read_options;
use crate::tensor::{features, representations};

/// Options of reading that a dataset has too.
const READING: [&str; 4] = ["columns", "reader_schema", "encoding", "limits"];

/// The options that `AvroDataset` was called with.
pub(super) fn dataset_options(keywords: &Bound<'_, PyDict>) -> PyResult<AvroDatasetOptions> {
    let reading = PyDict::new(keywords.py());
    let (mut by_feature, mut by_representation) = (None, None);
    for (name, value) in keywords {
        match name.extract::<String>()?.as_str() {
            _ if value.is_none() => {}
            "features" => by_feature = Some(value),
            "representations" => by_representation = Some(value),
            known if READING.contains(&known) => reading.set_item(name, value)?,
            unknown => return Err(unexpected_keyword("AvroDataset", unknown)),
        }
    }
    let tensors = match (by_feature, by_representation) {
        (Some(_), Some(_)) => {
            let message = "features: expected either features or representations, found both";
            return Err(PyValueError::new_err(message));
        }
        (Some(value), None) => Some(TensorDefinitions::Features(features(&value)?)),
        (None, Some(value)) => Some(TensorDefinitions::Representations(representations(&value)?)),
        (None, None) => None,
    };
    let reading = read_options("AvroDataset", Some(&reading))?;
    Ok(AvroDatasetOptions {
        tensors,
        columns: reading.columns,
        reader_schema: reading.reader_schema,
        encoding: reading.encoding,
        limits: reading.limits,
    })
}
