//! Tests of the values of one array.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, BooleanArray, PrimitiveArray, UInt64Array,
    downcast_primitive_array, downcast_run_array,
};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::{ArrowError, DataType};

use super::place::{Place, integers, place, value_type};
use crate::position::{Exact, Position};
use crate::{Comparison, Literal};

/// A test of a value that is not null.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// All values have this result.
    Constant(bool),
    Boolean(Comparison, bool),
    /// The only value of the array, which has the type of the column.
    Integers(Comparison, ArrayRef),
    /// Floats are compared by IEEE 754: NaN is not equal to NaN.
    Floats(Comparison, f64),
    Bytes(Comparison, Vec<u8>),
    StartsWith(Vec<u8>),
    /// The value is one of these, which are sorted and have the type of the column.
    AnyInteger(ArrayRef),
    /// The value is one of these, which are in total order.
    AnyFloat(Vec<f64>),
    /// The value is one of these, which are sorted.
    AnyBytes(Vec<Vec<u8>>),
}

impl Test {
    /// Compiles a comparison, or returns the literals that fit the type.
    pub(super) fn compare(
        data_type: &DataType,
        comparison: Comparison,
        literal: &Literal,
    ) -> Result<Self, &'static str> {
        let data_type = value_type(data_type);
        Ok(match place(data_type, literal)? {
            Place::Nulls => Self::Constant(false),
            Place::Boolean(value) => Self::Boolean(comparison, value),
            Place::Floats(position) => match position.compare(comparison) {
                Exact::Constant(result) => Self::Constant(result),
                Exact::With(comparison, value) => Self::Floats(comparison, value),
            },
            Place::Integers(position) => {
                match position.narrow(|value| integers(data_type, &[value])).compare(comparison) {
                    Exact::Constant(result) => Self::Constant(result),
                    Exact::With(comparison, value) => Self::Integers(comparison, value),
                }
            }
            Place::Bytes(value) => Self::Bytes(comparison, value),
        })
    }

    /// Compiles `in`, or returns a literal that does not fit, and those that fit.
    pub(super) fn is_in<'a>(
        data_type: &DataType,
        literals: &'a [Literal],
    ) -> Result<Self, (&'static str, &'a Literal)> {
        let data_type = value_type(data_type);
        let (mut whole, mut floats, mut texts, mut booleans) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for literal in literals {
            match place(data_type, literal).map_err(|expected| (expected, literal))? {
                Place::Integers(Position::At(value)) if integers(data_type, &[value]).is_some() => {
                    whole.push(value);
                }
                Place::Floats(Position::At(value)) => {
                    floats.extend([value, if value == 0.0 { -value } else { value }])
                }
                Place::Bytes(value) => texts.push(value),
                Place::Boolean(value) => booleans.push(value),
                Place::Integers(_) | Place::Floats(_) | Place::Nulls => {}
            }
        }
        if let Some(first) = booleans.first() {
            return Ok(match booleans.contains(&!first) {
                true => Self::Constant(true),
                false => Self::Boolean(Comparison::Eq, *first),
            });
        }
        if !whole.is_empty() {
            whole.sort();
            return Ok(Self::AnyInteger(integers(data_type, &whole).expect("values in range")));
        }
        if !floats.is_empty() {
            floats.sort_by(f64::total_cmp);
            return Ok(Self::AnyFloat(floats));
        }
        if !texts.is_empty() {
            texts.sort();
            return Ok(Self::AnyBytes(texts));
        }
        Ok(Self::Constant(false))
    }

    /// Compiles `starts with`, if the type has strings.
    pub(super) fn starts_with(data_type: &DataType, prefix: &str) -> Option<Self> {
        let data_type = value_type(data_type);
        match place(data_type, &prefix.into()).ok()? {
            Place::Bytes(prefix) => Some(Self::StartsWith(prefix)),
            Place::Nulls => Some(Self::Constant(false)),
            _ => None,
        }
    }

    /// Tests each value. The result is null for a null.
    pub(super) fn apply(&self, array: &dyn Array) -> Result<BooleanArray, ArrowError> {
        match array.data_type() {
            DataType::Null => Ok(BooleanArray::new_null(array.len())),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let (keys, values) = (dictionary.keys(), dictionary.values());
                // A slice may have a dictionary with many more values than rows.
                if values.len() > keys.len() {
                    return self.apply(&arrowfeed_select::take(values, keys)?);
                }
                taken(&self.apply(values)?, keys)
            }
            DataType::RunEndEncoded(..) => {
                let rows: Vec<u64> = (0..array.len() as u64).collect();
                let (values, indices) = downcast_run_array!(
                    array => (array.values(), array.get_physical_indices(&rows)?),
                    _ => unreachable!()
                );
                let indices = UInt64Array::from_iter_values(indices.into_iter().map(|index| index as u64));
                taken(&self.apply(values)?, &indices)
            }
            _ => self.apply_to_values(array),
        }
    }

    fn apply_to_values(&self, array: &dyn Array) -> Result<BooleanArray, ArrowError> {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        let values = match self {
            Self::Boolean(comparison, literal) => booleans(array, *comparison, *literal),
            Self::Integers(comparison, literal) => integers_compared(array, *comparison, literal),
            Self::Constant(true) => BooleanBuffer::new_set(array.len()),
            Self::Constant(false) => BooleanBuffer::new_unset(array.len()),
            Self::Floats(comparison, literal) => {
                let literal = *literal;
                match comparison {
                    Eq => floats(array, |value| value == literal),
                    Ne => floats(array, |value| value != literal),
                    Lt => floats(array, |value| value < literal),
                    Le => floats(array, |value| value <= literal),
                    Gt => floats(array, |value| value > literal),
                    Ge => floats(array, |value| value >= literal),
                }
            }
            Self::AnyFloat(literals) => {
                floats(array, |value| literals.binary_search_by(|literal| literal.total_cmp(&value)).is_ok())
            }
            Self::AnyInteger(literals) => any_integer(array, literals),
            Self::Bytes(comparison, literal) => match comparison {
                Eq => texts(array, |value| value == literal),
                Ne => texts(array, |value| value != literal),
                Lt => texts(array, |value| value.cmp(literal) == Ordering::Less),
                Le => texts(array, |value| value.cmp(literal) != Ordering::Greater),
                Gt => texts(array, |value| value.cmp(literal) == Ordering::Greater),
                Ge => texts(array, |value| value.cmp(literal) != Ordering::Less),
            },
            Self::AnyBytes(literals) => texts(array, |value| {
                literals.binary_search_by(|literal| literal.as_slice().cmp(value)).is_ok()
            }),
            Self::StartsWith(prefix) => texts(array, |value| value.starts_with(prefix)),
        };
        Ok(BooleanArray::new(values, array.nulls().cloned()))
    }
}

