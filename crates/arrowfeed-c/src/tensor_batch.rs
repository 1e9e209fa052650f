//! The tensors of a batch, whose parts are handed over as structs of DLPack.
//!
//! Unsafe: pointers of C, through the functions of `boundary`. The names and shapes belong to the batch.
#![expect(unsafe_code, reason = "receives pointers of C")]

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use arrow_schema::ArrowError;
use arrowfeed::tensor::dlpack::{DlpackError, Export, VersionedTensor};
use arrowfeed::tensor::{DType, RowSplits, Tensor, Tensors, Values};

use crate::boundary::{borrowed, call_for, free};
use crate::byte_strings::joined;
use crate::error::{Error, ErrorKind, c_text};

/// The tensors of a batch, without structured ones: the fields of these are tensors of their own.
#[derive(Debug)]
pub struct TensorBatch(Vec<Named>);

#[derive(Debug)]
struct Named {
    name: CString,
    tensor: Tensor,
    /// The shape of the values.
    shape: Vec<i64>,
}

impl TensorBatch {
    pub(crate) fn new(tensors: Tensors) -> Self {
        let mut all = Vec::with_capacity(tensors.len());
        for (name, tensor) in tensors {
            add(&mut all, name, tensor);
        }
        Self(all)
    }
}

fn add(all: &mut Vec<Named>, name: String, tensor: Tensor) {
    if let Tensor::Structured(structured) = &tensor {
        for (field, tensor) in structured.fields() {
            add(all, format!("{name}.{field}"), tensor.clone());
        }
        return;
    }
    let shape = shape(&tensor).into_iter().map(|size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
    all.push(Named { name: c_text(&name), tensor, shape });
}

/// The shape of the values.
fn shape(tensor: &Tensor) -> Vec<usize> {
    match tensor {
        Tensor::Dense(dense) => dense.shape().to_vec(),
        Tensor::Ragged(ragged) => ragged.flat_values().shape().to_vec(),
        Tensor::Sparse(sparse) => vec![sparse.values().len()],
        Tensor::Structured(_) => Vec::new(),
    }
}

fn values(tensor: &Tensor) -> Option<&Values> {
    match tensor {
        Tensor::Dense(dense) => Some(dense.values()),
        Tensor::Ragged(ragged) => Some(ragged.flat_values().values()),
        Tensor::Sparse(sparse) => Some(sparse.values()),
        Tensor::Structured(_) => None,
    }
}

/// The kinds of tensors: `ARROWFEED_TENSOR_...`.
pub mod tensor_kind {
    #![allow(missing_docs, reason = "constants of the header")]
    pub const DENSE: i32 = 1;
    pub const SPARSE: i32 = 2;
    pub const RAGGED: i32 = 3;
}

/// The parts of tensors: `ARROWFEED_PART_...`.
pub mod tensor_part {
    #![allow(missing_docs, reason = "constants of the header")]
    pub const VALUES: i32 = 1;
    pub const OFFSETS: i32 = 2;
    pub const INDICES: i32 = 3;
    pub const DENSE_SHAPE: i32 = 4;
    pub const ROW_SPLITS: i32 = 5;
}

/// Number of tensors; 0 for NULL.
///
/// # Safety
/// The batch is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_count(batch: *const TensorBatch) -> usize {
    // SAFETY: as above.
    unsafe { batch.as_ref() }.map_or(0, |batch| batch.0.len())
}

/// # Safety
/// The batch is NULL, or one of this library that is not freed while the tensor is used.
unsafe fn tensor<'a>(batch: *const TensorBatch, index: usize) -> Option<&'a Named> {
    // SAFETY: as above.
    unsafe { batch.as_ref() }?.0.get(index)
}

/// The name of a tensor; NULL if there is no tensor with this index. The batch owns the text.
///
/// # Safety
/// The batch is NULL, or one of this library that is not freed while the text is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_name(batch: *const TensorBatch, index: usize) -> *const c_char {
    // SAFETY: as above.
    unsafe { tensor(batch, index) }.map_or(ptr::null(), |tensor| tensor.name.as_ptr())
}

/// The kind of a tensor: one of the constants `ARROWFEED_TENSOR_...`; 0 if there is no tensor with this index.
///
/// # Safety
/// The batch is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_kind(batch: *const TensorBatch, index: usize) -> c_int {
    // SAFETY: as above.
    match unsafe { tensor(batch, index) }.map(|tensor| &tensor.tensor) {
        Some(Tensor::Dense(_)) => tensor_kind::DENSE,
        Some(Tensor::Sparse(_)) => tensor_kind::SPARSE,
        Some(Tensor::Ragged(_)) => tensor_kind::RAGGED,
        Some(Tensor::Structured(_)) | None => 0,
    }
}

