//! Memory to structs.
//!
//! Unsafe: the deleter of a struct drops the box that contains it. One argument covers it: a struct that [`Export`] makes is the
//! first field of a boxed [`Exported`], so a pointer to it points to the box. Its owner calls the deleter once, in any thread.
//! The box contains only Arrow bytes and numbers.
#![expect(
    unsafe_code,
    reason = "gives structs away, whose receivers free them through a function of this module"
)]

use std::ptr::NonNull;

use arrow_array::cast::AsArray;
use arrow_buffer::{Buffer, ScalarBuffer};

use super::error::{DlpackError, DlpackErrorKind};
use super::structs::{CPU, DataType, Form, Managed, RawTensor, flags};
use crate::dtype::DType;
use crate::row_splits::RowSplits;
use crate::tensor::DenseTensor;
use crate::values::Values;

/// Maximum number of dimensions.
pub(super) const MAX_DIMENSIONS: usize = 64;

/// Memory that is handed over as a tensor: numbers in row-major order.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone)]
pub struct Export {
    buffer: Buffer,
    dtype: DType,
    /// The sizes, followed by the strides in elements.
    sizes: Vec<i64>,
    copied: bool,
}

impl Export {
    /// Describes memory with `dtype.size()` bytes for each element of the shape.
    ///
    /// # Errors
    /// The type is [`DType::Bytes`]; the shape has more than 64 dimensions, a size above 2^63 - 1, or does not fit the memory.
    pub fn new(buffer: Buffer, dtype: DType, shape: &[usize]) -> Result<Self, DlpackError> {
        let size = element_size(dtype)?;
        let places = shape.iter().try_fold(1_usize, |places, size| places.checked_mul(*size));
        if places.and_then(|places| places.checked_mul(size)) != Some(buffer.len()) {
            let found = format!("{} bytes", buffer.len());
            let expected = format!("memory of {dtype} {shape:?}");
            return Err(DlpackError::new(DlpackErrorKind::Shape, expected, found));
        }
        Ok(Self { buffer, dtype, sizes: shape_and_strides(shape)?, copied: false })
    }

    /// Describes the memory of a dense tensor. Only bools are copied, because Arrow stores them as bits.
    ///
    /// # Errors
    /// The values are byte strings; the shape has more than 64 dimensions; there is too little memory for bools.
    pub fn of_dense(tensor: &DenseTensor) -> Result<Self, DlpackError> {
        Self::of_values(tensor.values(), tensor.shape())
    }

    /// Describes the values of a tensor of any kind.
    ///
    /// # Errors
    /// As [`of_dense`](Self::of_dense), and the shape does not fit the values.
    pub fn of_values(values: &Values, shape: &[usize]) -> Result<Self, DlpackError> {
        let dtype = values.dtype();
        element_size(dtype)?;
        match (values.array().as_boolean_opt(), values.buffer()) {
            (Some(bits), _) => {
                let mut bytes: Vec<u8> = Vec::new();
                bytes.try_reserve_exact(bits.len()).map_err(|error| {
                    DlpackError::new(DlpackErrorKind::Memory, "memory for bools as bytes", error)
                })?;
                bytes.extend(bits.values().iter().map(u8::from));
                Ok(Self::new(bytes.into(), dtype, shape)?.copied())
            }
            (None, buffer) => Self::new(buffer.unwrap_or_default(), dtype, shape),
        }
    }

    /// Describes row splits, with their integer width.
    ///
    /// # Errors
    /// There are none: row splits have one dimension. The type is that of the other functions.
    pub fn of_row_splits(splits: &RowSplits) -> Result<Self, DlpackError> {
        let (buffer, dtype, len) = match (splits.as_i32(), splits.as_i64()) {
            (Some(splits), _) => (splits.inner().clone(), DType::Int32, splits.len()),
            (None, splits) => {
                let splits = splits.cloned().unwrap_or_default();
                (splits.inner().clone(), DType::Int64, splits.len())
            }
        };
        Self::new(buffer, dtype, &[len])
    }

