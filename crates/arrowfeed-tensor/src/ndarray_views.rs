//! Tensors of numbers as arrays of the crate `ndarray`, without a copy, and arrays as tensors.

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use ndarray::{Array, ArrayView, ArrayView1, ArrayView2, ArrayViewD, Dimension, IntoDimension, IxDyn};

use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind};
use crate::tensor::{DenseTensor, SparseTensor, tensor_error};
use crate::values::Values;

mod sealed {
    pub trait Sealed {}
}

/// A type of numbers that a tensor can hold: integers of 8 to 64 bits, and floats of 16 (`half::f16`), 32 and 64 bits.
///
/// ```
/// use arrowfeed_tensor::{DType, Element};
///
/// assert_eq!(f32::DTYPE, DType::Float32);
/// ```
pub trait Element: ArrowNativeType + sealed::Sealed {
    /// The type in tensors.
    const DTYPE: DType;

    /// The type in Arrow arrays.
    #[doc(hidden)]
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

macro_rules! elements {
    ($($native:ty, $dtype:ident, $arrow:ty;)*) => {$(
        impl sealed::Sealed for $native {}

        impl Element for $native {
            const DTYPE: DType = DType::$dtype;
            type Arrow = $arrow;
        }
    )*};
}

elements! {
    i8, Int8, Int8Type;
    i16, Int16, Int16Type;
    i32, Int32, Int32Type;
    i64, Int64, Int64Type;
    u8, UInt8, UInt8Type;
    u16, UInt16, UInt16Type;
    u32, UInt32, UInt32Type;
    u64, UInt64, UInt64Type;
    half::f16, Float16, Float16Type;
    f32, Float32, Float32Type;
    f64, Float64, Float64Type;
}

impl Values {
    /// The numbers as an array of one dimension, without a copy.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::Int64Array;
    /// use arrowfeed_tensor::Values;
    ///
    /// let values = Values::try_new(Arc::new(Int64Array::from(vec![3, 1, 4])))?;
    /// assert_eq!(values.view::<i64>()?.sum(), 8);
    /// assert_eq!(values.view::<f32>().unwrap_err().to_string(), "expected values of float32, found int64");
    /// # Ok::<(), arrowfeed_tensor::ConversionError>(())
    /// ```
    ///
    /// # Errors
    /// The values have another type than `T`.
    pub fn view<T: Element>(&self) -> Result<ArrayView1<'_, T>, ConversionError> {
        self.numbers().map(ArrayView1::from)
    }

    fn numbers<T: Element>(&self) -> Result<&[T], ConversionError> {
        let numbers = self.as_primitive::<T::Arrow>().map(|numbers| &**numbers);
        numbers.ok_or_else(|| tensor_error(format!("values of {}", T::DTYPE), self.dtype().to_string()))
    }
}

impl DenseTensor {
    /// The tensor as an array with the same shape, without a copy. `view::<T>()?.to_owned()` makes a copy that can be changed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::Float32Array;
    /// use arrowfeed_tensor::ndarray::{Axis, array};
    /// use arrowfeed_tensor::{DenseTensor, Values};
    ///
    /// let values = Values::try_new(Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0])))?;
    /// let tensor = DenseTensor::try_new(values, vec![2, 2])?;
    /// assert_eq!(tensor.view::<f32>()?.sum_axis(Axis(0)), array![4.0, 6.0].into_dyn());
    /// # Ok::<(), arrowfeed_tensor::ConversionError>(())
    /// ```
    ///
    /// # Errors
    /// The values have another type than `T`; `ndarray` does not allow the shape, whose sizes without zeros have a product of
    /// more than `isize::MAX`.
    pub fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>, ConversionError> {
        ArrayView::from_shape(IxDyn(self.shape()), self.values().numbers()?).map_err(|_| {
            let expected = "a shape whose sizes without zeros have a product of at most isize::MAX";
            ConversionError::new(ConversionErrorKind::Overflow, expected, format!("{:?}", self.shape()))
        })
    }

    /// Takes the elements of an array: without a copy if they are in row-major order, and with one copy otherwise.
    ///
    /// ```
    /// use arrowfeed_tensor::DenseTensor;
    /// use arrowfeed_tensor::ndarray::array;
    ///
    /// let tensor = DenseTensor::from_array(array![[1_i64, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tensor.shape(), [2, 3]);
    /// assert_eq!(tensor.values().as_i64(), Some(&[1, 2, 3, 4, 5, 6][..]));
    /// ```
    pub fn from_array<T: Element, D: Dimension>(array: Array<T, D>) -> Self {
        let shape = array.shape().to_vec();
        let size = array.len();
        let array = if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() };
        let (elements, first) = array.into_raw_vec_and_offset();
        let numbers = ScalarBuffer::from(elements).slice(first.unwrap_or(0), size);
        Self::of(Values::of_numbers::<T::Arrow>(numbers, T::DTYPE), shape)
    }
}

