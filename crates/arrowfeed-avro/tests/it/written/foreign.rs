//! Dictionaries of other libraries, with values outside of their memory to which no row refers.
//!
//! Unsafe: the tests build arrays with such values.

#![expect(unsafe_code, reason = "build dictionaries with invalid values")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_avro::{AvroSchema, FileSource, WriteOptions};

use super::laws::write;
use crate::support::case::read_all;
use crate::support::open::open;

const FAR: i32 = 1 << 30;

/// Values of which the last one is "B", and those before may be outside of the memory.
fn wild(data_type: &DataType) -> ArrayRef {
    let parts = ArrayData::builder(data_type.clone()).len(3);
    let parts = match data_type {
        DataType::Utf8 => parts.add_buffer(Buffer::from_slice_ref([FAR, -1, 0, 1])),
        DataType::LargeUtf8 => parts.add_buffer(Buffer::from_slice_ref([1_i64 << 45, -1, 0, 1])),
        _ => {
            let far = 16 | u128::from(7_u32) << 64 | u128::from(FAR as u32) << 96;
            parts.add_buffer(Buffer::from_slice_ref([far, far, 1 | u128::from(b'B') << 32]))
        }
    };
    // SAFETY: the last value is valid, and no row has another one.
    make_array(unsafe { parts.add_buffer(Buffer::from(b"BCD")).build_unchecked() })
}

#[test]
fn symbols_of_enums_are_those_of_the_values_with_rows() {
    let json = r#"{"type": "record", "name": "R", "fields": [
        {"name": "x", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}}]}"#;
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        let piece: ArrayRef =
            Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![2]), wild(&data_type)));
        // Pieces that share a dictionary become one with more rows than values.
        for rows in [1, 3, 5] {
            let pieces: Vec<&dyn Array> = (0..rows).map(|_| piece.as_ref()).collect();
            let column = arrowfeed_select::concat(&pieces).unwrap();
            assert_eq!(column.as_any_dictionary().values().len(), 3);
            let field = Field::new("x", column.data_type().clone(), false);
            let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap();
            let schema = Some(AvroSchema::parse(json).unwrap());
            let options = WriteOptions { schema, ..WriteOptions::default() };
            let bytes = write(&batch, std::slice::from_ref(&batch), options);
            let read = read_all(open(FileSource::bytes(bytes)));
            let found: Vec<String> = read.iter().flat_map(symbols).collect();
            assert_eq!(found, vec!["B"; rows], "{data_type}");
        }
    }
}

fn symbols(batch: &RecordBatch) -> Vec<String> {
    let column = batch.column(0).as_dictionary::<Int32Type>();
    let symbols = column.downcast_dict::<arrow_array::StringArray>().unwrap();
    symbols.into_iter().flatten().map(str::to_owned).collect()
}
