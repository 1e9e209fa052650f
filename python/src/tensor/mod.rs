//! Conversion of record batches to tensors, for Python.
//!
//! | topic | files |
//! |---|---|
//! | definitions | `representation` (the classes), `kinds` and `kind_arguments` (their constructors), `given`, `features`, `transform`, `infer` |
//! | batches to tensors | `adapter`, `spec`, `import` (Arrow data of any library) |
//! | tensors | `dense`, `sparse`, `ragged`, `structured`, `names` (keys of dicts), `html` (for notebooks) |
//! | tensors from arrays, and tensors to batches | `build`, `reverse` |
//! | shared memory | `memory`, `view` (numpy), `dlpack`, `strings` |

mod adapter;
mod build;
mod dense;
mod dlpack;
mod features;
mod given;
mod html;
mod import;
mod infer;
mod kind_arguments;
mod kinds;
mod memory;
mod names;
mod ragged;
mod representation;
mod reverse;
mod sparse;
mod spec;
mod strings;
mod structured;
mod transform;
mod view;

use arrow_array::ArrayRef;
use arrowfeed::tensor::Values;
use pyo3::prelude::*;

use crate::errors::conversion_error;

pub(crate) use adapter::TensorAdapter;
pub(crate) use dense::DenseTensor;
pub(crate) use given::tensor_definitions;
pub(crate) use import::schema;
pub(crate) use infer::{infer_representations, representations_from_tfmd, representations_of_tfmd};
pub(crate) use names::TensorNames;
pub(crate) use ragged::{RaggedTensor, join_jagged};
pub(crate) use representation::{
    Dense, Ragged, Representation, Sparse, Structured, VarLenRagged, VarLenSparse, bytes as message_bytes,
    wrapped as wrapped_representation,
};
pub(crate) use reverse::TensorsToRecordBatch;
pub(crate) use sparse::SparseTensor;
pub(crate) use spec::{TensorSpec, specs_by_name};
pub(crate) use structured::StructuredTensor;
pub(crate) use transform::{Transform, bucketized, cast, clipped, crossed, hashed, normalised, vocabulary};

/// A read-only array of numpy over numbers, or a copy of bools as bytes.
pub(crate) fn numbers<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let values = Values::try_new(array.clone()).map_err(|error| conversion_error(py, &error))?;
    DenseTensor::flat(py, &values, None)?.array(py)
}
