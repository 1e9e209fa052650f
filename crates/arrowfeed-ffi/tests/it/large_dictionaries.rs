//! Dictionaries with more values than rows: only the values of the rows must be valid.
//!
//! Unsafe: the tests build arrays with invalid values, and import them.

#![expect(unsafe_code, reason = "build dictionaries with invalid values")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, Int32Array, ListViewArray, RecordBatch, RunArray, StringArray, StructArray, UnionArray,
    make_array,
};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::{ArrayData, ByteView};
use arrow_schema::{DataType, Field, UnionFields};
use arrowfeed_ffi::{ForeignBatch, check_text, columns, import_field};

/// A batch with one dictionary of these keys and values.
fn imported(keys: &[i32], nulls: Option<Vec<bool>>, values: ArrayData) -> Result<RecordBatch, String> {
    let keys = ArrayData::builder(DataType::Int32)
        .len(keys.len())
        .nulls(nulls.map(NullBuffer::from))
        .add_buffer(Buffer::from_slice_ref(keys));
    let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.data_type().clone()));
    // SAFETY: the array is only exported. The import must detect what is invalid.
    let dictionary = unsafe { keys.data_type(data_type).add_child_data(values).build_unchecked() };
    let field = Arc::new(Field::new("x", dictionary.data_type().clone(), true));
    let rows: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![make_array(dictionary)], None));
    let (array, schema) =
        (FFI_ArrowArray::new(&rows.to_data()), FFI_ArrowSchema::try_from(rows.data_type()).unwrap());
    // SAFETY: the structs describe memory that they own.
    let batch = unsafe {
        let schema = columns(&import_field(&schema).unwrap()).unwrap();
        ForeignBatch::new(array, schema, |_| true)
    };
    batch.and_then(ForeignBatch::into_batch).map_err(|refused| refused.to_string())
}

fn strings(offsets: &[i32], bytes: &[u8]) -> ArrayData {
    let parts = ArrayData::builder(DataType::Utf8)
        .len(offsets.len() - 1)
        .add_buffer(Buffer::from_slice_ref(offsets))
        .add_buffer(Buffer::from(bytes));
    // SAFETY: the array is only exported.
    unsafe { parts.build_unchecked() }
}

/// Views into one buffer, each a length and an offset.
fn views(views: &[(u32, u32)], nulls: Option<Vec<bool>>, bytes: &[u8]) -> ArrayData {
    let view = |(length, offset): &(u32, u32)| {
        let start = bytes.get(*offset as usize..).and_then(|bytes| bytes.first_chunk()).copied();
        let prefix = start.map_or(0, u32::from_le_bytes);
        ByteView { length: *length, prefix, buffer_index: 0, offset: *offset }.as_u128()
    };
    let parts = ArrayData::builder(DataType::Utf8View)
        .len(views.len())
        .nulls(nulls.map(NullBuffer::from))
        .add_buffer(Buffer::from_vec(views.iter().map(view).collect::<Vec<u128>>()))
        .add_buffer(Buffer::from(bytes));
    // SAFETY: the array is only exported.
    unsafe { parts.build_unchecked() }
}

const TEXT: &[u8] = b"A long text, and a second one.";

fn check(batch: &RecordBatch) -> Result<(), String> {
    check_text(batch).map_err(|invalid| invalid.to_string())
}

#[test]
fn text_without_a_row_is_not_checked() {
    let wild = [0, 1, 2, 1 << 30, (1 << 30) + 10, 6];
    assert_eq!(check(&imported(&[0, 1], None, strings(&wild, b"ABCDEF")).unwrap()), Ok(()));
    // The last two values are not UTF-8.
    let bytes = b"A\xc3\xa4\xf0\xf1";
    let values = || strings(&[0, 1, 3, 4, 5], bytes);
    assert_eq!(check(&imported(&[1, 0, 1], None, values()).unwrap()), Ok(()));
    let null = Some(vec![true, true, false]);
    assert_eq!(check(&imported(&[1, 0, 3], null, values()).unwrap()), Ok(()));
    let null = Some(vec![false; 2]);
    assert_eq!(check(&imported(&[9, -1], null, strings(&wild, b"ABCDEF")).unwrap()), Ok(()));
    let message = r#"column "x": expected valid Arrow data, found a string that is not UTF-8, b"\xf0""#;
    assert_eq!(check(&imported(&[1, 2, 2], None, values()).unwrap()), Err(message.to_owned()));
    let views = views(&[(13, 0), (16, 14), (16, 1 << 30)], None, TEXT);
    assert_eq!(check(&imported(&[1, 0], None, views).unwrap()), Ok(()));
}

