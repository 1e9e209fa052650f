//! The flat values of a tensor.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, downcast_primitive_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, count};

/// Values of one type without nulls: an Arrow array, shared with the batch where possible.
///
/// Numbers and bools are arrays of that type. Byte strings are arrays of any of Arrow's binary and string types.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Int32Array, types::Int32Type};
/// use arrowfeed_tensor::{DType, Values};
///
/// let values = Values::try_new(Arc::new(Int32Array::from(vec![3, 1, 4])))?;
/// assert_eq!(values.dtype(), DType::Int32);
/// assert_eq!(values.as_primitive::<Int32Type>().unwrap()[..], [3, 1, 4]);
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Values {
    dtype: DType,
    array: ArrayRef,
}

impl Values {
    /// Creates the values. Fails if the array has nulls, or if its values are not numbers, bools or byte strings.
    pub fn try_new(array: ArrayRef) -> Result<Self, ConversionError> {
        let dtype = match array.data_type() {
            plain if is_plain(plain) => DType::of(plain),
            _ => None,
        };
        let Some(dtype) = dtype else {
            let found = array.data_type().to_string();
            let expected = "numbers, bools or byte strings";
            return Err(ConversionError::new(ConversionErrorKind::Tensor, expected, found));
        };
        if array.null_count() > 0 {
            let found = count(array.null_count(), "null");
            return Err(ConversionError::new(ConversionErrorKind::Null, "values without nulls", found));
        }
        Ok(Self { dtype, array })
    }

    /// Takes numbers without a copy.
    #[cfg(feature = "ndarray")]
    pub(crate) fn of_numbers<T: ArrowPrimitiveType>(numbers: ScalarBuffer<T::Native>, dtype: DType) -> Self {
        Self { dtype, array: std::sync::Arc::new(arrow_array::PrimitiveArray::<T>::new(numbers, None)) }
    }

    /// The type of each value.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// The values as an Arrow array.
    pub fn array(&self) -> &ArrayRef {
        &self.array
    }

    /// The values as numbers of one type, `None` if they have another type.
    pub fn as_primitive<T: ArrowPrimitiveType>(&self) -> Option<&ScalarBuffer<T::Native>> {
        self.array.as_primitive_opt::<T>().map(|array| array.values())
    }

    /// The values as 32-bit integers, `None` if they have another type.
    pub fn as_i32(&self) -> Option<&[i32]> {
        self.as_primitive::<Int32Type>().map(|values| &**values)
    }

    /// The values as 64-bit integers, `None` if they have another type.
    pub fn as_i64(&self) -> Option<&[i64]> {
        self.as_primitive::<Int64Type>().map(|values| &**values)
    }

    /// The values as 32-bit floats, `None` if they have another type.
    pub fn as_f32(&self) -> Option<&[f32]> {
        self.as_primitive::<Float32Type>().map(|values| &**values)
    }

    /// The values as 64-bit floats, `None` if they have another type.
    pub fn as_f64(&self) -> Option<&[f64]> {
        self.as_primitive::<Float64Type>().map(|values| &**values)
    }

    /// The memory of the numbers, without a copy. `None` for byte strings, and for bools, which Arrow stores as bits: see
    /// [`bools`](Self::bools).
    pub fn buffer(&self) -> Option<Buffer> {
        let array: &dyn Array = &self.array;
        downcast_primitive_array!(
            array => Some(array.values().inner().clone()),
            _ => None
        )
    }

    /// A copy of the bools with one byte each, `None` if the values are not bools.
    pub fn bools(&self) -> Option<Vec<u8>> {
        self.array.as_boolean_opt().map(|array| array.values().iter().map(u8::from).collect())
    }

    /// A slice of the values, without a copy. `None` if the range is out of bounds.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Option<Self> {
        let length = range.end.checked_sub(range.start)?;
        (range.end <= self.len())
            .then(|| Self { dtype: self.dtype, array: self.array.slice(range.start, length) })
    }
}

/// Compares types and values, not addresses.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        *self.array == *other.array
    }
}

/// Whether a tensor can hold values of this type without conversion.
pub(crate) fn is_plain(data_type: &DataType) -> bool {
    use DataType::*;
    data_type.is_integer()
        || data_type.is_floating()
        || matches!(
            data_type,
            Boolean | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_)
        )
}
