//! Equality of values, array by array. The results for nulls are arbitrary, and callers ignore them.

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, downcast_integer_array, downcast_primitive_array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use arrowfeed_select::{compact, stored_bytes};

use crate::leaf::as_integers;

/// One bit for each value, set if it equals the only value of `one`, whose type is the plain type of `array`.
pub(super) fn equal_to(array: &ArrayRef, one: &ArrayRef) -> BooleanBuffer {
    if array.as_any_dictionary_opt().is_some() {
        return keys_equal_to(array, one);
    }
    let array = &as_integers(array);
    if is_bytes(array.data_type()) {
        let ones = byte_strings(one);
        let one = ones.first().copied().unwrap_or_default();
        return with_bytes(array, |_| one);
    }
    if let (Some(values), Some(one)) = (array.as_boolean_opt(), one.as_boolean_opt()) {
        let wanted = one.value(0);
        return if wanted { values.values().clone() } else { !values.values() };
    }
    let values: &dyn Array = array;
    downcast_primitive_array!(
        values => equal_number(values, one),
        _ => BooleanBuffer::new_unset(array.len())
    )
}

/// The same for a dictionary. Each value is compared once, also one to which no key refers. If there are more values than
/// keys, only those with keys are compared.
fn keys_equal_to(array: &ArrayRef, one: &ArrayRef) -> BooleanBuffer {
    let is_sparse = array.as_any_dictionary().values().len() > array.len();
    // If this fails, all values are compared, also with checks.
    let compacted = is_sparse.then(|| compact(array).ok()).flatten();
    let dictionary = compacted.as_ref().unwrap_or(array).as_any_dictionary();
    let values = dictionary.values();
    if values.is_empty() {
        return BooleanBuffer::new_unset(array.len());
    }
    let equal = match is_bytes(values.data_type()) {
        true => {
            let one = stored_bytes(one, 0).unwrap_or_default();
            let is_one = |slot| stored_bytes(values, slot).is_some_and(|value| value == one);
            BooleanBuffer::collect_bool(values.len(), is_one)
        }
        false => equal_to(values, one),
    };
    dictionary.normalized_keys().into_iter().map(|key| equal.value(key)).collect()
}

fn equal_number<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>, one: &ArrayRef) -> BooleanBuffer {
    let one = one.as_primitive_opt::<T>().and_then(|one| one.values().first().copied());
    let Some(one) = one else { return BooleanBuffer::new_unset(values.len()) };
    let values = values.values();
    BooleanBuffer::collect_bool(values.len(), |i| values[i] == one)
}

/// One bit for each pair of values, set if they are equal. The arrays have the same length, plain types and one [`Class`].
pub(super) fn equal(left: &ArrayRef, right: &ArrayRef) -> BooleanBuffer {
    let len = left.len();
    if is_bytes(left.data_type()) {
        let right = byte_strings(right);
        return with_bytes(left, |i| right[i]);
    }
    if let (Some(left), Some(right)) = (left.as_boolean_opt(), right.as_boolean_opt()) {
        return !&(left.values() ^ right.values());
    }
    if left.data_type().is_integer() {
        let (left, right) = (integers(left), integers(right));
        return BooleanBuffer::collect_bool(len, |i| left[i] == right[i]);
    }
    let (left, right) = (floats(left), floats(right));
    BooleanBuffer::collect_bool(len, |i| left[i] == right[i])
}

/// Integers of any width.
fn integers(array: &ArrayRef) -> Vec<i128> {
    let array: &dyn Array = array;
    downcast_integer_array!(
        array => array.values().iter().map(|value| i128::from(*value)).collect(),
        _ => vec![0; array.len()]
    )
}

/// Floats of any width.
fn floats(array: &ArrayRef) -> Vec<f64> {
    use arrow_array::types::{Float16Type, Float32Type, Float64Type};
    match array.data_type() {
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|v| v.to_f64()).collect()
        }
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().values().iter().map(|v| f64::from(*v)).collect()
        }
        DataType::Float64 => array.as_primitive::<Float64Type>().values().to_vec(),
        _ => vec![f64::NAN; array.len()],
    }
}

fn is_bytes(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_))
}

/// Runs `$body` with `$value` as a function from a position to its bytes. Matches the type only once.
macro_rules! for_bytes {
    ($array:expr, $value:ident => $body:expr, $otherwise:expr) => {{
        macro_rules! of {
            ($typed:expr) => {{
                let typed = $typed;
                let $value = |i: usize| -> &[u8] { typed.value(i).as_ref() };
                $body
            }};
        }
        // The view of a null may be anything: the kernel `take` copies an unchecked view of a dictionary there.
        macro_rules! of_views {
            ($typed:expr) => {{
                let typed = $typed;
                let $value =
                    |i: usize| -> &[u8] { if typed.is_null(i) { &[] } else { typed.value(i).as_ref() } };
                $body
            }};
        }
        match $array.data_type() {
            DataType::Utf8 => of!($array.as_string::<i32>()),
            DataType::LargeUtf8 => of!($array.as_string::<i64>()),
            DataType::Utf8View => of_views!($array.as_string_view()),
            DataType::Binary => of!($array.as_binary::<i32>()),
            DataType::LargeBinary => of!($array.as_binary::<i64>()),
            DataType::BinaryView => of_views!($array.as_binary_view()),
            DataType::FixedSizeBinary(_) => of!($array.as_fixed_size_binary()),
            _ => $otherwise,
        }
    }};
}

fn with_bytes<'a>(array: &ArrayRef, other: impl Fn(usize) -> &'a [u8]) -> BooleanBuffer {
    let len = array.len();
    for_bytes!(
        array,
        value => BooleanBuffer::collect_bool(len, |i| value(i) == other(i)),
        BooleanBuffer::new_unset(len)
    )
}

fn byte_strings(array: &ArrayRef) -> Vec<&[u8]> {
    for_bytes!(array, value => (0..array.len()).map(value).collect(), vec![&[][..]; array.len()])
}

/// Classes of types whose values can be compared with each other.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Class {
    Bool,
    Bytes,
    Integer,
    Float,
    /// Compared with the same type only, and with integer constants by the stored number.
    Time(DataType),
}

impl Class {
    /// The class of a type, `None` if its values cannot be compared.
    pub(super) fn of(data_type: &DataType) -> Option<Self> {
        use DataType::*;
        Some(match data_type {
            Boolean => Self::Bool,
            integer if integer.is_integer() => Self::Integer,
            Float16 | Float32 | Float64 => Self::Float,
            bytes if is_bytes(bytes) => Self::Bytes,
            Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) | Duration(_) => {
                Self::Time(data_type.clone())
            }
            Dictionary(_, values) if !matches!(**values, Dictionary(..)) => Self::of(values)?,
            _ => return None,
        })
    }
}
