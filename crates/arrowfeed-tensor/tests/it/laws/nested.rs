//! Law of lists of structs: a column inside them, alone and as a field of a structured tensor.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use arrowfeed_tensor::{Representation, SplitsDType, Structured, Tensor};
use proptest::prelude::*;

use super::arrays::column;
use super::expected::{filled, recomposed};
use super::support;
use super::tree::{Case, Item, KINDS, Nulls, Random, cases, without_blocks};

/// A batch with the rows of a case as the field `x` of structs in lists `l`, and the expected lists. Some lists are null over
/// stored structs.
fn in_lists(case: &Case) -> (RecordBatch, Vec<Item>) {
    let mut random = Random::new(case.seed);
    let mut rest = case.rows.as_slice();
    let (mut offsets, mut valid, mut rows) = (vec![0_i32], Vec::new(), Vec::new());
    while !rest.is_empty() || rows.is_empty() {
        let (row, after) = rest.split_at(random.below(4).min(rest.len()));
        rest = after;
        let is_null = random.one_in(4);
        valid.push(!is_null);
        rows.push(Item::List(if is_null { Vec::new() } else { row.to_vec() }));
        offsets.push((case.rows.len() - rest.len()) as i32);
    }
    let x = column(&case.levels, case.kind, &case.rows, &mut random);
    let fields = Fields::from(vec![Field::new("x", x.data_type().clone(), true)]);
    let structs: ArrayRef = Arc::new(StructArray::new(fields, vec![x], None));
    let item = Arc::new(Field::new("item", structs.data_type().clone(), true));
    let lists =
        ListArray::new(item, OffsetBuffer::new(offsets.into()), structs, Some(NullBuffer::from(valid)));
    let start = random.below(rows.len());
    let batch = support::batch(vec![("l", Arc::new(lists))]);
    (batch.slice(start, rows.len() - start), rows.split_off(start))
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn a_field_in_lists_is_ragged_by_the_lists_around_it(
        case in cases(without_blocks(0..3), &KINDS, Nulls { lists: 4, values: 0 }, None),
    ) {
        let (batch, rows) = in_lists(&case);
        let depth = case.levels.len() + 1;
        let expected: Vec<Item> = rows.iter().map(|row| filled(row, depth, 0)).collect();
        let alone = support::convert(&batch, &support::varlen_ragged("l.x", SplitsDType::Int32)).unwrap();
        prop_assert_eq!(recomposed(alone.as_ragged().unwrap()), expected);
        let structured = Structured { columns: vec!["l".to_owned()], row_splits_dtype: SplitsDType::Int32, ..Structured::default() };
        let whole = support::convert(&batch, &Representation::Structured(structured)).unwrap();
        let lists = whole.as_structured().unwrap().field("l").and_then(Tensor::as_structured).unwrap();
        prop_assert_eq!(lists.field("x"), Some(&alone));
        prop_assert_eq!(lists.row_splits(), &alone.row_splits()[..1]);
    }
}
