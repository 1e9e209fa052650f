//! Random columns of every number type, and their values.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, Field};
use arrow_select::nullif::nullif;
use half::f16;

use super::oracle::Number;

/// Generator of numbers from a seed.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of the sequence "splitmix64".
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

pub(crate) fn types() -> Vec<DataType> {
    use DataType::*;
    let dictionary = |values| Dictionary(Box::new(Int8), Box::new(values));
    vec![
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Decimal32(9, 3),
        Decimal64(18, 18),
        Decimal128(38, 10),
        Decimal128(20, -4),
        Decimal256(76, 30),
        Decimal256(60, 70),
        dictionary(Int32),
        dictionary(Float64),
        Date32,
        Utf8,
    ]
}

fn integer(random: &mut Random, small: bool, least: i128, most: i128) -> i128 {
    let any = match random.below(if small { 1 } else { 4 }) {
        0 => random.below(100) as i128,
        1 => (1 << random.below(65)) + random.below(3) as i128 - 1,
        2 => random.pick(&[least, most]),
        _ => i128::from(random.next()),
    };
    let signed = if random.one_in(2) { -any } else { any };
    signed.clamp(least, most)
}

fn float(random: &mut Random, small: bool) -> f64 {
    let edges = [
        0.0,
        0.5,
        0.99,
        127.9,
        128.0,
        255.5,
        256.0,
        65504.0,
        65519.99,
        65520.0,
        16_777_217.0,
        2_147_483_648.0,
        9.3e18,
        1.9e19,
        3.4e38,
        3.5e38,
        1e300,
        1e-7,
        1e-300,
        f64::NAN,
        f64::INFINITY,
    ];
    let any = match random.below(if small { 2 } else { 4 }) {
        0 => random.below(1000) as f64 / 8.0,
        1 => random.below(1 << 40) as f64 / (1_u64 << 33) as f64,
        2 => random.pick(&edges),
        _ => f64::from_bits(random.next()),
    };
    if random.one_in(2) { -any } else { any }
}

/// Digits with a point before the last `scale` of them.
fn decimal(digits: String, scale: i8) -> Number {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits.to_owned()),
        None => ("", digits),
    };
    let after = usize::try_from(scale).unwrap_or(0);
    let padded =
        format!("{digits:0>width$}{}", "0".repeat(usize::try_from(-scale).unwrap_or(0)), width = after + 1);
    let (whole, fraction) = padded.split_at(padded.len() - after);
    Number::Decimal(format!("{sign}{whole}.{fraction}0"))
}

