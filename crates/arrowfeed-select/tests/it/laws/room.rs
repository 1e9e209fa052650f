//! Copies that do not fit into memory, or whose offsets overflow, are errors before anything is allocated.

use std::io;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Int8Array, LargeBinaryArray, LargeListArray,
    NullArray, RecordBatch, StructArray, UInt64Array, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, Field, Schema, UnionFields};
use arrowfeed_select::{
    Slice, TooLittleMemory, concat, concat_slices, filter_batch, interleave, interleave_distinct, repeat,
    take,
};

use super::overflow::{in_lists, in_union};

/// Bytes of a value, which is not read, so that its pages take no memory.
const VALUE: usize = 4 << 30;

/// Copies that together exceed the address space.
const COPIES: usize = 1 << 16;

/// Columns that do, each of one value.
const COLUMNS: usize = 1 << 15;

fn value() -> ArrayRef {
    values([VALUE])
}

fn values(lengths: impl IntoIterator<Item = usize>) -> ArrayRef {
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(LargeBinaryArray::new(offsets, vec![0; VALUE].into(), None))
}

fn in_large_lists(items: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    Arc::new(LargeListArray::new(field, OffsetBuffer::from_lengths([items.len()]), items.clone(), None))
}

fn in_struct(column: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("a", column.data_type().clone(), true));
    Arc::new(StructArray::from(vec![(field, column.clone())]))
}

fn in_dense_union(items: &ArrayRef) -> ArrayRef {
    let fields = UnionFields::from_fields(vec![Field::new("a", items.data_type().clone(), true)]);
    let (ids, places) = (vec![0; items.len()], (0..items.len() as i32).collect::<Vec<_>>());
    Arc::new(UnionArray::try_new(fields, ids.into(), Some(places.into()), vec![items.clone()]).unwrap())
}

fn bytes(copy: Result<ArrayRef, ArrowError>) -> usize {
    let Err(ArrowError::IoError(message, error)) = copy else {
        panic!("expected an error of memory, found {copy:?}")
    };
    let TooLittleMemory { bytes } =
        *error.get_ref().and_then(|error| error.downcast_ref()).expect("the error");
    let expected = format!("expected {bytes} bytes of memory for a column, found too little memory");
    assert_eq!((error.kind(), message), (io::ErrorKind::OutOfMemory, expected));
    bytes
}

#[test]
fn a_copy_that_memory_cannot_hold_is_an_error() {
    let value = value();
    let types: [fn(&ArrayRef) -> ArrayRef; 6] =
        [|it| it.clone(), in_large_lists, in_lists, in_struct, in_union, in_dense_union];
    for wrap in types {
        let array = wrap(&value);
        let slices = vec![Slice { array: 0, start: 0, len: 1 }; COPIES];
        let arrays: Vec<&dyn Array> = vec![&array; COPIES];
        let indices = UInt64Array::from(vec![0; COPIES]);
        for copy in [
            interleave(&[&array], &vec![(0, 0); COPIES]),
            concat_slices(&[&array], &slices),
            concat(&arrays),
            take(&array, &indices),
            repeat(&array, COPIES),
        ] {
            let found = bytes(copy);
            assert!(found >= VALUE * COPIES, "{}: {found}", array.data_type());
        }
    }
    // The slots alone take too much, before any list of them is made.
    bytes(repeat(&NullArray::new(1), usize::MAX >> 8));
}

/// Only the rows that are chosen need memory, not those of all batches.
#[test]
fn distinct_rows_need_their_own_memory() {
    let batch = RecordBatch::try_from_iter([("a", values([VALUE, 0]))]).unwrap();
    let batches = vec![&batch; COPIES];
    let rows = |row| (0..COPIES).map(|batch| (batch, row)).collect::<Vec<_>>();
    let found = bytes(interleave_distinct(&batches, &rows(0)).map(|batch| batch.column(0).clone()));
    assert!(found >= VALUE * COPIES, "{found}");
    assert_eq!(interleave_distinct(&batches, &rows(1)).unwrap().num_rows(), COPIES);
}

