//! The flat values of a tensor.

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, downcast_primitive_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, count};

/// Values of one type, none of them null: an Arrow array, shared with the batch wherever that was possible.
///
/// Numbers and bools are arrays of that type, byte strings are of any of Arrow's binary and string types.
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
    /// An error where the array has nulls, or is neither of numbers nor bools nor byte strings.
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

    /// The values as numbers of one type, `None` if they are of another.
    pub fn as_primitive<T: ArrowPrimitiveType>(&self) -> Option<&ScalarBuffer<T::Native>> {
        self.array.as_primitive_opt::<T>().map(|array| array.values())
    }

    /// The numbers as they lie in memory, without a copy; `None` for byte strings and for bools, which Arrow keeps
    /// as bits: see [`bools`](Self::bools).
    pub fn buffer(&self) -> Option<Buffer> {
        let array: &dyn Array = &self.array;
        downcast_primitive_array!(
            array => Some(array.values().inner().clone()),
            _ => None
        )
    }

    /// The bools, one byte each (a copy); `None` if the values are no bools.
    pub fn bools(&self) -> Option<Vec<u8>> {
        self.array.as_boolean_opt().map(|array| array.values().iter().map(u8::from).collect())
    }

    /// Part of the values, without a copy. `None` where the range is outside.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Option<Self> {
        let length = range.end.checked_sub(range.start)?;
        (range.end <= self.len())
            .then(|| Self { dtype: self.dtype, array: self.array.slice(range.start, length) })
    }
}

/// Equal type and equal values, wherever they lie.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        *self.array == *other.array
    }
}

/// Whether values of this type are a tensor's as they are.
pub(crate) fn is_plain(data_type: &DataType) -> bool {
    use DataType::*;
    data_type.is_integer()
        || data_type.is_floating()
        || matches!(
            data_type,
            Boolean | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_)
        )
}
