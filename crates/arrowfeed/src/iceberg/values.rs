//! Partition values in the JSON form of Iceberg as Arrow arrays.
//!
//! Source of the rules: the Iceberg specification, appendix D, "JSON single-value serialization", with numbers for dates and
//! times, and unscaled integers for decimals.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int64Array,
    StringArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrowfeed_source::{FeedError, FeedErrorKind};
use serde_json::Value;

/// An array of a primitive type. `None` and JSON's null are null.
///
/// # Errors
/// A value is not one of the type.
pub(super) fn array(values: &[Option<&Value>], data_type: &DataType) -> Result<ArrayRef, FeedError> {
    let made: Result<ArrayRef, ArrowError> = match data_type {
        DataType::Boolean => Ok(Arc::new(BooleanArray::from(each(values, data_type, Value::as_bool)?))),
        DataType::Int32
        | DataType::Int64
        | DataType::Date32
        | DataType::Time64(_)
        | DataType::Timestamp(..) => {
            let integers = Int64Array::from(each(values, data_type, Value::as_i64)?);
            match data_type {
                DataType::Date32 => cast(&integers, &DataType::Int32).and_then(|days| cast(&days, data_type)),
                _ => cast(&integers, data_type),
            }
        }
        DataType::Float32 | DataType::Float64 => {
            cast(&Float64Array::from(each(values, data_type, number)?), data_type)
        }
        DataType::Utf8 => {
            let texts = each(values, data_type, |value| value.as_str().map(str::to_owned))?;
            Ok(Arc::new(StringArray::from(texts)))
        }
        DataType::Decimal128(precision, scale) => {
            let unscaled = each(values, data_type, |value| value.as_str()?.parse::<i128>().ok())?;
            let array = Decimal128Array::from(unscaled).with_precision_and_scale(*precision, *scale);
            array.map(|array| Arc::new(array) as ArrayRef)
        }
        DataType::Binary => {
            let bytes = each(values, data_type, bytes)?;
            Ok(Arc::new(BinaryArray::from_iter(bytes)))
        }
        DataType::FixedSizeBinary(size) => {
            let bytes = each(values, data_type, bytes)?;
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes.into_iter(), *size)
                .map(|array| Arc::new(array) as ArrayRef)
        }
        other => Err(ArrowError::SchemaError(format!("expected a primitive type, found {other}"))),
    };
    made.map_err(|error| {
        FeedError::new(FeedErrorKind::Schema, format!("expected partition values of the type {data_type}"))
            .with_source(error)
    })
}

/// Converts each value.
fn each<T>(
    values: &[Option<&Value>],
    data_type: &DataType,
    convert: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<Option<T>>, FeedError> {
    let converted = values.iter().map(|value| match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => convert(value).map(Some).ok_or_else(|| {
            let message = format!("expected a partition value of the type {data_type}, found {value}");
            FeedError::new(FeedErrorKind::Schema, message)
        }),
    });
    converted.collect()
}

/// A number, or a text such as "NaN".
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// The bytes of hexadecimal text.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?.as_bytes();
    let pairs = text.chunks(2).map(|pair| match pair {
        [high, low] => {
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        }
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Date32Type;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_those_of_the_type() {
        let values = [json!(20_000), json!(null)];
        let found = array(&[Some(&values[0]), Some(&values[1]), None], &DataType::Date32).unwrap();
        assert_eq!(found.as_primitive::<Date32Type>().value(0), 20_000);
        assert_eq!(found.null_count(), 2);
        let (decimal, uuid, nan) = (json!("-1234"), json!("00ff"), json!("NaN"));
        let found = array(&[Some(&decimal)], &DataType::Decimal128(9, 2)).unwrap();
        assert_eq!(found.as_primitive::<arrow_array::types::Decimal128Type>().value_as_string(0), "-12.34");
        let found = array(&[Some(&uuid)], &DataType::FixedSizeBinary(2)).unwrap();
        assert_eq!(found.as_fixed_size_binary().value(0), [0, 255]);
        let found = array(&[Some(&nan)], &DataType::Float32).unwrap();
        assert!(found.as_primitive::<arrow_array::types::Float32Type>().value(0).is_nan());
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let refusal = |value: Value, data_type| array(&[Some(&value)], &data_type).unwrap_err().to_string();
        assert_eq!(
            refusal(json!("1"), DataType::Int32),
            "expected a partition value of the type Int32, found \"1\""
        );
        let message = "expected a partition value of the type Binary, found \"0\"";
        assert_eq!(refusal(json!("0"), DataType::Binary), message);
        assert!(refusal(json!("00"), DataType::FixedSizeBinary(2)).contains("FixedSizeBinary(2)"));
    }
}
