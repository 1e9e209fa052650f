//! Laws of the conversions, against a plain oracle that works row by row on trees of values.

mod any;
mod arrays;
mod back;
mod expected;
mod grouped;
mod nested;
mod tree;

use arrowfeed_tensor::{
    AdapterOptions, ConversionErrorKind, DefaultValue, Dense, InnerNulls, Representation, SplitsDType,
    Tensor, TensorAdapter,
};
use proptest::prelude::*;

use crate::random_config::config;
use crate::support;

use arrays::{batch, numbers};
use expected::{coordinates, longest, recomposed};
use tree::{Case, INTEGERS, Item, KINDS, Level, Nulls, any_levels, cases, with_blocks, without_blocks};

const ANY: Nulls = Nulls { lists: 4, values: 0 };
const WITH_NULLS: Nulls = Nulls { lists: 4, values: 6 };

fn convert(case: &Case, representation: &Representation, inner_nulls: InnerNulls) -> Result<Tensor, String> {
    let batch = batch(case);
    let options = AdapterOptions { inner_nulls, ..AdapterOptions::default() };
    let adapter = TensorAdapter::with_options(batch.schema(), [("t", representation)], options).unwrap();
    let tensors = adapter.convert(&batch).map_err(|error| error.to_string())?;
    let spec = &adapter.specs()[0].1;
    let tensor = tensors.into_iter().next().unwrap().1;
    assert_eq!((tensor.kind(), tensor.rows()), (spec.kind, case.slice.len()));
    Ok(tensor)
}

/// The row that a message names.
fn row_of(message: &str) -> usize {
    let (_, after) = message.split_once("row ").expect("a message with a row");
    after.split(':').next().unwrap().parse().unwrap()
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn a_varlen_sparse_tensor_has_the_coordinates_of_the_lists(case in cases(any_levels(0..4), &KINDS, ANY, None)) {
        let depth = case.levels.len();
        let tensor = convert(&case, &support::varlen(case.column()), InnerNulls::Error).unwrap();
        let tensor = tensor.as_sparse().unwrap();
        let found: Vec<_> = tensor.indices().chunks(tensor.rank()).map(<[i64]>::to_vec)
            .zip(numbers(tensor.values()).into_iter().map(Some)).collect();
        prop_assert_eq!(found, coordinates(case.wanted(), depth));
        prop_assert_eq!(tensor.dense_shape(), longest(case.wanted(), depth));
    }

    #[test]
    fn slicing_commutes_with_converting(case in cases(any_levels(1..4), &KINDS, ANY, None)) {
        let whole = Case { slice: 0..case.rows.len(), ..case.clone() };
        let whole = convert(&whole, &support::varlen(case.column()), InnerNulls::Error).unwrap();
        let part = convert(&case, &support::varlen(case.column()), InnerNulls::Error).unwrap();
        let rows = expected::sparse_rows(&whole, case.slice.clone());
        prop_assert_eq!(expected::sparse_rows(&part, 0..case.slice.len()), rows);
    }

    #[test]
    fn a_ragged_tensor_is_recomposed_to_the_lists(case in cases(without_blocks(1..4), &KINDS, ANY, None), wide: bool) {
        let splits = if wide { SplitsDType::Int64 } else { SplitsDType::Int32 };
        let tensor = convert(&case, &support::varlen_ragged(case.column(), splits), InnerNulls::Error).unwrap();
        let tensor = tensor.as_ragged().unwrap();
        let depth = case.levels.len();
        let expected: Vec<Item> = case.wanted().iter().map(|row| expected::filled(row, depth, 0)).collect();
        prop_assert_eq!(recomposed(tensor), expected);
        prop_assert!(tensor.row_splits().iter().all(|found| found.dtype() == splits));
    }

    #[test]
    fn lists_of_one_size_are_inner_dimensions(case in cases(with_blocks(), &KINDS, WITH_NULLS, None)) {
        let blocks = case.levels.iter().filter(|level| matches!(level, Level::Fixed(_))).count();
        let representation = support::varlen_ragged(case.column(), SplitsDType::Int64);
        let tensor = convert(&case, &representation, InnerNulls::Fill).unwrap();
        let ragged = case.levels.len() - blocks;
        let expected: Vec<Item> =
            case.wanted().iter().map(|row| expected::filled_blocks(row, &case.levels, ragged, 0)).collect();
        prop_assert_eq!(recomposed(tensor.as_ragged().unwrap()), expected);
    }

    #[test]
    fn a_null_value_is_refused_or_filled(case in cases(any_levels(1..3), &KINDS, WITH_NULLS, None)) {
        let depth = case.levels.len();
        let entries = coordinates(case.wanted(), depth);
        let representation = support::varlen(case.column());
        match (convert(&case, &representation, InnerNulls::Error), entries.iter().find(|(_, it)| it.is_none())) {
            (Ok(tensor), None) => prop_assert_eq!(tensor.as_sparse().unwrap().values().len(), entries.len()),
            (Err(message), Some((at, _))) => prop_assert_eq!(row_of(&message) as i64, at[0], "{}", message),
            (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
        }
        let tensor = convert(&case, &representation, InnerNulls::Fill).unwrap();
        let expected: Vec<i64> = entries.iter().map(|(_, number)| number.unwrap_or(0)).collect();
        prop_assert_eq!(numbers(tensor.as_sparse().unwrap().values()), expected);
    }

    #[test]
    fn a_dense_tensor_flattened_is_the_values(case in cases(any_levels(1..4), &KINDS, Nulls { lists: 0, values: 0 }, Some(2))) {
        let lengths: Vec<usize> = case.levels.iter().map(|level| if let Level::Fixed(n) = level { *n } else { 2 }).collect();
        let representation = Representation::Dense(support::dense(case.column(), &lengths));
        let tensor = convert(&case, &representation, InnerNulls::Error).unwrap();
        let tensor = tensor.as_dense().unwrap();
        let flat: Vec<i64> =
            coordinates(case.wanted(), lengths.len()).into_iter().map(|(_, number)| number.unwrap()).collect();
        prop_assert_eq!(numbers(tensor.values()), flat);
        prop_assert_eq!(&tensor.shape()[1..], &lengths);
    }

    #[test]
    fn dense_rows_are_filled_and_padded_one_by_one(
        case in cases(any_levels(1..4), &INTEGERS, Nulls { lists: 5, values: 0 }, None),
        defaulted: bool,
        pad: bool,
    ) {
        let pad = pad && defaulted;
        let lengths: Vec<usize> = case.levels.iter().map(|level| if let Level::Fixed(n) = level { *n } else { 3 }).collect();
        let default = defaulted.then_some(DefaultValue::Int(7));
        let dense = Dense { default, pad, ..support::dense(case.column(), &lengths) };
        let found = convert(&case, &Representation::Dense(dense), InnerNulls::Error);
        match (found, expected::dense(case.wanted(), &lengths, defaulted.then_some(7), pad)) {
            (Ok(tensor), Ok(values)) => prop_assert_eq!(numbers(tensor.as_dense().unwrap().values()), values),
            (Err(message), Err(row)) => prop_assert_eq!(row_of(&message), row, "{}", message),
            (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
        }
    }
}

#[test]
fn kinds_of_errors_are_distinguished() {
    let column = support::batch(vec![("x", support::lists(&[Some(&[1])]))]);
    let representation = Representation::Dense(support::dense("x", &[2]));
    let error = support::convert(&column, &representation).unwrap_err();
    assert_eq!(
        (error.kind(), error.row(), error.column()),
        (ConversionErrorKind::Length, Some(0), Some("x"))
    );
}
