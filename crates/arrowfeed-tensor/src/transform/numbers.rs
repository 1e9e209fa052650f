//! Transforms of numbers: buckets, limits, means and standard deviations. One loop for each type.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, Int64Array, PrimitiveArray};
use arrow_schema::DataType;

use crate::cast::{Input, Unfit};
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::gather::{overflow, reserved};

/// Runs an expression with the slice of the numbers of an array, and a function from a number to `f64`.
macro_rules! with_numbers {
    ($array:expr, |$values:ident, $wide:ident| $result:expr) => {
        with_numbers!($array, $values, $wide, $result,
            Int8 Int8Type, Int16 Int16Type, Int32 Int32Type, Int64 Int64Type, UInt8 UInt8Type, UInt16 UInt16Type,
            UInt32 UInt32Type, UInt64 UInt64Type, Float32 Float32Type, Float64 Float64Type)
    };
    ($array:expr, $values:ident, $wide:ident, $result:expr, $($name:ident $type:ident),*) => {
        match $array.data_type() {
            $(DataType::$name => {
                let $values = $array.as_primitive::<$type>().values();
                let $wide = |value: <$type as ArrowPrimitiveType>::Native| value as f64;
                $result
            })*
            _ => {
                let $values = $array.as_primitive::<Float16Type>().values();
                let $wide = |value: half::f16| value.to_f64();
                $result
            }
        }
    };
}

/// The results of a function on all values.
pub(super) fn mapped<V: Copy, R>(values: &[V], result: impl Fn(V) -> R) -> Result<Vec<R>, ConversionError> {
    let mut results = reserved(values.len()).map_err(|error| overflow(values.len(), &error))?;
    results.extend(values.iter().map(|value| result(*value)));
    Ok(results)
}

#[derive(Debug)]
pub(super) struct Bucketizing {
    boundaries: Box<[f64]>,
}

impl Bucketizing {
    /// Up to this number, a comparison with each boundary is faster than a binary search, whose branches are unpredictable.
    const FEW: usize = 32;

    pub(super) fn new(boundaries: &[f64]) -> Self {
        Self { boundaries: boundaries.into() }
    }

    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        let boundaries = &*self.boundaries;
        // True for a NaN.
        let reaches = |value: f64, boundary: f64| {
            !matches!(value.partial_cmp(&boundary), Some(std::cmp::Ordering::Less))
        };
        let buckets = with_numbers!(input.array, |values, wide| match boundaries.len() <= Self::FEW {
            true => mapped(values, |value| {
                let value = wide(value);
                boundaries.iter().map(|boundary| i64::from(reaches(value, *boundary))).sum()
            }),
            false => mapped(values, |value| {
                let value = wide(value);
                boundaries.partition_point(|boundary| reaches(value, *boundary)) as i64
            }),
        });
        Ok(Arc::new(Int64Array::from(buckets?)))
    }
}

#[derive(Debug)]
pub(super) struct Normalising {
    pub(super) mean: f64,
    pub(super) std: f64,
}

impl Normalising {
    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        let Self { mean, std } = *self;
        if let Some(array) = input.array.as_primitive_opt::<Float64Type>() {
            return Ok(Arc::new(Float64Array::from(mapped(array.values(), |value| (value - mean) / std)?)));
        }
        let results =
            with_numbers!(input.array, |values, wide| mapped(values, |value| ((wide(value) - mean) / std)
                as f32));
        Ok(Arc::new(Float32Array::from(results?)))
    }
}

/// The limits, with the type of the values.
#[derive(Debug)]
pub(super) enum Clipping {
    Integers { low: i128, high: i128 },
    Floats { low: f64, high: f64 },
}

impl Clipping {
    /// Integers up to this number are floats without a loss.
    const EXACT: f64 = (1_u64 << 53) as f64;

    /// Compiles the limits for values of a type. Fails if the values are integers and a limit is not, or if no value of the
    /// type is within the limits.
    pub(super) fn compile(
        low: Option<f64>,
        high: Option<f64>,
        of: &DataType,
    ) -> Result<Self, RepresentationError> {
        if of.is_floating() {
            let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
            return Ok(Self::Floats { low, high });
        }
        let integer = |limit: Option<f64>, none: i128| match limit {
            None => Ok(none),
            Some(limit) if limit.fract() == 0.0 && limit.abs() <= Self::EXACT => Ok(limit as i128),
            Some(limit) => {
                let expected = format!("limits that are integers of at most 2^53, for {of}");
                let kind = RepresentationErrorKind::Transform;
                Err(RepresentationError::new(kind, expected, format!("{limit:?}")))
            }
        };
        let (least, most) = range(of);
        let (low, high) = (integer(low, least)?.max(least), integer(high, most)?.min(most));
        if low > high {
            let expected = format!("limits with values of {of} between them");
            let found = "limits outside of its range";
            return Err(RepresentationError::new(RepresentationErrorKind::Transform, expected, found));
        }
        Ok(Self::Integers { low, high })
    }

    pub(super) fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        macro_rules! each {
            ($($name:ident $type:ident $native:ty),*) => {
                match (self, input.array.data_type()) {
                    $((Self::Integers { low, high }, DataType::$name) => {
                        clipped::<$type>(input.array, *low as $native, *high as $native)
                    })*
                    (Self::Floats { low, high }, DataType::Float64) => clipped::<Float64Type>(input.array, *low, *high),
                    (Self::Floats { low, high }, DataType::Float32) => {
                        clipped::<Float32Type>(input.array, *low as f32, *high as f32)
                    }
                    (Self::Floats { low, high }, DataType::Float16) => {
                        clipped::<Float16Type>(input.array, half::f16::from_f64(*low), half::f16::from_f64(*high))
                    }
                    // The type is that of the compilation.
                    _ => Ok(input.array.clone()),
                }
            };
        }
        Ok(each!(Int8 Int8Type i8, Int16 Int16Type i16, Int32 Int32Type i32, Int64 Int64Type i64,
            UInt8 UInt8Type u8, UInt16 UInt16Type u16, UInt32 UInt32Type u32, UInt64 UInt64Type u64)?)
    }
}

fn clipped<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    low: T::Native,
    high: T::Native,
) -> Result<ArrayRef, ConversionError>
where
    T::Native: PartialOrd,
{
    let limited = |value: T::Native| {
        let raised = if value < low { low } else { value };
        if raised > high { high } else { raised }
    };
    let values = mapped(array.as_primitive::<T>().values(), limited)?;
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), None)))
}

/// The least and the greatest value of an integer type.
fn range(of: &DataType) -> (i128, i128) {
    match of {
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        DataType::UInt8 => (0, u8::MAX.into()),
        DataType::UInt16 => (0, u16::MAX.into()),
        DataType::UInt32 => (0, u32::MAX.into()),
        DataType::UInt64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}
