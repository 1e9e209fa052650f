//! Sources and parsers for the TensorFlow ops, which `arrowfeed_tensorflow` calls without the interpreter if possible.
//!
//! | file | content |
//! |---|---|
//! | `source` | `TensorFlowSource`, and the registry of the sources of this process |
//! | `passes` `records` `made` | the kinds of sources |
//! | `parser` | the parser of records |
//! | `failure` | conversion to TensorFlow errors |

mod failure;
mod made;
mod parser;
mod passes;
mod records;
mod source;

use std::path::PathBuf;
use std::sync::Arc;

use arrowfeed_tensorflow::{Code, Failure, Opener, Parser, TensorSource};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use failure::raised;
use parser::AvroParser;
pub(crate) use source::TensorFlowSource;

use crate::shutdown::{call_method, try_attach};

/// The module of the Python functions that the ops call.
const MODULE: &str = "arrowfeed._tensorflow.op";

/// Opens the sources of this process, and those that a graph contains.
struct Opened;

impl Opener for Opened {
    fn source(&self, key: &str, config: &[u8]) -> Result<Arc<dyn TensorSource>, Failure> {
        if let Some(source) = source::found(key) {
            return Ok(source);
        }
        attached(|py| {
            let restore = || -> PyResult<Arc<dyn TensorSource>> {
                let module = py.import(MODULE)?;
                let made = call_method(module.as_any(), "restored", (key, PyBytes::new(py, config)))?;
                Ok(made.cast_into::<TensorFlowSource>()?.get().source())
            };
            restore().map_err(|error| raised(py, error))
        })
    }

    fn parser(&self, config: &[u8]) -> Result<Arc<dyn Parser>, Failure> {
        attached(|py| Ok(Arc::new(AvroParser::open(py, config)?) as Arc<dyn Parser>))
    }
}

fn attached<T>(work: impl FnOnce(Python<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let ended = || Err(Failure::new(Code::Internal, "the interpreter has ended"));
    try_attach(work).unwrap_or_else(ended)
}

#[doc = docs!(register_tensorflow_ops)]
#[pyfunction]
pub(crate) fn register_tensorflow_ops(library: PathBuf) -> PyResult<()> {
    arrowfeed_tensorflow::register(&library, Box::new(Opened))
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