fn taken(results: &BooleanArray, indices: &dyn Array) -> Result<BooleanArray, ArrowError> {
    Ok(arrowfeed_select::take(results, indices)?.as_boolean().clone())
}

fn floats(array: &dyn Array, test: impl Fn(f64) -> bool) -> BooleanBuffer {
    match array.data_type() {
        DataType::Float16 => {
            let values = array.as_primitive::<Float16Type>().values();
            bits(values, |value| test(value.to_f64()))
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            bits(values, |value| test(value.into()))
        }
        _ => {
            let values = array.as_primitive::<Float64Type>().values();
            bits(values, test)
        }
    }
}

fn booleans(array: &dyn Array, comparison: Comparison, literal: bool) -> BooleanBuffer {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let (values, len) = (array.as_boolean().values(), array.len());
    match (comparison, literal) {
        (Eq | Ge, true) | (Ne | Gt, false) => values.clone(),
        (Ne | Lt, true) | (Eq | Le, false) => !values,
        (Le, true) | (Ge, false) => BooleanBuffer::new_set(len),
        (Gt, true) | (Lt, false) => BooleanBuffer::new_unset(len),
    }
}

/// Compares each integer with the only value of `literal`, which has the type of the array.
fn integers_compared(array: &dyn Array, comparison: Comparison, literal: &ArrayRef) -> BooleanBuffer {
    downcast_primitive_array!(
        array => compared(array.values(), comparison, values_like(array, literal)[0]),
        other => unreachable!("{other} stores no integers")
    )
}

/// Three loops for each type, and a negation: six loops are twice the code to compile.
fn compared<T: ArrowNativeTypeOp>(values: &[T], comparison: Comparison, literal: T) -> BooleanBuffer {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let results = match comparison {
        Eq | Ne => bits(values, |value| value.is_eq(literal)),
        Lt | Ge => bits(values, |value| value.is_lt(literal)),
        Gt | Le => bits(values, |value| value.is_gt(literal)),
    };
    if matches!(comparison, Ne | Ge | Le) { !&results } else { results }
}

/// The results of `test`, 64 values at a time, without a check of the index of each value.
fn bits<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> BooleanBuffer {
    let bit = |word, (at, value): (usize, &T)| word | u64::from(test(*value)) << at;
    let words = values.chunks(64).map(|values| values.iter().enumerate().fold(0, bit).to_le());
    BooleanBuffer::new(Buffer::from_iter(words), 0, values.len())
}

/// Searches each integer among `literals`, which are sorted and have the type of the array.
fn any_integer(array: &dyn Array, literals: &ArrayRef) -> BooleanBuffer {
    downcast_primitive_array!(
        array => searched(array.values(), values_like(array, literals)),
        other => unreachable!("{other} stores no integers")
    )
}

fn searched<T: ArrowNativeTypeOp>(values: &[T], literals: &[T]) -> BooleanBuffer {
    bits(values, |value| literals.binary_search_by(|literal| literal.compare(value)).is_ok())
}

/// The values of `array`, which has the type of `like`.
fn values_like<'a, T: ArrowPrimitiveType>(_like: &PrimitiveArray<T>, array: &'a ArrayRef) -> &'a [T::Native] {
    array.as_primitive::<T>().values()
}

fn texts(array: &dyn Array, test: impl Fn(&[u8]) -> bool) -> BooleanBuffer {
    macro_rules! collect {
        ($array:expr, $bytes:expr) => {{
            let array = $array;
            BooleanBuffer::collect_bool(array.len(), |i| test($bytes(array.value(i))))
        }};
    }
    match array.data_type() {
        DataType::Utf8 => collect!(array.as_string::<i32>(), str::as_bytes),
        DataType::LargeUtf8 => collect!(array.as_string::<i64>(), str::as_bytes),
        DataType::Utf8View => collect!(array.as_string_view(), str::as_bytes),
        DataType::Binary => collect!(array.as_binary::<i32>(), |value| value),
        DataType::LargeBinary => collect!(array.as_binary::<i64>(), |value| value),
        DataType::BinaryView => collect!(array.as_binary_view(), |value| value),
        _ => collect!(array.as_fixed_size_binary(), |value| value),
    }
}
