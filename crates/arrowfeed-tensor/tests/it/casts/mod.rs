//! Values that are converted to the `dtype` of a feature, against an oracle that converts one value at a time.

mod arrays;
mod codes;
mod messages;
mod oracle;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use arrowfeed_tensor::feature::{Casts, Dense, Feature, FixedLenSequence, Ragged, RowDefault, VarLen};
use arrowfeed_tensor::{DType, DefaultValue, Tensor, TensorAdapter, Values};
use proptest::prelude::*;

use crate::random_config::config;
use crate::support;

use arrays::{Random, Row};
use oracle::{NUMBERS, Number, Out, Rule};

fn outs(values: &Values) -> Vec<Out> {
    let array = values.array();
    macro_rules! all {
        ($type:ident, $into:expr) => {
            array.as_primitive::<$type>().values().iter().map(|value| $into(*value)).collect()
        };
    }
    let int = |value: i128| Out::Int(value);
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(|value| int(value.into())).collect(),
        DataType::Int8 => all!(Int8Type, |value: i8| int(value.into())),
        DataType::Int16 => all!(Int16Type, |value: i16| int(value.into())),
        DataType::Int32 => all!(Int32Type, |value: i32| int(value.into())),
        DataType::Int64 => all!(Int64Type, |value: i64| int(value.into())),
        DataType::UInt8 => all!(UInt8Type, |value: u8| int(value.into())),
        DataType::UInt16 => all!(UInt16Type, |value: u16| int(value.into())),
        DataType::UInt32 => all!(UInt32Type, |value: u32| int(value.into())),
        DataType::UInt64 => all!(UInt64Type, |value: u64| int(value.into())),
        DataType::Float16 => all!(Float16Type, |value: half::f16| Out::Float(value.to_f64())),
        DataType::Float32 => all!(Float32Type, |value: f32| Out::Float(value.into())),
        DataType::Float64 => all!(Float64Type, Out::Float),
        other => panic!("no tensor of {other}"),
    }
}

/// The values of the tensor, or the row that the message names.
fn found(batch: &RecordBatch, feature: Feature) -> Result<Vec<Out>, usize> {
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
    match adapter.convert(batch).map(|tensors| tensors.into_iter().next().unwrap().1) {
        Ok(Tensor::Dense(tensor)) => Ok(outs(tensor.values())),
        Ok(Tensor::Sparse(tensor)) => Ok(outs(tensor.values())),
        Ok(Tensor::Ragged(tensor)) => Ok(outs(tensor.flat_values().values())),
        Ok(Tensor::Structured(_)) => panic!("no feature is structured"),
        Err(error) => Err(error.row().expect("a row")),
    }
}

/// The converted values of each row, or the first row with a value out of range.
fn converted(rows: &[Row], to: DType) -> Result<Vec<Vec<Option<Out>>>, usize> {
    let one = |row: usize, value: &Option<Number>| match value {
        None => Ok(None),
        Some(value) => oracle::converted(value, to).map(Some).ok_or(row),
    };
    let rows = rows.iter().enumerate().map(|(row, values)| {
        values.iter().flatten().map(|value| one(row, value)).collect::<Result<Vec<_>, usize>>()
    });
    rows.collect()
}

fn padded(rows: &[Row], to: DType, size: usize) -> Result<Vec<Out>, usize> {
    let one = if to.is_floating() { Out::Float(1.0) } else { Out::Int(1) };
    let rows = converted(rows, to)?;
    if let Some(long) = rows.iter().position(|row| row.len() > size) {
        return Err(long);
    }
    let padded = rows.iter().flat_map(|row| (0..size).map(|i| row.get(i).copied().flatten().unwrap_or(one)));
    Ok(padded.collect())
}

fn without_nulls(rows: &[Row], to: DType) -> Result<Vec<Out>, usize> {
    let rows = converted(rows, to)?;
    match rows.iter().position(|row| row.iter().any(Option::is_none)) {
        Some(row) => Err(row),
        None => Ok(rows.into_iter().flatten().flatten().collect()),
    }
}

fn cut(rows: &[Row], size: usize) -> Vec<Row> {
    let cut = |row: &Row| row.clone().map(|row| row.into_iter().take(size).collect());
    rows.iter().map(cut).collect()
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn values_are_converted_as_one_by_one(seed: u64) {
        let mut random = Random::new(seed);
        let from = random.pick(&arrays::types());
        let to = random.pick(&[&NUMBERS[..], &[DType::Bool, DType::Bytes]].concat());
        let casts = random.pick(&[Casts::Exact, Casts::Lossy, Casts::Lossy, Casts::Lossy, Casts::Refused]);
        let key = "x".to_owned();
        let ragged = Feature::Ragged(Ragged { key: key.clone(), dtype: Some(to), casts, ..Ragged::default() });
        let is_allowed = match oracle::rule(&from, to) {
            Rule::Same => true,
            Rule::Exact => casts != Casts::Refused,
            Rule::Lossy => casts == Casts::Lossy,
            Rule::None => false,
        };
        if !is_allowed {
            let field = arrow_schema::Field::new("x", from.clone(), true);
            let schema = std::sync::Arc::new(arrow_schema::Schema::new(vec![field]));
            prop_assert!(TensorAdapter::from_features(schema, [("t", ragged)]).is_err(), "{from} to {to}");
            return Ok(());
        }
        if matches!(from, DataType::Date32 | DataType::Utf8) {
            return Ok(());
        }
        let (column, rows) = arrays::lists(&from, &mut random);
        let start = random.below(rows.len() + 1);
        let length = random.below(rows.len() - start + 1);
        let batch = support::batch(vec![("x", column)]).slice(start, length);
        let rows = &rows[start..start + length];
        let about = format!("{from} to {to}: {rows:?}");

        prop_assert_eq!(found(&batch, ragged), without_nulls(rows, to), "ragged {}", about);
        let varlen = VarLen { key: key.clone(), dtype: Some(to), casts, ..VarLen::default() };
        prop_assert_eq!(found(&batch, Feature::VarLen(varlen)), without_nulls(rows, to), "varlen {}", about);

        let (size, truncate) = (random.below(5), random.one_in(2));
        let cut = if truncate { cut(rows, size) } else { rows.to_vec() };
        let default = DefaultValue::Int(1);
        let dense = Dense {
            key: key.clone(), shape: vec![size], dtype: Some(to), casts,
            default: Some(RowDefault::Scalar(default.clone())), truncate, ..Dense::default()
        };
        prop_assert_eq!(found(&batch, Feature::Dense(dense)), padded(&cut, to, size), "dense {} {}", size, about);
        let sequence =
            FixedLenSequence { key, dtype: Some(to), casts, default: Some(default.clone()), ..FixedLenSequence::default() };
        let longest = rows.iter().map(|row| row.as_ref().map_or(0, Vec::len)).max().unwrap_or(0);
        prop_assert_eq!(found(&batch, Feature::FixedLenSequence(sequence)), padded(rows, to, longest), "sequence {}", about);

        // An index picks one value of each row, or none.
        let second: Vec<Row> =
            rows.iter().map(|row| Some(vec![row.as_ref().and_then(|row| row.get(1).cloned().flatten())])).collect();
        let dense = Dense {
            key: "x[1]".to_owned(), dtype: Some(to), casts,
            default: Some(RowDefault::Scalar(default)), ..Dense::default()
        };
        prop_assert_eq!(found(&batch, Feature::Dense(dense)), padded(&second, to, 1), "picked {}", about);
    }
}
