//! Dictionaries of other libraries: values without a row may be outside of their memory, and text may not be UTF-8.
//!
//! Unsafe: the tests build arrays with such values.

#![expect(unsafe_code, reason = "build dictionaries with invalid values")]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, ListArray, MapArray, PrimitiveArray, RecordBatch,
    StructArray, make_array,
};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_data::{ArrayData, ByteView};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_tensor::feature::{Dense, Feature, Ragged, RowDefault, VarLen};
use arrowfeed_tensor::{
    DType, DefaultValue, ExpressionPlan, KeyExpression, Lookup, TensorAdapter, Transform, Vocabulary,
};

/// Strings "A" and "B", and values far outside of the memory.
fn wild(data_type: &DataType) -> ArrayRef {
    const FAR: i32 = 1 << 30;
    let view = |length: u32, text: u8| u128::from(length) | u128::from(text) << 32;
    let far = ByteView { length: 16, prefix: 0, buffer_index: 7, offset: FAR as u32 }.as_u128();
    let parts = ArrayData::builder(data_type.clone()).len(5);
    let parts = match data_type {
        DataType::Utf8 | DataType::Binary => parts
            .add_buffer(Buffer::from_slice_ref([0, 1, 2, FAR, FAR + 10, 6]))
            .add_buffer(Buffer::from(b"ABCDEF")),
        DataType::LargeUtf8 => parts
            .add_buffer(Buffer::from_slice_ref([0_i64, 1, 2, 1 << 45, -5, 1 << 50]))
            .add_buffer(Buffer::from(b"ABCDEF")),
        _ => parts
            .add_buffer(Buffer::from_slice_ref([view(1, b'A'), view(1, b'B'), far, far, far]))
            .add_buffer(Buffer::from(b"ABCDEF")),
    };
    // SAFETY: the values 0 and 1 are valid, and no test has a row with another value.
    make_array(unsafe { parts.build_unchecked() })
}

fn types() -> [DataType; 5] {
    [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, DataType::Binary, DataType::BinaryView]
}

fn dictionary(keys: Vec<Option<i32>>, values: ArrayRef) -> ArrayRef {
    Arc::new(DictionaryArray::new(keys.into_iter().collect::<PrimitiveArray<Int32Type>>(), values))
}

fn batch(field: Field, column: ArrayRef) -> RecordBatch {
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
}

/// The codes of a column of symbols "A" and "B".
fn codes(column: ArrayRef, dtype: DType) -> Result<Vec<i64>, String> {
    let metadata = HashMap::from([("avro.enum.symbols".to_owned(), r#"["A","B"]"#.to_owned())]);
    let batch = batch(Field::new("e", column.data_type().clone(), true).with_metadata(metadata), column);
    let feature = Feature::Dense(Dense { key: "e".to_owned(), dtype: Some(dtype), ..Dense::default() });
    let adapter =
        TensorAdapter::from_features(batch.schema(), [("e", feature)]).map_err(|error| error.to_string())?;
    let tensor = adapter.convert(&batch).map_err(|error| error.to_string())?.into_iter().next().unwrap().1;
    let values = tensor.as_dense().unwrap().values().clone();
    Ok(match dtype {
        DType::Int64 => values.as_i64().unwrap().to_vec(),
        _ => values.as_i32().unwrap().iter().map(|code| i64::from(*code)).collect(),
    })
}

#[test]
fn codes_are_those_of_the_values_with_rows() {
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        for dtype in [DType::Int32, DType::Int64] {
            let few = dictionary(vec![Some(1), Some(0)], wild(&data_type));
            assert_eq!(codes(few, dtype), Ok(vec![1, 0]), "{data_type}");
            // More rows than values, as after a selection of rows.
            let many =
                dictionary(vec![1, 0, 1, 1, 0, 1, 0].into_iter().map(Some).collect(), wild(&data_type));
            assert_eq!(codes(many, dtype), Ok(vec![1, 0, 1, 1, 0, 1, 0]), "{data_type}");
        }
    }
}

#[test]
fn a_symbol_that_is_not_utf8_is_an_error() {
    let parts = ArrayData::builder(DataType::Utf8)
        .len(1)
        .add_buffer(Buffer::from_slice_ref([0, 1]))
        .add_buffer(Buffer::from(b"\xf0"));
    // SAFETY: the text is not UTF-8, so the test passes it only to code that reads bytes.
    let values = make_array(unsafe { parts.build_unchecked() });
    let found = codes(dictionary(vec![Some(0), Some(0)], values), DType::Int64);
    let message =
        "key \"e\", row 0: expected a symbol of the enum, one of [\"A\", \"B\"], found \"\u{fffd}\"";
    assert_eq!(found, Err(message.to_owned()));
}

/// The values that a key expression selects in one list or map of each row.
fn selected(column: ArrayRef, key: &str) -> Vec<i64> {
    let batch = batch(Field::new("l", column.data_type().clone(), true), column);
    let feature = Feature::Ragged(Ragged { key: key.to_owned(), ..Ragged::default() });
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
    let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
    tensor.as_ragged().unwrap().flat_values().values().as_i64().unwrap().to_vec()
}

/// A struct of a key and the row's number.
fn entries(keys: &ArrayRef, names: [&str; 2], nullable: bool) -> StructArray {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..keys.len() as i64));
    let fields = vec![
        Field::new(names[0], keys.data_type().clone(), nullable),
        Field::new(names[1], DataType::Int64, true),
    ];
    StructArray::new(fields.into(), vec![keys.clone(), numbers], None)
}

