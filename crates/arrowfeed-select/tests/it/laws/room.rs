//! Copies that do not fit into memory, or whose offsets overflow, are errors before anything is allocated.

use std::io;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, LargeBinaryArray, LargeListArray, StructArray, UnionArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, Field, UnionFields};
use arrowfeed_select::{Slice, TooLittleMemory, concat, concat_slices, interleave};

use super::overflow::{in_lists, in_union};

/// Bytes of a value, which is not read, so that its pages take no memory.
const VALUE: usize = 4 << 30;

/// Copies that together exceed the address space.
const COPIES: usize = 1 << 16;

fn value() -> ArrayRef {
    Arc::new(LargeBinaryArray::new(OffsetBuffer::from_lengths([VALUE]), vec![0; VALUE].into(), None))
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
        for copy in
            [interleave(&[&array], &vec![(0, 0); COPIES]), concat_slices(&[&array], &slices), concat(&arrays)]
        {
            let found = bytes(copy);
            assert!(found >= VALUE * COPIES, "{}: {found}", array.data_type());
        }
    }
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
