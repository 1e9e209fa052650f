//! Tensors of DLPack: structs through which libraries share the memory of tensors without a copy.
//!
//! [`Export`] describes memory to hand over: that of a dense tensor, or of a part of a sparse or ragged one.
//! [`Managed`] owns a struct, of this crate or of another library. [`import`] makes a dense tensor of it.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::Float32Array;
//! use arrowfeed_tensor::dlpack::{self, Export, Managed, VersionedTensor};
//! use arrowfeed_tensor::{DenseTensor, Values};
//!
//! let values = Values::try_new(Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0])))?;
//! let tensor = DenseTensor::try_new(values, vec![2, 2])?;
//! let handed_over: Managed<VersionedTensor> = Export::of_dense(&tensor)?.into_managed();
//! // A C library would receive the pointer `handed_over.into_raw()`.
//! assert_eq!(dlpack::import(handed_over)?, tensor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The structs are those of `dlpack.h`, version 1.

// | module | contents |
// |---|---|
// | `structs` | the structs, and their owner |
// | `export` | memory to structs |
// | `import` | structs to dense tensors |
// | `error` | the error type |

mod error;
mod export;
mod import;
mod structs;
#[cfg(test)]
mod tests;

pub use error::{DlpackError, DlpackErrorKind};
pub use export::Export;
pub use import::import;
pub use structs::{
    CPU, DataType, Device, Form, LegacyTensor, Managed, RawTensor, Version, VersionedTensor, flags,
};