/// With a row for each value, all values are checked, as they are shared by the rows.
#[test]
fn text_of_a_small_dictionary_is_checked_as_a_whole() {
    let values = strings(&[0, 1, 2], b"A\xf0");
    let message = r#"column "x": expected valid Arrow data, found a string that is not UTF-8, b"\xf0""#;
    assert_eq!(check(&imported(&[0, 0], None, values).unwrap()), Err(message.to_owned()));
}

#[test]
fn values_of_rows_are_refused_outside_of_their_memory() {
    let found = imported(&[0, 3], None, strings(&[0, 1, 2, 1 << 30, (1 << 30) + 10, 6], b"ABCDEF"));
    let message = "expected valid Arrow data, found a value up to 1073741834 of 6 bytes";
    assert_eq!(found.unwrap_err(), format!("column \"x\": {message}"));
}

/// A null may have any view, and no consumer may find one outside of its buffer.
#[test]
fn views_of_nulls_with_rows_are_rewritten() {
    let values = views(&[(13, 0), (16, 1 << 30), (16, 14)], Some(vec![true, false, true]), TEXT);
    let batch = imported(&[1, 2], None, values).unwrap();
    let values = batch.column(0).as_any_dictionary().values().as_string_view().clone();
    values.to_data().validate_full().unwrap();
    assert_eq!(values.iter().collect::<Vec<_>>(), [Some("A long text, "), None, Some("nd a second one.")]);
    // A value without a row becomes empty.
    let all = [(13, 0), (16, 1 << 30), (16, 14), (16, 1 << 29)];
    let batch = imported(&[2, 1], None, views(&all, Some(vec![true, false, true, true]), TEXT)).unwrap();
    let values = batch.column(0).as_any_dictionary().values().as_string_view().clone();
    values.to_data().validate_full().unwrap();
    let expected = [Some("A long text, "), None, Some("nd a second one."), Some("")];
    assert_eq!(values.iter().collect::<Vec<_>>(), expected);
}

/// Slices of such values keep all children, so a check of each used value would look at all of them each time.
#[test]
fn text_in_views_runs_and_dense_unions_is_checked_once() {
    const VALUES: usize = 400_000;
    let strings = || Arc::new(StringArray::from(vec!["ä0123456789"; VALUES])) as ArrayRef;
    let count = VALUES as i32;
    let item = Arc::new(Field::new("item", DataType::Utf8, true));
    let offsets: Vec<i32> = (0..count).collect();
    let views: ArrayRef =
        Arc::new(ListViewArray::new(item, offsets.clone().into(), vec![1; VALUES].into(), strings(), None));
    let ends = Int32Array::from_iter_values(1..=count);
    let runs: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, &strings()).unwrap());
    let fields = UnionFields::from_fields(vec![Field::new("a", DataType::Utf8, true)]);
    let union = UnionArray::try_new(fields, vec![0; VALUES].into(), Some(offsets.into()), vec![strings()]);
    let union: ArrayRef = Arc::new(union.unwrap());
    let fields = vec![Field::new("s", views.data_type().clone(), true)];
    let structs: ArrayRef = Arc::new(StructArray::new(fields.into(), vec![views.clone()], None));
    let keys: Vec<i32> = (0..count - 1).collect();
    for values in [views, runs, union, structs] {
        let batch = imported(&keys, None, values.to_data()).unwrap();
        let start = Instant::now();
        assert_eq!(check(&batch), Ok(()), "{}", values.data_type());
        // One check takes milliseconds, and one for each key takes more than four minutes.
        assert!(start.elapsed() < Duration::from_secs(60), "{}", values.data_type());
    }
}