/// The shape of the values of a tensor, and its number of dimensions; NULL if there is no tensor with this index. The batch owns
/// the numbers.
///
/// # Safety
/// The batch is NULL, or one of this library that is not freed while the numbers are used; `rank` is a place for a number, or
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_shape(
    batch: *const TensorBatch,
    index: usize,
    rank: *mut usize,
) -> *const i64 {
    // SAFETY: as above.
    let shape = unsafe { tensor(batch, index) }.map(|tensor| &tensor.shape);
    // SAFETY: as above.
    if let Some(rank) = unsafe { rank.as_mut() } {
        *rank = shape.map_or(0, Vec::len);
    }
    shape.map_or(ptr::null(), |shape| shape.as_ptr())
}

/// Number of levels of row splits of a tensor; 0 if it is not ragged.
///
/// # Safety
/// The batch is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_row_splits(batch: *const TensorBatch, index: usize) -> usize {
    // SAFETY: as above.
    unsafe { tensor(batch, index) }.map_or(0, |tensor| tensor.tensor.row_splits().len())
}

/// Hands a part of a tensor over.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_part(
    batch: *const TensorBatch,
    index: usize,
    part: c_int,
    level: usize,
    out: *mut *mut VersionedTensor,
    error: *mut *mut Error,
) -> c_int {
    let export = || {
        // SAFETY: as above.
        let batch = unsafe { borrowed(batch, "batch") }?;
        let Some(Named { tensor, name, .. }) = batch.0.get(index) else {
            let count = batch.0.len();
            return Err(Error::argument(format!("index: expected a number below {count}, found {index}")));
        };
        let export = export(tensor, part, level).map_err(|error| match error {
            PartError::None(found) => {
                Error::argument(format!("part: expected a part of the tensor {name:?}, found {found}"))
            }
            PartError::Failed(error) => Error::new(ErrorKind::Conversion, format!("{name:?}: {error}")),
        })?;
        Ok(export.into_managed::<VersionedTensor>().into_raw())
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, export) }
}

/// Frees a batch. Parts that were handed over stay valid. NULL has no effect.
///
/// # Safety
/// The batch is NULL, or one of this library that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_batch_free(batch: *mut TensorBatch) {
    // SAFETY: as above.
    unsafe { free(batch) };
}

enum PartError {
    /// The tensor has no such part.
    None(String),
    /// It cannot be handed over.
    Failed(String),
}

impl From<DlpackError> for PartError {
    fn from(error: DlpackError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<ArrowError> for PartError {
    fn from(error: ArrowError) -> Self {
        Self::Failed(error.to_string())
    }
}

fn export(tensor: &Tensor, part: c_int, level: usize) -> Result<Export, PartError> {
    let none = || PartError::None(format!("part {part} of level {level}"));
    if level > 0 && part != tensor_part::ROW_SPLITS {
        return Err(none());
    }
    let values = values(tensor).ok_or_else(none)?;
    let is_bytes = values.dtype() == DType::Bytes;
    Ok(match (part, tensor) {
        (tensor_part::VALUES, _) if is_bytes => {
            let (bytes, _) = joined(values.array())?;
            let len = bytes.len();
            Export::new(bytes, DType::UInt8, &[len])?
        }
        (tensor_part::VALUES, _) => Export::of_values(values, &shape(tensor))?,
        (tensor_part::OFFSETS, _) if is_bytes => {
            let (_, offsets) = joined(values.array())?;
            Export::of_int64(&offsets, &[offsets.len()])?
        }
        (tensor_part::INDICES, Tensor::Sparse(sparse)) => {
            Export::of_int64(sparse.indices(), &[sparse.values().len(), sparse.rank()])?
        }
        (tensor_part::DENSE_SHAPE, Tensor::Sparse(sparse)) => {
            Export::of_int64(&sparse.dense_shape().to_vec().into(), &[sparse.rank()])?.copied()
        }
        (tensor_part::ROW_SPLITS, Tensor::Ragged(ragged)) => {
            let splits: &RowSplits = ragged.row_splits().get(level).ok_or_else(none)?;
            Export::of_row_splits(splits)?
        }
        _ => return Err(none()),
    })
}
