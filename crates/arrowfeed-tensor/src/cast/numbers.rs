//! Numbers and bools to numbers, and decimals to floats: one kernel for each pair of types.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type,
    Float64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;

use super::{Input, Unfit};
use crate::dtype::DType;
use crate::gather::overflow;
use crate::rounding::{f16_of, f32_of, f64_of};

/// Converts the values to the nearest ones of the type, and cuts fractions of integers. Fails at the first valid value out of
/// the range of the type.
pub(super) fn converted(input: &Input<'_>, to: DType, may_overflow: bool) -> Result<ArrayRef, Unfit> {
    use DataType::*;
    let array = match (input.array.data_type(), to) {
        (Decimal32(_, scale), _) => decimals::<Decimal32Type>(input.array, *scale, to),
        (Decimal64(_, scale), _) => decimals::<Decimal64Type>(input.array, *scale, to),
        (Decimal128(_, scale), _) => decimals::<Decimal128Type>(input.array, *scale, to),
        (Decimal256(_, scale), _) => decimals::<Decimal256Type>(input.array, *scale, to),
        (Float64, DType::Float16) => {
            Arc::new(input.array.as_primitive::<Float64Type>().unary::<_, Float16Type>(f16_of))
        }
        _ => cast(input, to)?,
    };
    if may_overflow {
        refuse_new_infinities(input, &array, to)?;
    }
    Ok(array)
}

fn decimals<D: DecimalType<Native: Display>>(array: &ArrayRef, scale: i8, to: DType) -> ArrayRef {
    let array = array.as_primitive::<D>();
    match to {
        DType::Float32 => Arc::new(array.unary::<_, Float32Type>(|value| f32_of(value, scale))),
        _ => Arc::new(array.unary::<_, Float64Type>(|value| f64_of(value, scale))),
    }
}

fn cast(input: &Input<'_>, to: DType) -> Result<ArrayRef, Unfit> {
    let with = |safe| {
        cast_with_options(input.array, &to.arrow_type(), &CastOptions { safe, ..CastOptions::default() })
    };
    if let Ok(array) = with(false) {
        return Ok(array);
    }
    // A value is out of range. It may be stored under a null; if it is not, it becomes a null here.
    let array = with(true).map_err(|error| overflow(input.array.len(), &error))?;
    match (0..array.len()).find(|i| array.is_null(*i) && input.is_valid(*i)) {
        Some(i) => Err(input.out_of_range(i, to)),
        None => Ok(array),
    }
}

/// Fails at the first valid value that is finite before the conversion, and infinite after it.
fn refuse_new_infinities(input: &Input<'_>, array: &ArrayRef, to: DType) -> Result<(), Unfit> {
    let infinite = match array.data_type() {
        DataType::Float16 => positions(array.as_primitive::<Float16Type>().values(), half::f16::is_infinite),
        DataType::Float32 => {
            positions(array.as_primitive::<Float32Type>().values(), |value| value.is_infinite())
        }
        _ => return Ok(()),
    };
    let is_finite = |i: &usize| match input.array.data_type() {
        DataType::Float32 => input.array.as_primitive::<Float32Type>().value(*i).is_finite(),
        DataType::Float64 => input.array.as_primitive::<Float64Type>().value(*i).is_finite(),
        _ => true,
    };
    match infinite.into_iter().find(|i| input.is_valid(*i) && is_finite(i)) {
        Some(i) => Err(input.out_of_range(i, to)),
        None => Ok(()),
    }
}

/// The positions of the values that satisfy a condition, which few do.
fn positions<T: Copy>(values: &[T], is: impl Fn(T) -> bool) -> Vec<usize> {
    let found = values.iter().enumerate().filter(|(_, value)| is(**value));
    found.map(|(i, _)| i).collect()
}
