//! Structs to dense tensors.
//!
//! Unsafe: the numbers of a struct are hostile, and the memory that it points to is that which its source has vouched for, see
//! [`Managed::from_raw`]. Every number is checked before it becomes a length or an offset.
#![expect(unsafe_code, reason = "reads the shape and the elements of a struct of another library")]

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;

use super::error::{DlpackError, DlpackErrorKind as Kind};
use super::export::{MAX_DIMENSIONS, data_type};
use super::structs::{CPU, DataType, Form, Managed, RawTensor, Version};
use crate::dtype::DType;
use crate::tensor::DenseTensor;
use crate::values::Values;

/// Makes a dense tensor of a struct, over its memory. The memory is copied if the values are bools, which Arrow stores as bits,
/// or if it is not aligned for its type. The struct is freed with the last user of its memory; if it is an error, at once.
///
/// # Errors
/// The version is not 1; the memory is not that of the CPU; the type is not one of [`DType`]; the number of dimensions is negative
/// or above 64; a size is negative, or all of them are too large together; the elements are not in row-major order; a pointer is
/// null.
pub fn import<F: Form>(managed: Managed<F>) -> Result<DenseTensor, DlpackError> {
    if let Some(found) = managed.get().version().filter(|found| found.major != Version::OF_THIS_CRATE.major) {
        let found = format!("version {}.{}", found.major, found.minor);
        return Err(DlpackError::new(Kind::Version, "a tensor of version 1", found));
    }
    let tensor = managed.get().tensor();
    if tensor.device.device_type != CPU.device_type {
        let found = format!("device type {}", tensor.device.device_type);
        return Err(DlpackError::new(Kind::Device, "memory of the CPU, device type 1", found));
    }
    let dtype = dtype(tensor.dtype)?;
    let shape = shape(tensor)?;
    let bytes = bytes(tensor, dtype, &shape)?;
    let values = values(bytes, dtype, Arc::new(managed))?;
    let tensor = Values::try_new(values).and_then(|values| DenseTensor::try_new(values, shape));
    tensor.map_err(|error| DlpackError::new(Kind::Shape, "a dense tensor", error))
}

fn dtype(found: DataType) -> Result<DType, DlpackError> {
    let known = DType::ALL.into_iter().filter(|dtype| *dtype != DType::Bytes);
    known.into_iter().find(|dtype| data_type(*dtype) == found).ok_or_else(|| {
        let DataType { code, bits, lanes } = found;
        let expected = "numbers of 8 to 64 bits, floats of 16 to 64 bits, or bools of 8 bits";
        DlpackError::new(Kind::Type, expected, format!("code {code} with {bits} bits and {lanes} lanes"))
    })
}

/// The sizes, if the elements are in row-major order.
fn shape(tensor: &RawTensor) -> Result<Vec<usize>, DlpackError> {
    let rank = usize::try_from(tensor.ndim).ok().filter(|rank| *rank <= MAX_DIMENSIONS);
    let rank = rank.ok_or_else(|| {
        DlpackError::new(Kind::Shape, format!("0 to {MAX_DIMENSIONS} dimensions"), tensor.ndim)
    })?;
    // SAFETY: it is null, or points to as many numbers as the tensor has dimensions.
    let sizes = unsafe { numbers(tensor.shape, rank) };
    let sizes = sizes.ok_or_else(|| DlpackError::new(Kind::Pointer, "a shape", "a null pointer"))?;
    let shape = sizes.iter().map(|size| usize::try_from(*size)).collect::<Result<Vec<_>, _>>();
    let shape =
        shape.map_err(|_| DlpackError::new(Kind::Shape, "sizes of 0 or more", format!("{sizes:?}")))?;
    // SAFETY: as above.
    if let Some(strides) = unsafe { numbers(tensor.strides, rank) } {
        check_strides(&shape, &strides)?;
    }
    Ok(shape)
}

/// `None`: the pointer is null although there are numbers.
///
/// # Safety
/// The pointer is null, or points to `len` numbers that do not change.
unsafe fn numbers(numbers: *const i64, len: usize) -> Option<Vec<i64>> {
    if numbers.is_null() && len > 0 {
        return None;
    }
    // SAFETY: it points to `len` numbers, which may be unaligned.
    Some((0..len).map(|number| unsafe { numbers.add(number).read_unaligned() }).collect())
}

