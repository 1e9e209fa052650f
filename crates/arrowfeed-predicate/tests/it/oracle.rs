//! The result of a predicate for one row, from cells, by fractions of big integers.

use std::cmp::Ordering;

use arrow_schema::{DataType, TimeUnit};
use arrowfeed_predicate::Comparison;
use num_bigint::BigInt;

use crate::columns::{Cell, inner_type, is_list};

/// A literal as the test made it.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// `digits * 10^exponent`
    Decimal(i128, i32),
    Float(f64),
    Boolean(bool),
    Text(String),
    Bytes(Vec<u8>),
    /// Nanoseconds of a date, a time, a timestamp or a duration.
    Nanoseconds(i128),
}

/// A predicate as the test made it. Columns are numbers.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Compare(usize, Comparison, Value),
    In(usize, Vec<Value>),
    IsNull(usize),
    StartsWith(usize, String),
    Length(usize, Comparison, i128),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

/// A comparison met a list of several values.
#[derive(Debug, PartialEq)]
pub(crate) struct Several;

/// A fraction. The denominator is positive.
struct Fraction(BigInt, BigInt);

impl Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.0 * &other.1).cmp(&(&other.0 * &self.1))
    }

    fn decimal(digits: impl Into<BigInt>, exponent: i32) -> Self {
        let power = BigInt::from(10).pow(exponent.unsigned_abs());
        match exponent >= 0 {
            true => Self(digits.into() * power, 1.into()),
            false => Self(digits.into(), power),
        }
    }

    /// The exact value of a finite float.
    fn float(value: f64) -> Self {
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (digits, exponent) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent - 1075),
        };
        let digits = BigInt::from(digits) * if value < 0.0 { -1 } else { 1 };
        let power = BigInt::from(2).pow(exponent.unsigned_abs());
        if exponent >= 0 { Self(digits * power, 1.into()) } else { Self(digits, power) }
    }

    /// The number of the shortest decimal text of a float.
    fn shortest(value: f64) -> Self {
        let text = format!("{value:e}");
        let (number, exponent) = text.split_once('e').unwrap();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: BigInt = [whole, fraction].concat().parse().unwrap();
        Self::decimal(digits, exponent.parse::<i32>().unwrap() - fraction.len() as i32)
    }
}

/// Compares two numbers, of which floats may be NaN or infinite.
fn numbers(left: (f64, Fraction), right: (f64, Fraction)) -> Option<Ordering> {
    match (left.0.is_finite(), right.0.is_finite()) {
        (true, true) => Some(left.1.cmp(&right.1)),
        // The finite side only counts as smaller or larger than an infinity.
        (true, false) => 0.0.partial_cmp(&right.0),
        (false, true) => left.0.partial_cmp(&0.0),
        (false, false) => left.0.partial_cmp(&right.0),
    }
}

/// A float, and its value if it is finite.
fn of_float(value: f64, fraction: fn(f64) -> Fraction) -> (f64, Fraction) {
    (value, if value.is_finite() { fraction(value) } else { Fraction::decimal(0, 0) })
}

pub(crate) fn nanoseconds(data_type: &DataType) -> i128 {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    };
    match data_type {
        DataType::Date32 => 86_400_000_000_000,
        DataType::Date64 => 1_000_000,
        DataType::Time32(of) | DataType::Time64(of) | DataType::Timestamp(of, _) | DataType::Duration(of) => {
            unit(of)
        }
        other => unreachable!("{other}"),
    }
}

/// Compares a cell that is not null. `None` if one of them is NaN.
fn order(data_type: &DataType, cell: &Cell, value: &Value) -> Option<Ordering> {
    match (cell, value) {
        (Cell::Boolean(cell), Value::Boolean(value)) => Some(cell.cmp(value)),
        (Cell::Bytes(cell), Value::Text(value)) => Some(cell.as_slice().cmp(value.as_bytes())),
        (Cell::Bytes(cell), Value::Bytes(value)) => Some(cell.cmp(value)),
        (Cell::Float(cell), Value::Float(value)) => cell.partial_cmp(value),
        (Cell::Float(cell), Value::Decimal(digits, exponent)) => {
            let exact = Fraction::decimal(*digits, *exponent);
            let whole = &exact.0 % &exact.1 == BigInt::ZERO;
            let nearest = || format!("{digits}e{exponent}").parse::<f64>().unwrap();
            let right = if whole { (0.0, exact) } else { of_float(nearest(), Fraction::float) };
            numbers(of_float(*cell, Fraction::float), right)
        }
        (Cell::Integer(cell), Value::Nanoseconds(value)) => {
            Some((BigInt::from(*cell) * nanoseconds(data_type)).cmp(&BigInt::from(*value)))
        }
        (Cell::Integer(cell), value) => {
            let scale = match data_type {
                DataType::Decimal32(_, scale)
                | DataType::Decimal64(_, scale)
                | DataType::Decimal128(_, scale)
                | DataType::Decimal256(_, scale) => *scale,
                _ => 0,
            };
            let right = match value {
                Value::Decimal(digits, exponent) => (0.0, Fraction::decimal(*digits, *exponent)),
                Value::Float(value) if value.fract() == 0.0 => of_float(*value, Fraction::float),
                Value::Float(value) => of_float(*value, Fraction::shortest),
                other => unreachable!("{other:?}"),
            };
            numbers((0.0, Fraction::decimal(*cell, -i32::from(scale))), right)
        }
        other => unreachable!("{other:?}"),
    }
}

fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Eq => order == Some(Ordering::Equal),
        Comparison::Ne => order != Some(Ordering::Equal),
        Comparison::Lt => order == Some(Ordering::Less),
        Comparison::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Gt => order == Some(Ordering::Greater),
        Comparison::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

impl Tree {
    /// The result for a row of columns of these types.
    pub(crate) fn row(&self, types: &[DataType], cells: &[Cell]) -> Result<Option<bool>, Several> {
        // The value that a comparison sees, and its type.
        let seen = |column: &usize| {
            let cell = match &cells[*column] {
                Cell::List(items) if items.len() > 1 => return Err(Several),
                Cell::List(items) => items.first().unwrap_or(&Cell::Null),
                cell => cell,
            };
            Ok((inner_type(&types[*column]), (*cell != Cell::Null).then_some(cell)))
        };
        Ok(match self {
            Self::Compare(column, comparison, value) => {
                let (data_type, cell) = seen(column)?;
                cell.map(|cell| holds(*comparison, order(data_type, cell, value)))
            }
            Self::In(column, values) => {
                let (data_type, cell) = seen(column)?;
                let equal = |cell, value| holds(Comparison::Eq, order(data_type, cell, value));
                cell.map(|cell| values.iter().any(|value| equal(cell, value)))
            }
            Self::StartsWith(column, prefix) => seen(column)?.1.map(|cell| match cell {
                Cell::Bytes(bytes) => bytes.starts_with(prefix.as_bytes()),
                other => unreachable!("{other:?}"),
            }),
            Self::IsNull(column) => Some(cells[*column] == Cell::Null),
            Self::Length(column, comparison, length) => {
                assert!(is_list(&types[*column]));
                match &cells[*column] {
                    Cell::List(items) => Some(holds(*comparison, Some((items.len() as i128).cmp(length)))),
                    _ => None,
                }
            }
            Self::Not(inner) => inner.row(types, cells)?.map(|result| !result),
            Self::And(left, right) => match (left.row(types, cells)?, right.row(types, cells)?) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(left, right) => match (left.row(types, cells)?, right.row(types, cells)?) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        })
    }
}