/// Rows that are left out, or that no index names, need no memory.
#[test]
fn a_filter_needs_the_memory_of_the_rows_that_pass() {
    let types: [fn(&ArrayRef) -> ArrayRef; 4] =
        [|it| it.clone(), in_large_lists_of_one, in_struct, in_dense_union];
    for wrap in types {
        let array = wrap(&values([VALUE, 0, 0]));
        let name = array.data_type().to_string();
        let batch = columns(&array);
        let found =
            bytes(filter_batch(&batch, &vec![true, true, false].into()).map(|it| it.column(0).clone()));
        assert!(found >= VALUE * COLUMNS, "{name}: {found}");
        let nulls = Some(NullBuffer::from(vec![false, true, true]));
        let batch = filter_batch(&batch, &BooleanArray::new(vec![true, true, false].into(), nulls)).unwrap();
        assert_eq!((batch.num_rows(), batch.column(COLUMNS - 1)), (1, &array.slice(1, 1)), "{name}");
        let indices = UInt64Array::from([vec![Some(1); COPIES - 1], vec![None]].concat());
        if !matches!(array.data_type(), arrow_schema::DataType::Union(..)) {
            let taken = take(&array, &indices).unwrap();
            assert_eq!((taken.len(), taken.null_count(), taken.slice(0, 1)), (COPIES, 1, array.slice(1, 1)));
        }
    }
}

/// A selection shares the values of dictionaries, however large they are.
#[test]
fn a_selection_of_keys_needs_no_memory_for_values() {
    let array = DictionaryArray::new(Int8Array::from(vec![1, 0, 1]), values([VALUE, 0]));
    let taken = take(&array, &UInt64Array::from(vec![0; COPIES])).unwrap();
    assert_eq!((taken.len(), taken.slice(0, 1)), (COPIES, Arc::new(array.slice(0, 1)) as ArrayRef));
    let batch = columns(&(Arc::new(array.clone()) as ArrayRef));
    let filtered = filter_batch(&batch, &vec![true, false, true].into()).unwrap();
    assert_eq!(filtered.column(0).as_ref(), &take(&array, &UInt64Array::from(vec![0, 2])).unwrap());
}

/// A batch of columns that together exceed the address space.
fn columns(array: &ArrayRef) -> RecordBatch {
    let field = Arc::new(Field::new("a", array.data_type().clone(), true));
    let schema = Schema::new(vec![field; COLUMNS]);
    RecordBatch::try_new(Arc::new(schema), vec![array.clone(); COLUMNS]).unwrap()
}

/// A list for each value.
fn in_large_lists_of_one(items: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    Arc::new(LargeListArray::new(
        field,
        OffsetBuffer::from_repeated_length(1, items.len()),
        items.clone(),
        None,
    ))
}

/// Offsets of 32 bits address less than 2 GiB.
#[test]
fn a_copy_whose_offsets_overflow_is_an_error() {
    let bytes = 256 << 20;
    let value: ArrayRef =
        Arc::new(BinaryArray::new(OffsetBuffer::from_lengths([bytes]), vec![0; bytes].into(), None));
    for array in
        [value.clone(), in_struct(&value), in_lists(&value), in_large_lists(&value), in_dense_union(&value)]
    {
        let slices = vec![Slice { array: 0, start: 0, len: 1 }; 8];
        for copy in [
            interleave(&[&array], &[(0, 0); 8]),
            concat_slices(&[&array], &slices),
            concat(&[&*array as &dyn Array; 8]),
            take(&array, &UInt64Array::from(vec![0; 8])),
            repeat(&array, 8),
        ] {
            let Err(error) = copy else {
                panic!("expected an error, found an array of {}", array.data_type())
            };
            assert_eq!(
                error.to_string(),
                format!("Offset overflow error: {}", 8 * bytes),
                "{}",
                array.data_type()
            );
        }
    }
}