/// Checks for row-major order. Strides of dimensions of size 1, and of tensors without elements, have no meaning.
fn check_strides(shape: &[usize], strides: &[i64]) -> Result<(), DlpackError> {
    if shape.contains(&0) {
        return Ok(());
    }
    let mut expected = Some(1_i64);
    for (size, stride) in shape.iter().zip(strides).rev() {
        if *size != 1 && expected != Some(*stride) {
            let found = format!("the shape {shape:?} with the strides {strides:?}: make it contiguous");
            return Err(DlpackError::new(Kind::Strides, "elements in row-major order", found));
        }
        expected = expected.and_then(|step| step.checked_mul(i64::try_from(*size).ok()?));
    }
    Ok(())
}

/// The elements of a tensor.
struct Elements {
    /// Not null.
    start: NonNull<u8>,
    bytes: usize,
    len: usize,
}

fn bytes(tensor: &RawTensor, dtype: DType, shape: &[usize]) -> Result<Elements, DlpackError> {
    let size = dtype.size().unwrap_or(1);
    let len = shape.iter().try_fold(1_usize, |len, size| len.checked_mul(*size));
    let bytes = len.and_then(|len| len.checked_mul(size)).filter(|bytes| isize::try_from(*bytes).is_ok());
    let (len, bytes) = match (shape.contains(&0), len, bytes) {
        (true, ..) => (0, 0),
        (false, Some(len), Some(bytes)) => (len, bytes),
        _ => {
            let expected = format!("{dtype} of less than 2^63 bytes");
            return Err(DlpackError::new(Kind::Shape, expected, format!("the shape {shape:?}")));
        }
    };
    if bytes == 0 {
        return Ok(Elements { start: NonNull::dangling(), bytes, len });
    }
    let offset = usize::try_from(tensor.byte_offset).ok();
    let address = (tensor.data as usize).checked_add(offset.unwrap_or(usize::MAX));
    let inside = address.and_then(|address| address.checked_add(bytes)).is_some();
    let start = NonNull::new(tensor.data.cast::<u8>());
    match (start, offset) {
        // The address is that of the first element: the pointer, which is not null, after its offset.
        (Some(start), Some(offset)) if inside => {
            let start = start.as_ptr().wrapping_add(offset);
            let start = NonNull::new(start)
                .ok_or_else(|| DlpackError::new(Kind::Pointer, "elements", "a null pointer"))?;
            Ok(Elements { start, bytes, len })
        }
        (None, _) => Err(DlpackError::new(Kind::Pointer, "elements", "a null pointer")),
        _ => {
            let found = format!("the byte offset {}", tensor.byte_offset);
            Err(DlpackError::new(Kind::Pointer, "elements inside of the address space", found))
        }
    }
}

/// The elements as an array.
fn values<F: Form>(
    elements: Elements,
    dtype: DType,
    owner: Arc<Managed<F>>,
) -> Result<ArrayRef, DlpackError> {
    let Elements { start, bytes, len } = elements;
    let no_memory =
        |error: &dyn std::fmt::Display| DlpackError::new(Kind::Memory, "memory for a copy", error);
    if dtype == DType::Bool || bytes == 0 || !(start.as_ptr() as usize).is_multiple_of(bytes / len.max(1)) {
        // SAFETY: the struct is valid while it has its owner. If there are elements, `start` points to them.
        let memory: &[u8] = unsafe { std::slice::from_raw_parts(start.as_ptr(), bytes) };
        if dtype == DType::Bool {
            let mut bits: Vec<u8> = Vec::new();
            bits.try_reserve_exact(len.div_ceil(8)).map_err(|error| no_memory(&error))?;
            bits.extend(memory.chunks(8).map(|chunk| {
                chunk.iter().enumerate().fold(0, |bits, (bit, byte)| bits | u8::from(*byte != 0) << bit)
            }));
            return Ok(Arc::new(BooleanArray::new(BooleanBuffer::new(bits.into(), 0, len), None)));
        }
        // Words, so that the copy is aligned for each type.
        let mut words: Vec<u64> = Vec::new();
        words.try_reserve_exact(bytes.div_ceil(8)).map_err(|error| no_memory(&error))?;
        words.extend(memory.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
        return array(Buffer::from_vec(words).slice_with_length(0, bytes), dtype, len);
    }
    // SAFETY: the memory has as many bytes, and does not change or end before its owner is dropped.
    let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, owner) };
    array(buffer, dtype, len)
}

fn array(buffer: Buffer, dtype: DType, len: usize) -> Result<ArrayRef, DlpackError> {
    let data = ArrayData::builder(dtype.arrow_type()).len(len).add_buffer(buffer).build();
    let data = data.map_err(|error| DlpackError::new(Kind::Shape, "an array", error))?;
    Ok(make_array(data))
}
