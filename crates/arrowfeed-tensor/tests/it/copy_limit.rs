//! The limit on copies of values that several rows share.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeBinaryArray, Int32Array, LargeStringArray, ListArray,
    RecordBatch, StringArray, StringViewArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use arrowfeed_tensor::feature::{self, Feature};
use arrowfeed_tensor::{
    AdapterOptions, ConversionError, ConversionErrorKind, Dense, Representation, TensorAdapter,
};

use crate::support::{self, batch};

const LIMIT: usize = 10_000;

/// A column of `rows` rows, in which the first value of the dictionary and null alternate.
fn dictionary(values: ArrayRef, rows: usize) -> RecordBatch {
    let keys = Int32Array::from_iter((0..rows).map(|i| if i % 2 == 0 { Some(0) } else { None }));
    let column: DictionaryArray<Int32Type> = DictionaryArray::new(keys, values);
    batch(vec![("e", Arc::new(column))])
}

fn by_representation(batch: &RecordBatch) -> Result<(), ConversionError> {
    let dense = Representation::Dense(Dense {
        default: Some(arrowfeed_tensor::DefaultValue::Bytes(vec![0; width(batch)])),
        ..Dense { column: "e".to_owned(), ..support::dense("e", &[]) }
    });
    let options = AdapterOptions { batch_bytes: LIMIT, ..AdapterOptions::default() };
    let adapter = TensorAdapter::with_options(batch.schema(), [("t", dense)], options).unwrap();
    adapter.convert(batch).map(|_| ())
}

fn width(batch: &RecordBatch) -> usize {
    match batch.column(0).data_type() {
        DataType::Dictionary(_, values) => match **values {
            DataType::FixedSizeBinary(n) => n as usize,
            _ => 0,
        },
        _ => 0,
    }
}

fn by_feature(batch: &RecordBatch) -> Result<(), ConversionError> {
    let varlen = Feature::VarLen(feature::VarLen { key: "e".to_owned(), ..Default::default() });
    let adapter = TensorAdapter::from_features_within(batch.schema(), [("t", varlen)], LIMIT).unwrap();
    adapter.convert(batch).map(|_| ())
}

#[test]
fn copies_of_a_dictionarys_values_are_limited_and_nulls_are_none() {
    let long = "x".repeat(1000);
    let texts = [long.as_str(), ""];
    let fixed = FixedSizeBinaryArray::try_from_iter([vec![1; 1000], vec![2; 1000]].iter()).unwrap();
    let values: [ArrayRef; 4] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(fixed),
    ];
    for values in values {
        for (convert, place) in [
            (by_representation as fn(&RecordBatch) -> _, "tensor \"t\", column \"e\""),
            (by_feature, "tensor \"t\", key \"e\""),
        ] {
            assert_eq!(convert(&dictionary(values.clone(), 20)), Ok(()), "{}", values.data_type());
            let error = convert(&dictionary(values.clone(), 22)).unwrap_err();
            assert_eq!((error.kind(), error.limit()), (ConversionErrorKind::Limit, Some("batch_bytes")));
            let expected = "expected at most 10000 bytes of copied values (the limit batch_bytes), \
                            found more: convert fewer rows at a time";
            assert_eq!(error.to_string(), format!("{place}: {expected}"), "{}", values.data_type());
        }
    }
}

/// The filter compares a value of the record with each element of its array.
#[test]
fn copies_of_a_rows_value_for_each_element_are_limited() {
    let rows = |elements: usize| {
        let names: ArrayRef = Arc::new(StringArray::from(vec!["a"; elements]));
        let fields = Fields::from(vec![Field::new("name", DataType::Utf8, false)]);
        let items = StructArray::new(fields, vec![names], None);
        let item = Arc::new(Field::new("item", items.data_type().clone(), false));
        let lists = ListArray::new(item, OffsetBuffer::from_lengths([elements]), Arc::new(items), None);
        let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1000)]));
        batch(vec![("long", long), ("e", Arc::new(lists))])
    };
    let filter =
        Feature::VarLen(feature::VarLen { key: "e[name=@long].name".to_owned(), ..Default::default() });
    let convert = |batch: &RecordBatch| {
        let named = [("t", filter.clone())];
        TensorAdapter::from_features_within(batch.schema(), named, LIMIT).unwrap().convert(batch).map(|_| ())
    };
    assert_eq!(convert(&rows(10)), Ok(()));
    assert_eq!(convert(&rows(11)).unwrap_err().limit(), Some("batch_bytes"));
}