impl SparseTensor {
    /// The coordinates as an array `[values, rank]`, without a copy.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::Int64Array;
    /// use arrowfeed_tensor::ndarray::array;
    /// use arrowfeed_tensor::{SparseTensor, Values};
    ///
    /// let values = Values::try_new(Arc::new(Int64Array::from(vec![7, 8])))?;
    /// let tensor = SparseTensor::try_new(vec![0, 0, 1, 2].into(), values, vec![2, 3])?;
    /// assert_eq!(tensor.indices_view(), array![[0, 0], [1, 2]]);
    /// assert_eq!(tensor.values().view::<i64>()?, array![7, 8]);
    /// # Ok::<(), arrowfeed_tensor::ConversionError>(())
    /// ```
    pub fn indices_view(&self) -> ArrayView2<'_, i64> {
        let shape = (self.values().len(), self.rank()).into_dimension();
        ArrayView::from_shape(shape, self.indices()).expect("as many indices as the shape has")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{BooleanArray, Float64Array, Int32Array, LargeBinaryArray};
    use ndarray::{Array3, arr0, array, s};

    use super::*;

    fn dense(array: impl arrow_array::Array + 'static, shape: &[usize]) -> DenseTensor {
        DenseTensor::try_new(Values::try_new(Arc::new(array)).unwrap(), shape.to_vec()).unwrap()
    }

    #[test]
    fn a_view_shares_the_memory_of_the_values() {
        let slice = Int32Array::from_iter_values(0..20).slice(3, 12);
        let tensor = dense(slice, &[2, 3, 2]);
        let view = tensor.view::<i32>().unwrap();
        assert_eq!(view.shape(), [2, 3, 2]);
        assert_eq!(
            view,
            Array3::from_shape_fn((2, 3, 2), |(i, j, k)| 3 + (6 * i + 2 * j + k) as i32).into_dyn()
        );
        assert_eq!(view.as_ptr(), tensor.values().as_i32().unwrap().as_ptr());
        let flat = tensor.values().view::<i32>().unwrap();
        assert_eq!((flat.len(), flat.as_ptr()), (12, view.as_ptr()));
    }

    #[test]
    fn tensors_without_elements_or_dimensions_have_views() {
        for shape in [&[0][..], &[0, 3], &[2, 0, 3]] {
            let tensor = dense(Float64Array::from(Vec::<f64>::new()), shape);
            assert_eq!(tensor.view::<f64>().unwrap().shape(), shape);
        }
        let tensor = dense(Float64Array::from(vec![7.5]), &[]);
        assert_eq!(tensor.view::<f64>().unwrap(), arr0(7.5).into_dyn());
        let tensor = dense(Float64Array::from(Vec::<f64>::new()), &[0, usize::MAX, 2]);
        let error = tensor.view::<f64>().unwrap_err();
        assert_eq!(error.kind(), ConversionErrorKind::Overflow);
        let found = format!("[0, {}, 2]", usize::MAX);
        let expected = "a shape whose sizes without zeros have a product of at most isize::MAX";
        assert_eq!(error.to_string(), format!("expected {expected}, found {found}"));
    }

    #[test]
    fn values_of_another_type_have_no_view() {
        let refusal = |tensor: DenseTensor| {
            let error = tensor.view::<u16>().unwrap_err();
            assert_eq!(error.kind(), ConversionErrorKind::Tensor);
            error.to_string()
        };
        let cases = [
            (dense(Int32Array::from(vec![1]), &[1]), "expected values of uint16, found int32"),
            (dense(BooleanArray::from(vec![true]), &[1]), "expected values of uint16, found bool"),
            (dense(LargeBinaryArray::from(vec![&b"a"[..]]), &[1]), "expected values of uint16, found bytes"),
        ];
        for (tensor, message) in cases {
            assert_eq!(refusal(tensor), message);
        }
    }

    #[test]
    fn each_type_of_numbers_has_views_of_its_arrays() {
        fn check<T: Element + PartialEq + std::fmt::Debug>(one: T) {
            let tensor = DenseTensor::from_array(array![[one, one]]);
            assert_eq!(tensor.values().dtype(), T::DTYPE);
            assert_eq!(*tensor.values().array().data_type(), T::DTYPE.arrow_type());
            assert_eq!(tensor.view::<T>().unwrap(), array![[one, one]].into_dyn());
        }
        check(1_i8);
        check(1_i16);
        check(1_i32);
        check(1_i64);
        check(1_u8);
        check(1_u16);
        check(1_u32);
        check(1_u64);
        check(half::f16::ONE);
        check(1_f32);
        check(1_f64);
    }

    #[test]
    fn arrays_in_row_major_order_are_taken_without_a_copy() {
        let whole = Array3::from_shape_fn((4, 2, 3), |(i, j, k)| (6 * i + 3 * j + k) as i64);
        let address = whole.as_ptr();
        let tensor = DenseTensor::from_array(whole.clone());
        assert_eq!(tensor.view::<i64>().unwrap(), whole.view().into_dyn());
        let part = whole.slice_move(s![1..3, .., ..]);
        let tensor = DenseTensor::from_array(part.clone());
        assert_eq!(tensor.view::<i64>().unwrap(), part.view().into_dyn());
        let tensor = DenseTensor::from_array(part);
        assert_eq!(tensor.values().as_i64().unwrap().as_ptr(), address.wrapping_add(6));

        let transposed = array![[1_i64, 2, 3], [4, 5, 6]].reversed_axes();
        let tensor = DenseTensor::from_array(transposed.clone());
        assert_eq!(tensor.values().as_i64(), Some(&[1, 4, 2, 5, 3, 6][..]));
        assert_eq!(tensor.view::<i64>().unwrap(), transposed.into_dyn());
        assert_eq!(DenseTensor::from_array(arr0(1_i32)).shape(), [0; 0]);
        assert_eq!(DenseTensor::from_array(Array3::<f32>::zeros((2, 0, 3))).shape(), [2, 0, 3]);
    }
}
