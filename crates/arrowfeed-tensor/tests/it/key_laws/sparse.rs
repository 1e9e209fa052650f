//! Sparse features against a plain implementation that works row by row.

use arrowfeed_tensor::feature::{Feature, Sparse};
use arrowfeed_tensor::{Duplicates, SparseTensor, TensorAdapter};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::any::Random;
use super::{config, numbers, row_of};
use crate::support::{json as trees, types};

const SIZE: i64 = 4;

fn rows(random: &mut Random) -> Vec<Value> {
    let list = |random: &mut Random, length: usize| -> Value {
        (0..length)
            .map(|_| json!(random.below(SIZE as usize) as i64 - i64::from(random.one_in(40))))
            .collect()
    };
    let group = |random: &mut Random| {
        if random.one_in(6) {
            return Value::Null;
        }
        let length = random.below(3);
        let other = if random.one_in(30) { length + 1 } else { length };
        json!({"i": list(random, other), "j": list(random, length), "v": list(random, length)})
    };
    let row = |random: &mut Random| match random.one_in(6) {
        true => json!({}),
        false => json!({"groups": (0..random.below(4)).map(|_| group(random)).collect::<Vec<_>>()}),
    };
    (0..random.below(8)).map(|_| row(random)).collect()
}

/// An entry: its indices after that of the row, and its value.
type Entry = (Vec<i64>, i64);

/// The sorted entries of a row, `None` if the row is an error.
fn entries(row: &Value, kept: bool, duplicates: Duplicates) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    for (position, group) in row["groups"].as_array().into_iter().flatten().enumerate() {
        let list = |name: &str| group[name].as_array().cloned().unwrap_or_default();
        let (i, j, v) = (list("i"), list("j"), list("v"));
        if i.len() != v.len() {
            return None;
        }
        for ((i, j), v) in i.iter().zip(j).zip(v) {
            let (i, j, v) = (i.as_i64()?, j.as_i64()?, v.as_i64()?);
            if i < 0 || j < 0 {
                return None;
            }
            entries.push((if kept { vec![position as i64, i, j] } else { vec![i, j] }, v));
        }
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let twice = entries.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!twice || duplicates == Duplicates::Keep).then_some(entries)
}

fn found(tensor: &SparseTensor) -> Vec<(usize, Entry)> {
    let indices = tensor.indices().chunks(tensor.rank());
    let entries = indices.zip(numbers(tensor.values()));
    entries.map(|(index, value)| (index[0] as usize, (index[1..].to_vec(), value))).collect()
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn sparse_entries_are_checked_row_by_row(seed: u64, kept: bool, keep_duplicates: bool) {
        let mut random = Random::new(seed);
        let rows = rows(&mut random);
        let fields = types::fields("groups: list<struct<i: list<int64>?, j: large_list<int32>?, v: list<int64>?>?>?");
        let batch = trees::batch(&fields, &rows);
        let duplicates = if keep_duplicates { Duplicates::Keep } else { Duplicates::Error };
        let size = [Some(3), Some(SIZE as usize), Some(SIZE as usize)];
        let feature = Feature::Sparse(Sparse {
            key: "groups[*]".to_owned(),
            index_keys: vec!["i[*]".to_owned(), "@groups[*].j[*]".to_owned()],
            value_key: "v[*]".to_owned(),
            size: size[usize::from(!kept)..].to_vec(),
            duplicates,
            ..Sparse::default()
        });
        let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
        let expected: Vec<Option<Vec<Entry>>> = rows.iter().map(|row| entries(row, kept, duplicates)).collect();
        match adapter.convert(&batch) {
            Ok(tensors) => {
                let tensor = tensors[0].1.as_sparse().unwrap();
                let expected = expected.into_iter().enumerate();
                let expected: Vec<(usize, Entry)> =
                    expected.flat_map(|(row, entries)| entries.unwrap().into_iter().map(move |it| (row, it))).collect();
                prop_assert_eq!(found(tensor), expected);
                prop_assert_eq!(tensor.dense_shape().len(), if kept { 4 } else { 3 });
            }
            // The error is in any row that the plain implementation rejects: counts of all rows are checked before bounds.
            Err(error) => prop_assert!(expected[row_of(&error.to_string())].is_none(), "{}", error),
        }
    }
}
