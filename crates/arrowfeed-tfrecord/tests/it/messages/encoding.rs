//! The encoding `Feature`: the same values in other types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};
use arrowfeed_tfrecord::FeatureEncoding;
use arrowfeed_tfrecord::example::{Feature, FeatureKind, UnknownFeatures};
use arrowfeed_tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceFeatures};
use proptest::prelude::*;

use super::sequence_example::record;

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// A value of either encoding as text.
fn value(array: &ArrayRef, row: usize) -> String {
    if array.is_null(row) {
        return "null".to_owned();
    }
    let items = |items: ArrayRef| (0..items.len()).map(|at| value(&items, at)).collect::<Vec<_>>().join(" ");
    match array.data_type() {
        DataType::LargeList(_) => format!("[{}]", items(array.as_list::<i64>().value(row))),
        // The list of a struct has one item.
        DataType::List(item) if matches!(item.data_type(), DataType::Struct(_)) => {
            let item = array.as_list::<i32>().value(row);
            assert_eq!(item.len(), 1);
            value(&item, 0)
        }
        DataType::List(_) => format!("[{}]", items(array.as_list::<i32>().value(row))),
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.map(|column| value(column, row)).collect::<Vec<_>>().join(", ")
        }
        DataType::LargeBinary => format!("{:?}", array.as_binary::<i64>().value(row)),
        DataType::Binary => format!("{:?}", array.as_binary::<i32>().value(row)),
        _ => format!("{:?}", array.slice(row, 1)),
    }
}

fn values(batch: &RecordBatch) -> Vec<String> {
    let row = |row| batch.columns().iter().map(|column| value(column, row)).collect::<Vec<_>>().join("; ");
    (0..batch.num_rows()).map(row).collect()
}

proptest! {
    #![proptest_config(crate::random_config::config(50))]

    #[test]
    fn values_are_the_same(messages in prop::collection::vec(record(), 0..8), from in 0..3_usize) {
        let feature = |name: &str, kind| Feature { name: name.to_owned(), kind };
        let all = [feature("i", FeatureKind::Int64), feature("f", FeatureKind::Float), feature("b", FeatureKind::Bytes)];
        let features =
            SequenceFeatures { context: all.to_vec(), sequence: all.to_vec(), ..Default::default() };
        let mut decoder = SequenceExampleDecoder::new(&features, UnknownFeatures::Check).unwrap();
        for message in &messages {
            let _ = decoder.push(message);
        }
        let schema = FeatureEncoding::Feature.schema(decoder.schema());
        let batch = decoder.finish();
        let from = from.min(batch.num_rows());
        let batch = batch.slice(from, batch.num_rows() - from);
        let found = FeatureEncoding::Feature.encoded(batch.clone()).unwrap();
        prop_assert_eq!(found.schema_ref(), &schema);
        prop_assert_eq!(values(&found), values(&batch));
        prop_assert_eq!(FeatureEncoding::Tfx.encoded(batch.clone()).unwrap(), batch);
    }
}

#[test]
fn features_are_lists_and_the_struct_of_sequences_is_inside_one() {
    let feature = |name: &str, kind| Feature { name: name.to_owned(), kind };
    let features = SequenceFeatures {
        context: vec![feature("f", FeatureKind::Float), feature("b", FeatureKind::Bytes)],
        sequence: vec![feature("i", FeatureKind::Int64)],
        ..Default::default()
    };
    let decoder = SequenceExampleDecoder::new(&features, UnknownFeatures::Check).unwrap();
    let schema = FeatureEncoding::Feature.schema(decoder.schema());
    let steps = vec![Field::new("i", list(list(DataType::Int64)), true)];
    let expected = [
        ("f", list(DataType::Float32)),
        ("b", list(DataType::Binary)),
        (SEQUENCE_COLUMN, list(DataType::Struct(steps.into()))),
    ];
    let found: Vec<_> =
        schema.fields().iter().map(|field| (field.name().as_str(), field.data_type().clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(FeatureEncoding::Tfx.schema(decoder.schema()), *decoder.schema());
}