/// A column without nulls, and its values.
pub(crate) fn column(data_type: &DataType, random: &mut Random, len: usize) -> (ArrayRef, Vec<Number>) {
    let small = random.one_in(2);
    macro_rules! integers {
        ($array:ident, $native:ty) => {{
            let one = |_| integer(random, small, <$native>::MIN.into(), <$native>::MAX.into()) as $native;
            let values: Vec<$native> = (0..len).map(one).collect();
            let numbers = values.iter().map(|value| Number::Int(i128::from(*value))).collect();
            (Arc::new($array::from(values)) as ArrayRef, numbers)
        }};
    }
    macro_rules! floats {
        ($array:ident, $from:expr, $into:expr) => {{
            let values: Vec<_> = (0..len).map(|_| $from(float(random, small))).collect();
            let numbers = values.iter().map(|value| Number::Float($into(*value))).collect();
            (Arc::new($array::from(values)) as ArrayRef, numbers)
        }};
    }
    macro_rules! decimals {
        ($type:ident, $scale:expr, $from:expr) => {{
            let most = 10_i128.pow(data_type_digits(data_type));
            let values: Vec<_> = (0..len).map(|_| $from(integer(random, small, -most, most))).collect();
            let numbers = values.iter().map(|value| decimal(value.to_string(), $scale)).collect();
            let array = PrimitiveArray::<$type>::from_iter_values(values);
            (Arc::new(array.with_data_type(data_type.clone())) as ArrayRef, numbers)
        }};
    }
    match data_type {
        DataType::Boolean => {
            let values: Vec<bool> = (0..len).map(|_| random.one_in(2)).collect();
            let numbers = values.iter().map(|value| Number::Int(i128::from(*value))).collect();
            (Arc::new(BooleanArray::from(values)), numbers)
        }
        DataType::Int8 => integers!(Int8Array, i8),
        DataType::Int16 => integers!(Int16Array, i16),
        DataType::Int32 => integers!(Int32Array, i32),
        DataType::Int64 => integers!(Int64Array, i64),
        DataType::UInt8 => integers!(UInt8Array, u8),
        DataType::UInt16 => integers!(UInt16Array, u16),
        DataType::UInt32 => integers!(UInt32Array, u32),
        DataType::UInt64 => integers!(UInt64Array, u64),
        DataType::Float16 => floats!(Float16Array, |value: f64| f16::from_f32(value as f32), f16::to_f64),
        DataType::Float32 => floats!(Float32Array, |value: f64| value as f32, f64::from),
        DataType::Float64 => floats!(Float64Array, |value: f64| value, |value: f64| value),
        DataType::Decimal32(_, scale) => decimals!(Decimal32Type, *scale, |value| value as i32),
        DataType::Decimal64(_, scale) => decimals!(Decimal64Type, *scale, |value| value as i64),
        DataType::Decimal128(_, scale) => decimals!(Decimal128Type, *scale, |value| value),
        DataType::Decimal256(_, scale) => {
            let factor =
                if small { i256::ONE } else { i256::from_i128(10_i128.pow(random.below(30) as u32)) };
            decimals!(Decimal256Type, *scale, |value| i256::from_i128(value).wrapping_mul(factor))
        }
        DataType::Dictionary(_, values) => {
            let (values, numbers) = column(values, random, 5);
            let keys: Vec<i8> = (0..len).map(|_| random.below(5) as i8).collect();
            let numbers = keys.iter().map(|key| numbers[*key as usize].clone()).collect();
            (Arc::new(DictionaryArray::new(Int8Array::from(keys), values)), numbers)
        }
        other => panic!("no column of {other}"),
    }
}

/// The digits of random decimals, at most 30.
fn data_type_digits(data_type: &DataType) -> u32 {
    match data_type {
        DataType::Decimal32(..) => 8,
        DataType::Decimal64(..) => 17,
        _ => 30,
    }
}

/// A row: `None` for a null list, and its values, of which some are null.
pub(crate) type Row = Option<Vec<Option<Number>>>;

/// A column of lists, with nulls over stored values, and its rows.
pub(crate) fn lists(data_type: &DataType, random: &mut Random) -> (ArrayRef, Vec<Row>) {
    let lengths: Vec<usize> = (0..random.below(8)).map(|_| random.below(5)).collect();
    let (values, numbers) = column(data_type, random, lengths.iter().sum());
    let some_null = random.one_in(2);
    let null: Vec<bool> = numbers.iter().map(|_| some_null && random.one_in(3)).collect();
    let values = nullif(&values, &BooleanArray::from(null.clone())).unwrap();
    let valid: Vec<bool> = lengths.iter().map(|_| !random.one_in(4)).collect();
    let mut items = numbers.into_iter().zip(null).map(|(number, null)| (!null).then_some(number));
    let rows = lengths.iter().zip(&valid).map(|(length, valid)| {
        let row: Vec<Option<Number>> = items.by_ref().take(*length).collect();
        valid.then_some(row)
    });
    let rows = rows.collect();
    let field = Arc::new(Field::new("item", data_type.clone(), true));
    let offsets = OffsetBuffer::from_lengths(lengths);
    (Arc::new(ListArray::new(field, offsets, values, Some(NullBuffer::from(valid)))), rows)
}
