//! Laws of sparse tensors and partitions, from rows of plain numbers.

use arrow_array::RecordBatch;
use arrowfeed_tensor::{Partition, Representation, Sparse};
use proptest::prelude::*;

use super::arrays::numbers;
use super::support;

/// Rows of entries, each with two indices and a value.
type Entries = Vec<Option<Vec<(i64, i64, i64)>>>;

fn entries() -> impl Strategy<Value = Entries> {
    let entry = (0..5_i64, 0..3_i64, any::<i8>().prop_map(i64::from));
    let row = prop_oneof![1 => Just(None), 4 => proptest::collection::vec(entry, 0..5).prop_map(Some)];
    proptest::collection::vec(row, 0..8)
}

fn column(rows: &[Option<Vec<i64>>]) -> arrow_array::ArrayRef {
    support::lists(&rows.iter().map(Option::as_deref).collect::<Vec<_>>())
}

fn sparse_batch(rows: &Entries) -> RecordBatch {
    let part = |of: fn(&(i64, i64, i64)) -> i64| {
        column(
            &rows.iter().map(|row| row.as_ref().map(|row| row.iter().map(of).collect())).collect::<Vec<_>>(),
        )
    };
    support::batch(vec![("i", part(|it| it.0)), ("j", part(|it| it.1)), ("v", part(|it| it.2))])
}

/// Rows of groups of pairs. Tests store the pairs flat, with the sizes of the groups in another column.
fn groups() -> impl Strategy<Value = Vec<Vec<Vec<[i64; 2]>>>> {
    let pair = any::<[i8; 2]>().prop_map(|pair| pair.map(i64::from));
    let group = proptest::collection::vec(pair, 0..4);
    proptest::collection::vec(proptest::collection::vec(group, 0..4), 0..6)
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn sparse_entries_are_sorted_in_their_row(rows in entries(), from in 0..8_usize, known: bool) {
        let batch = sparse_batch(&rows);
        let from = from.min(rows.len());
        let rows = &rows[from..];
        let size = |size| known.then_some(size);
        let sparse = support::sparse(&["i", "j"], "v", &[size(5), size(3)]);
        let batch = batch.slice(from, rows.len());
        let tensor = support::convert(&batch, &Representation::Sparse(sparse)).unwrap();
        let tensor = tensor.as_sparse().unwrap();
        let mut expected = Vec::new();
        for (row, entries) in rows.iter().enumerate() {
            let mut entries = entries.clone().unwrap_or_default();
            entries.sort_by_key(|it| (it.0, it.1));
            expected.extend(entries.into_iter().map(|(i, j, v)| (vec![row as i64, i, j], v)));
        }
        let found: Vec<(Vec<i64>, i64)> =
            tensor.indices().chunks(3).map(<[i64]>::to_vec).zip(numbers(tensor.values())).collect();
        let most = |dimension: usize| expected.iter().map(|(at, _)| at[dimension] + 1).max().unwrap_or(0);
        let shape = if known { [5, 3] } else { [most(1), most(2)] };
        prop_assert_eq!(tensor.dense_shape(), [rows.len() as i64, shape[0], shape[1]]);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn sparse_entries_as_stored_go_to_lists_and_back(rows in entries()) {
        let sparse = Sparse { already_sorted: true, ..support::sparse(&["i", "j"], "v", &[Some(5), Some(3)]) };
        let tensor = support::convert(&sparse_batch(&rows), &Representation::Sparse(sparse)).unwrap();
        let tensor = tensor.as_sparse().unwrap();
        let mut found = vec![Vec::new(); rows.len()];
        for (at, value) in tensor.indices().chunks(3).zip(numbers(tensor.values())) {
            found[at[0] as usize].push((at[1], at[2], value));
        }
        let expected: Vec<_> = rows.into_iter().map(Option::unwrap_or_default).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn partitions_give_the_groups_back(rows in groups(), from in 0..6_usize) {
        let flat = |row: &Vec<Vec<[i64; 2]>>| row.iter().flatten().flatten().copied().collect::<Vec<_>>();
        let sizes = |row: &Vec<Vec<[i64; 2]>>| row.iter().map(|group| group.len() as i64).collect::<Vec<_>>();
        let batch = support::batch(vec![
            ("v", column(&rows.iter().map(|row| Some(flat(row))).collect::<Vec<_>>())),
            ("n", column(&rows.iter().map(|row| Some(sizes(row))).collect::<Vec<_>>())),
        ]);
        let from = from.min(rows.len());
        let (batch, rows) = (batch.slice(from, rows.len() - from), &rows[from..]);
        let partitions = vec![Partition::RowLength("n".to_owned()), Partition::Uniform(2)];
        let tensor = support::convert(&batch, &support::ragged(&["v"], partitions)).unwrap();
        let tensor = tensor.as_ragged().unwrap();
        let values = numbers(tensor.flat_values().values());
        let pairs: Vec<[i64; 2]> = values.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let [outer, inner] = tensor.row_splits() else { panic!("two levels") };
        let group = |i: usize| pairs[inner.range(i).unwrap()].to_vec();
        let found: Vec<Vec<_>> =
            (0..outer.rows()).map(|row| outer.range(row).unwrap().map(group).collect()).collect();
        prop_assert_eq!(&found, rows);
    }
}