fn in_lists(keys: &ArrayRef) -> ArrayRef {
    let entries = entries(keys, ["k", "v"], true);
    let item = Arc::new(Field::new("item", entries.data_type().clone(), true));
    Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([entries.len()]), Arc::new(entries), None))
}

#[test]
fn filters_compare_the_values_with_rows() {
    for data_type in types() {
        // A key under a null may be that of any value.
        let few = vec![Some(1), None, Some(0), Some(1)];
        let many: Vec<Option<i32>> = few.iter().copied().cycle().take(8).collect();
        for (keys, a, b) in [(few, vec![2], vec![0, 3]), (many, vec![2, 6], vec![0, 3, 4, 7])] {
            let nulls = keys.iter().map(Option::is_some).collect::<Vec<_>>();
            let keys = keys.iter().map(|key| key.unwrap_or(3)).collect::<Vec<_>>();
            let keys = PrimitiveArray::<Int32Type>::new(keys.into(), Some(nulls.into()));
            let keys: ArrayRef = Arc::new(DictionaryArray::new(keys, wild(&data_type)));
            for (text, expected) in [("A", a), ("B", b), ("ABCDEFGHIJ", vec![])] {
                assert_eq!(selected(in_lists(&keys), &format!("l[k='{text}'].v")), expected, "{data_type}");
            }
            // Keys that are compared with themselves are unpacked, with views at the nulls.
            let all: Vec<i64> = (0..keys.len() as i64).collect();
            assert_eq!(selected(in_lists(&keys), "l[k=k].v"), all, "{data_type}");
            let valid: Vec<i64> = all.into_iter().filter(|i| keys.is_valid(*i as usize)).collect();
            assert_eq!(selected(in_lists(&keys), "l[k!=null].v"), valid, "{data_type}");
        }
    }
}

#[test]
fn maps_are_searched_for_the_keys_with_rows() {
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        for len in [2, 9] {
            let keys = dictionary((0..len).map(|i| Some(i % 2)).collect(), wild(&data_type));
            let entries = entries(&keys, ["key", "value"], false);
            let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
            let maps: ArrayRef = Arc::new(MapArray::new(
                field,
                OffsetBuffer::from_lengths([entries.len()]),
                entries,
                None,
                false,
            ));
            let batch = batch(Field::new("m", maps.data_type().clone(), true), maps);
            let key = KeyExpression::parse("m['B']").unwrap();
            let plan = ExpressionPlan::try_new(batch.schema(), &key);
            let Ok(_) = plan else { panic!("{:?}", plan.map(|_| ()).map_err(|error| error.to_string())) };
            let feature = Feature::Dense(Dense { key: "m['B']".to_owned(), ..Dense::default() });
            let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
            let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
            let last = i64::from(if len % 2 == 0 { len - 1 } else { len - 2 });
            assert_eq!(tensor.as_dense().unwrap().values().as_i64(), Some(&[last][..]), "{data_type}");
        }
    }
}

