//! Values that `arrow-csv` does not make exactly of texts.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_schema::DataType;

/// Whether `arrow-csv` would cut texts to values of a type.
pub(crate) fn is_cut(data_type: &DataType) -> bool {
    data_type.is_decimal() || data_type.is_temporal() && !matches!(data_type, DataType::Interval(_))
}

/// Whether floats have an infinite value, which `arrow-csv` also makes of a number that is too large.
pub(crate) fn is_infinite(array: &dyn Array) -> bool {
    match array.data_type() {
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().any(|value| value.is_infinite())
        }
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().values().iter().any(|value| value.is_infinite())
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().values().iter().any(|value| value.is_infinite())
        }
        _ => false,
    }
}
