use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Int32Array, LargeListArray, ListArray, ListViewArray};
use arrow_schema::Field;

use super::*;

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Int32, true))
}

fn numbers(values: &[i32]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn rows(array: &ArrayRef) -> (Vec<usize>, ArrayRef) {
    let rows = Lists::new(array, array.nulls().cloned()).unwrap().into_rows(None).unwrap();
    (rows.splits.iter().collect(), rows.values)
}

#[test]
fn a_slice_has_splits_from_zero_over_its_own_values() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1)]),
        Some(vec![Some(2), Some(3)]),
        None,
        Some(vec![Some(4)]),
    ]);
    let slice: ArrayRef = Arc::new(lists.slice(1, 2));
    assert_eq!(rows(&slice), (vec![0, 2, 2], numbers(&[2, 3])));
}

#[test]
fn values_under_a_null_are_not_in_the_rows() {
    let offsets = OffsetBuffer::new(vec![0, 1, 3, 4].into());
    let nulls = NullBuffer::from(vec![true, false, true]);
    let lists: ArrayRef = Arc::new(ListArray::new(item(), offsets, numbers(&[1, 2, 3, 4]), Some(nulls)));
    assert_eq!(rows(&lists), (vec![0, 1, 1, 2], numbers(&[1, 4])));
    assert_eq!(rows(&lists.slice(1, 2)), (vec![0, 0, 1], numbers(&[4])));
}

#[test]
fn views_come_in_any_order() {
    let lists = ListViewArray::new(
        item(),
        vec![3, 0, 9].into(),
        vec![2, 1, 0].into(),
        numbers(&[7, 8, 9, 10, 11, 12, 13, 14, 15]),
        None,
    );
    let lists: ArrayRef = Arc::new(lists);
    assert_eq!(rows(&lists), (vec![0, 2, 3, 3], numbers(&[10, 11, 7])));
}

#[test]
fn splits_are_the_offsets_where_they_start_at_zero() {
    let lists = LargeListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
    let offsets = lists.offsets().inner().inner().as_ptr();
    let lists: ArrayRef = Arc::new(lists);
    let rows = Lists::new(&lists, None).unwrap().into_rows(Some(SplitsDType::Int64)).unwrap();
    assert_eq!(rows.splits.as_i64().unwrap().inner().as_ptr(), offsets);
}