/// The limit on copies of values does not depend on an invalid last offset.
#[test]
fn strings_with_rows_become_bytes() {
    for data_type in types() {
        let column = dictionary(vec![Some(1), Some(0), Some(1)], wild(&data_type));
        let batch = batch(Field::new("e", column.data_type().clone(), true), column);
        let feature = Feature::Dense(Dense { key: "e".to_owned(), ..Dense::default() });
        let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
        let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
        let array = tensor.as_dense().unwrap().values().array().clone();
        let bytes = arrow_cast::cast(&array, &DataType::LargeBinary).unwrap();
        let bytes = arrow_array::cast::AsArray::as_binary::<i64>(&bytes);
        assert_eq!(bytes.iter().flatten().collect::<Vec<_>>(), [b"B", b"A", b"B"], "{data_type}");
    }
}

#[test]
fn transforms_are_those_of_the_values_with_rows() {
    let vocabulary = || Vocabulary::from_tokens(["A", "B"]).unwrap();
    let lookup = Lookup { vocabulary: vocabulary().into(), oov: 0, default: None, mask: None };
    for data_type in types() {
        // A key under a null may be that of any value.
        let nulls = vec![true, false, true, true, false, true, true];
        let keys = PrimitiveArray::<Int32Type>::new(vec![1, 3, 0, 1, 4, 0, 1].into(), Some(nulls.into()));
        let column: ArrayRef = Arc::new(DictionaryArray::new(keys, wild(&data_type)));
        for (transform, a, b) in [
            (Transform::Lookup(lookup.clone()), 0, 1),
            (Transform::hashed(1000), 564, 528),
            (Transform::crossed(["e"], 1000), 0, 0),
        ] {
            let is_cross = matches!(transform, Transform::Crossed { .. });
            let batch = batch(Field::new("e", column.data_type().clone(), true), column.clone());
            let feature = Feature::Dense(Dense {
                key: "e".to_owned(),
                default: Some(RowDefault::Scalar(DefaultValue::Int(-1))),
                transforms: vec![transform],
                ..Dense::default()
            });
            let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
            let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
            let found = tensor.as_dense().unwrap().values().as_i64().unwrap().to_vec();
            let (a, b) = if is_cross { (found[2], found[0]) } else { (a, b) };
            assert_eq!(found, [b, -1, a, b, -1, a, b], "{data_type}");
        }
    }
}

/// Values of which the last one has `length` bytes, and the first one is outside of the memory.
fn long(data_type: &DataType, length: usize, first: i32) -> ArrayRef {
    let length = length as i32;
    let parts = ArrayData::builder(data_type.clone()).len(2);
    let parts = match data_type {
        DataType::Utf8 | DataType::Binary => parts.add_buffer(Buffer::from_slice_ref([first, 0, length])),
        DataType::LargeUtf8 => {
            parts.add_buffer(Buffer::from_slice_ref([i64::from(first), 0, i64::from(length)]))
        }
        _ => {
            let view = |length: i32, buffer_index: u32| {
                let prefix = u32::from_le_bytes(*b"xxxx");
                ByteView { length: length as u32, prefix, buffer_index, offset: 0 }.as_u128()
            };
            parts.add_buffer(Buffer::from_slice_ref([view(1 << 30, 0), view(length, 0)]))
        }
    };
    // SAFETY: the last value is valid, and no test has a row with another value.
    make_array(unsafe { parts.add_buffer(Buffer::from(vec![b'x'; length as usize])).build_unchecked() })
}

/// Values without a row neither hide nor add bytes.
#[test]
fn the_limit_on_copies_depends_on_the_values_with_rows_alone() {
    for data_type in types() {
        // The first offset is after the last one, equal to it, or just before it.
        for first in [2000, 1000, 999, -1] {
            let convert = |rows: usize| {
                let column = dictionary(vec![Some(1); rows], long(&data_type, 1000, first));
                let batch = batch(Field::new("e", column.data_type().clone(), true), column);
                let feature = Feature::VarLen(VarLen { key: "e".to_owned(), ..VarLen::default() });
                let adapter = TensorAdapter::from_features_within(batch.schema(), [("t", feature)], 10_000);
                adapter.unwrap().convert(&batch).map(|_| ()).map_err(|error| error.limit())
            };
            assert_eq!(convert(10), Ok(()), "{data_type}");
            assert_eq!(convert(11), Err(Some("batch_bytes")), "{data_type} {first}");
        }
    }
}
