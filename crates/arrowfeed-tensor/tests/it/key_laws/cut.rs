//! Lists that are cut to the sizes of a shape, against the plain evaluator.

use arrowfeed_tensor::DefaultValue;
use arrowfeed_tensor::feature::{Feature, FixedLenSequence, VarLen};
use proptest::prelude::*;
use serde_json::Value;

use super::{any, case, config, numbers, oracle, row_of};

/// The lengths of all lists of a level in a row. A null list is empty.
fn lengths(value: &Value, level: usize) -> Vec<usize> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    match level {
        0 => vec![items.len()],
        _ => items.iter().flat_map(|item| lengths(item, level - 1)).collect(),
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn long_lists_are_cut_and_short_ones_stay_errors(seed: u64) {
        let mut case = case(seed);
        let Some(key) = case.integers().filter(|key| key.rank() > 0) else { return Ok(()) };
        let mut shape: Vec<Option<usize>> =
            (0..key.rank()).map(|_| Some(case.random.below(3)).filter(|size| *size < 2)).collect();
        let last = shape.len() - 1;
        shape[last] = Some(shape[last].unwrap_or(0));
        let sizes: Vec<usize> = shape.iter().map(|size| size.unwrap_or(usize::MAX)).collect();
        let rows: Vec<Value> = case.selected(&key).iter().map(|row| oracle::truncated(row, &sizes)).collect();
        let short = (0..shape.len()).find_map(|level| {
            let size = shape[level]?;
            rows.iter().position(|row| lengths(row, level).iter().any(|length| *length != size))
        });
        let text = any::text(&key.steps);
        let varlen = VarLen { key: text.clone(), shape: Some(shape.clone()), truncate: true, ..VarLen::default() };
        let found = case.tensor(Feature::VarLen(varlen));
        let mut entries = Vec::new();
        oracle::coordinates(&Value::from(rows.clone()), key.rank() + 1, &mut Vec::new(), &mut entries);
        let null = entries.iter().find(|(_, value)| value.is_null()).map(|(at, _)| at[0] as usize);
        match (short.or(null), found) {
            (Some(row), Err(message)) => prop_assert_eq!(row_of(&message), row, "{}", message),
            (None, Ok(tensor)) => {
                let tensor = tensor.as_sparse().unwrap();
                let indices: Vec<Vec<i64>> = tensor.indices().chunks(tensor.rank()).map(<[i64]>::to_vec).collect();
                let (at, values): (Vec<Vec<i64>>, Vec<Value>) = entries.into_iter().unzip();
                let values: Vec<i64> = values.iter().map(|value| value.as_i64().unwrap()).collect();
                prop_assert_eq!((indices, numbers(tensor.values())), (at, values));
            }
            (expected, found) => prop_assert!(false, "{expected:?} and {found:?}"),
        }

        if key.rank() < 2 || shape.contains(&Some(0)) {
            return Ok(());
        }
        let longest = |level: usize| rows.iter().flat_map(|row| lengths(row, level)).max().unwrap_or(0);
        let full: Vec<usize> = shape.iter().enumerate().map(|(level, size)| size.unwrap_or_else(|| longest(level))).collect();
        let default = Some(DefaultValue::Int(50));
        let sequence = FixedLenSequence { key: text, shape, default, truncate: true, ..FixedLenSequence::default() };
        let tensor = case.tensor(Feature::FixedLenSequence(sequence)).unwrap();
        let filled = rows.iter().map(|row| oracle::dense(row, &full, &mut std::iter::repeat(Some(50))).unwrap());
        prop_assert_eq!(numbers(tensor.as_dense().unwrap().values()), filled.collect::<Vec<_>>().concat());
    }
}