    /// Describes 64-bit integers: the indices or the shape of a sparse tensor.
    ///
    /// # Errors
    /// The shape does not fit the numbers.
    pub fn of_int64(numbers: &ScalarBuffer<i64>, shape: &[usize]) -> Result<Self, DlpackError> {
        Self::new(numbers.inner().clone(), DType::Int64, shape)
    }

    /// States that the memory was copied for this export, so that the consumer may write to it. Otherwise it is read-only.
    #[must_use]
    pub fn copied(self) -> Self {
        Self { copied: true, ..self }
    }

    /// Makes the struct.
    pub fn into_managed<F: Form>(self) -> Managed<F> {
        let Self { buffer, dtype, mut sizes, copied } = self;
        let rank = sizes.len() / 2;
        let (shape, strides) = sizes.split_at_mut(rank);
        let tensor = RawTensor {
            data: buffer.as_ptr().cast_mut().cast(),
            device: CPU,
            // At most `MAX_DIMENSIONS`.
            ndim: rank as i32,
            dtype: data_type(dtype),
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 0,
        };
        let managed = F::new(tensor, delete::<F>, if copied { flags::IS_COPIED } else { flags::READ_ONLY });
        let exported = Box::leak(Box::new(Exported { managed, _buffer: buffer, _sizes: sizes }));
        // SAFETY: the struct is the first field of the box, which has no other owner. Its pointers point to the buffer and to the
        // sizes, which do not move with the box. The memory of an Arrow buffer does not change.
        unsafe { Managed::of(NonNull::from(exported).cast()) }
    }
}

/// The struct, and the data that its pointers point to.
#[repr(C)]
struct Exported<F> {
    managed: F,
    _buffer: Buffer,
    _sizes: Vec<i64>,
}

/// The deleter of the structs of this module.
unsafe extern "C" fn delete<F: Form>(managed: *mut F) {
    if !managed.is_null() {
        // SAFETY: the pointer is that of a box of `into_managed`, and its owner calls this function once.
        drop(unsafe { Box::from_raw(managed.cast::<Exported<F>>()) });
    }
}

fn element_size(dtype: DType) -> Result<usize, DlpackError> {
    dtype.size().ok_or_else(|| {
        DlpackError::new(
            DlpackErrorKind::Type,
            "numbers or bools",
            "byte strings, which DLPack does not have",
        )
    })
}

/// The sizes, followed by the strides in elements.
fn shape_and_strides(shape: &[usize]) -> Result<Vec<i64>, DlpackError> {
    let wrong = |found: String| {
        let expected = format!("at most {MAX_DIMENSIONS} dimensions of sizes below 2^63");
        DlpackError::new(DlpackErrorKind::Shape, expected, found)
    };
    if shape.len() > MAX_DIMENSIONS {
        return Err(wrong(format!("{} dimensions", shape.len())));
    }
    let sizes = shape.iter().map(|size| i64::try_from(*size));
    let mut sizes = sizes.collect::<Result<Vec<_>, _>>().map_err(|_| wrong(format!("{shape:?}")))?;
    let mut step = 1_i64;
    let mut strides = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        strides.push(step);
        // The sizes of a tensor without values are arbitrary, and its strides are never used.
        step = step.saturating_mul((*size).max(1));
    }
    sizes.extend(strides.into_iter().rev());
    Ok(sizes)
}

/// Codes of `DLDataTypeCode`.
pub(super) mod code {
    pub(crate) const INT: u8 = 0;
    pub(crate) const UINT: u8 = 1;
    pub(crate) const FLOAT: u8 = 2;
    pub(crate) const BOOL: u8 = 6;
}

pub(super) fn data_type(dtype: DType) -> DataType {
    let code = match dtype {
        DType::Bool => code::BOOL,
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => code::UINT,
        dtype if dtype.is_floating() => code::FLOAT,
        _ => code::INT,
    };
    // At most 8 bytes.
    DataType { code, bits: dtype.size().unwrap_or_default() as u8 * 8, lanes: 1 }
}
