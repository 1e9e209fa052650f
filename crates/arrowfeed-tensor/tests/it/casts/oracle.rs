//! The oracle: converts one value at a time, by other means than the crate.

use arrow_schema::DataType;
use arrowfeed_tensor::DType;
use half::f16;

/// A value of a column.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
    /// The digits of a decimal, with its point.
    Decimal(String),
}

/// A value of a tensor. NaN equals NaN, and 0.0 differs from -0.0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Out {
    Int(i128),
    Float(f64),
}

impl PartialEq for Out {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    Same,
    Exact,
    Lossy,
    None,
}

pub(crate) const NUMBERS: [DType; 11] = [
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Float16,
    DType::Float32,
    DType::Float64,
];

/// The number types that hold all values of a type.
fn exact(from: DType) -> &'static [DType] {
    use DType::*;
    match from {
        Bool => &NUMBERS,
        Int8 => &[Int16, Int32, Int64, Float16, Float32, Float64],
        Int16 => &[Int32, Int64, Float32, Float64],
        Int32 => &[Int64, Float64],
        UInt8 => &[UInt16, UInt32, UInt64, Int16, Int32, Int64, Float16, Float32, Float64],
        UInt16 => &[UInt32, UInt64, Int32, Int64, Float32, Float64],
        UInt32 => &[UInt64, Int64, Float64],
        Float16 => &[Float32, Float64],
        Float32 => &[Float64],
        Int64 | UInt64 | Float64 | Bytes => &[],
    }
}

pub(crate) fn rule(from: &DataType, to: DType) -> Rule {
    use DataType::*;
    match from {
        Dictionary(_, values) => rule(values, to),
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => match to {
            DType::Float32 | DType::Float64 => Rule::Lossy,
            _ => Rule::None,
        },
        _ => match DType::of(from).expect("a type of tensors") {
            own if own == to => Rule::Same,
            _ if *from == Date32 || *from == Utf8 => Rule::None,
            own if exact(own).contains(&to) => Rule::Exact,
            DType::Bool => Rule::None,
            _ if NUMBERS.contains(&to) => Rule::Lossy,
            _ => Rule::None,
        },
    }
}

/// The value of the tensor, `None` if the value is out of the range of the type.
pub(crate) fn converted(value: &Number, to: DType) -> Option<Out> {
    match to {
        DType::Float16 | DType::Float32 | DType::Float64 => float(value, to).map(Out::Float),
        _ => integer(value, to).map(Out::Int),
    }
}

fn integer(value: &Number, to: DType) -> Option<i128> {
    let (least, most) = match to {
        DType::Bool => (0, 1),
        DType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        DType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        DType::UInt8 => (0, u8::MAX.into()),
        DType::UInt16 => (0, u16::MAX.into()),
        DType::UInt32 => (0, u32::MAX.into()),
        DType::UInt64 => (0, u64::MAX.into()),
        other => panic!("{other} is no integer"),
    };
    let whole = match value {
        Number::Int(value) => *value,
        Number::Float(value) if value.is_nan() => return None,
        Number::Float(value) => value.trunc() as i128,
        Number::Decimal(_) => panic!("a decimal is no integer"),
    };
    (least..=most).contains(&whole).then_some(whole)
}

fn float(value: &Number, to: DType) -> Option<f64> {
    let was_infinite = matches!(value, Number::Float(value) if value.is_infinite());
    let float = match (value, to) {
        (Number::Int(value), DType::Float32) => f64::from(*value as f32),
        (Number::Int(value), DType::Float64) => *value as f64,
        (Number::Int(value), _) => nearest_f16((*value).clamp(-(1 << 20), 1 << 20) as f64),
        (Number::Float(value), DType::Float32) => f64::from(*value as f32),
        (Number::Float(value), DType::Float64) => *value,
        (Number::Float(value), _) => nearest_f16(*value),
        (Number::Decimal(text), DType::Float32) => f64::from(text.parse::<f32>().unwrap()),
        (Number::Decimal(text), _) => text.parse().unwrap(),
    };
    (was_infinite || !float.is_infinite()).then_some(float)
}

/// Finds the nearest f16 by a search among all of them, in the order of their bits.
fn nearest_f16(value: f64) -> f64 {
    if value.is_nan() || value.is_infinite() {
        return value;
    }
    let positive = |bits: u16| if bits == 0x7c00 { 65536.0 } else { f16::from_bits(bits).to_f64() };
    let (mut low, mut high) = (0_u16, 0x7c00_u16);
    if value.abs() >= positive(high) {
        return f64::INFINITY.copysign(value);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if positive(middle) <= value.abs() { low = middle } else { high = middle }
    }
    let (below, above) = (value.abs() - positive(low), positive(high) - value.abs());
    let nearest = if below < above || (below == above && low % 2 == 0) { low } else { high };
    f16::from_bits(nearest).to_f64().copysign(value)
}
