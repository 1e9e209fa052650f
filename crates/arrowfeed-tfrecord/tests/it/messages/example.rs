//! Comparison of the `tf.Example` decoder with results of protobuf's own parser, and with a plain parser.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::oracle::{Example, List};
use super::random::{damage, damaged, entry, list, message, parts};
use arrow_array::builder::{LargeBinaryBuilder, LargeListBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int8Array, LargeListArray,
    ListArray, NullArray, RecordBatch, StringArray, UInt64Array, UnionArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, UnionFields};
use arrowfeed_tfrecord::example::{
    ExampleDecoder, ExampleEncoder, Feature, FeatureKind, InferredFeatures, UnknownFeatures,
};
use proptest::prelude::*;
use serde::Deserialize;

const COLUMNS: [(&str, FeatureKind); 3] =
    [("i", FeatureKind::Int64), ("f", FeatureKind::Float), ("b", FeatureKind::Bytes)];

fn decoder(columns: &[(&str, FeatureKind)], unknown: UnknownFeatures) -> ExampleDecoder {
    let features: Vec<_> =
        columns.iter().map(|(name, kind)| Feature { name: (*name).to_owned(), kind: *kind }).collect();
    ExampleDecoder::new(&features, unknown).unwrap()
}

/// The values of a row by column. Nulls are left out.
fn row(batch: &RecordBatch, row: usize) -> Example {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    columns
        .filter_map(|(field, column)| Some((field.name().clone(), Some(List::of_row(column, row)?))))
        .collect()
}

fn kind(list: &List) -> FeatureKind {
    match list {
        List::Bytes(_) => FeatureKind::Bytes,
        List::Float(_) => FeatureKind::Float,
        List::Int64(_) => FeatureKind::Int64,
    }
}

/// The values of a message that a batch should have. Features without a list, and features without a column, are left out.
/// `None` if a feature has another kind than its column.
fn expected(example: &Example, columns: &[(&str, FeatureKind)]) -> Option<Example> {
    let kept = example.iter().filter(|(name, list)| list.is_some() && columns.iter().any(|it| it.0 == *name));
    let is_of_kind = |(name, list): (&String, &Option<List>)| {
        columns.contains(&(name, kind(list.as_ref()?))).then(|| (name.clone(), list.clone()))
    };
    kept.map(is_of_kind).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    message: String,
    i: Option<Vec<i64>>,
    f: Option<Vec<f32>>,
    b: Option<Vec<String>>,
    #[serde(default = "yes")]
    parsed: bool,
    error: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

fn unhex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

impl Case {
    fn values(&self) -> Example {
        let bytes = |all: Vec<String>| List::Bytes(all.iter().map(|one| unhex(one)).collect());
        let floats = |all: Vec<f32>| List::Float(all.iter().map(|one| one.to_bits()).collect());
        let lists = [
            ("i", self.i.clone().map(List::Int64)),
            ("f", self.f.clone().map(floats)),
            ("b", self.b.clone().map(bytes)),
        ];
        let named = lists.into_iter().filter(|(_, list)| list.is_some());
        named.map(|(name, list)| (name.to_owned(), list)).collect()
    }
}

#[test]
fn messages_are_read_as_protobuf_reads_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/example/messages.toml");
    let cases: Cases = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    for case in cases.case {
        let message = unhex(&case.message);
        assert_eq!(super::oracle::parse(&message).is_some(), case.parsed, "{}", case.name);
        // The message does not change the rows before and after it.
        let mut decoder = decoder(&COLUMNS, UnknownFeatures::Check);
        decoder.push(SEVEN).unwrap();
        let error = decoder.push(&message).err().map(|error| error.to_string());
        decoder.push(SEVEN).unwrap();
        assert_eq!(error, case.error, "{}", case.name);
        let mut rows = vec![seven(), seven()];
        if error.is_none() {
            rows.insert(1, case.values());
        }
        let batch = decoder.finish();
        let found: Vec<_> = (0..batch.num_rows()).map(|number| row(&batch, number)).collect();
        assert_eq!(found, rows, "{}", case.name);
    }
}

/// A message with the feature `i` of the value 7.
const SEVEN: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01i\x12\x05\x1a\x03\x0a\x01\x07";

fn seven() -> Example {
    Example::from([("i".to_owned(), Some(List::Int64(vec![7])))])
}

#[test]
fn a_decoder_begins_anew_after_each_batch() {
    let mut decoder = decoder(&COLUMNS, UnknownFeatures::Check);
    for rows in [3, 0, 1] {
        (0..rows).for_each(|_| decoder.push(SEVEN).unwrap());
        assert_eq!(decoder.rows(), rows);
        let batch = decoder.finish();
        assert_eq!((batch.num_rows(), &batch.schema()), (rows, decoder.schema()));
        assert!((0..rows).all(|number| row(&batch, number) == seven()));
    }
}

#[test]
fn a_batch_without_columns_has_rows() {
    let mut decoder = decoder(&[], UnknownFeatures::Skip);
    (0..5).for_each(|_| decoder.push(SEVEN).unwrap());
    assert_eq!(decoder.finish().num_rows(), 5);
}

#[test]
fn two_features_of_one_name_are_refused() {
    let features = [("x", FeatureKind::Float), ("x", FeatureKind::Int64)]
        .map(|(name, kind)| Feature { name: name.to_owned(), kind });
    let error = ExampleDecoder::new(&features, UnknownFeatures::Skip).unwrap_err();
    assert_eq!(error.to_string(), r#"expected features with different names, found "x" twice"#);
}

fn example() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![Just("i"), Just("f"), Just("b"), Just("other"), Just("é")];
    let list = list().boxed();
    let entry = entry(name, list.clone(), list);
    parts(parts(entry, 6).prop_map(|features| message(1, &features)), 2)
}

proptest! {
    #![proptest_config(crate::random_config::config(250))]

    #[test]
    fn random_messages_are_read_as_the_plain_parser_reads_them(
        messages in prop::collection::vec((example(), damage()), 1..6),
        shown in prop::sample::subsequence(COLUMNS.to_vec(), 0..=3),
    ) {
        let messages: Vec<_> = messages.into_iter().map(|(message, changes)| damaged(message, &changes)).collect();
        let mut checked = decoder(&shown, UnknownFeatures::Check);
        let mut rows = Vec::new();
        for message in &messages {
            let expected = super::oracle::parse(message).and_then(|example| expected(&example, &shown));
            prop_assert_eq!(checked.push(message).is_ok(), expected.is_some(), "{:02x?}", message);
            rows.extend(expected);
        }
        let batch = checked.finish();
        let found: Vec<_> = (0..batch.num_rows()).map(|number| row(&batch, number)).collect();
        prop_assert_eq!(&found, &rows);

        // Skipped features may be malformed. Valid messages are accepted.
        let mut skipping = decoder(&shown, UnknownFeatures::Skip);
        for message in &messages {
            let is_right = super::oracle::parse(message).and_then(|example| expected(&example, &shown)).is_some();
            let before = skipping.rows();
            let is_taken = skipping.push(message).is_ok();
            prop_assert!(is_taken || !is_right);
            prop_assert_eq!(skipping.rows(), before + usize::from(is_taken));
        }
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(250))]

    #[test]
    fn features_are_inferred_as_the_plain_parser_has_them(messages in prop::collection::vec((example(), damage()), 1..6)) {
        let mut inferred = InferredFeatures::default();
        let mut expected: BTreeMap<String, Option<FeatureKind>> = BTreeMap::new();
        for (message, changes) in messages {
            let message = damaged(message, &changes);
            let kinds = super::oracle::parse(&message).map(|example| {
                example.into_iter().map(|(name, list)| (name, list.as_ref().map(kind))).collect::<Vec<_>>()
            });
            let kinds = kinds.filter(|kinds| {
                kinds.iter().all(|(name, kind)| kind.is_none() || expected.get(name).is_none_or(|it| it.is_none() || it == kind))
            });
            prop_assert_eq!(inferred.observe(&message).is_ok(), kinds.is_some());
            for (name, kind) in kinds.into_iter().flatten() {
                let known = expected.entry(name).or_default();
                *known = known.or(kind);
            }
            let features = expected.iter().map(|(name, kind)| Feature { name: name.clone(), kind: kind.unwrap_or(FeatureKind::Null) });
            prop_assert_eq!(inferred.features(), features.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_kind_that_changes_is_an_error() {
    let mut inferred = InferredFeatures::default();
    inferred.observe(SEVEN).unwrap();
    let error = inferred
        .observe(&message(1, &message(1, &[message(1, b"i"), message(2, b"\x12\x00")].concat())))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 1: i: expected values of int64_list, as in records before, found float_list"
    );
}

/// Encodes the rows of a batch as messages, and decodes them.
fn encoded_and_decoded(
    batch: &RecordBatch,
    columns: &[(&str, FeatureKind)],
    null_features: bool,
) -> RecordBatch {
    let mut encoder = ExampleEncoder::new(batch).unwrap().with_null_features(null_features);
    let mut decoder = decoder(columns, UnknownFeatures::Check);
    for row in 0..batch.num_rows() {
        let message = encoder.encode(row);
        assert!(super::oracle::parse(message).is_some());
        decoder.push(message).unwrap();
    }
    decoder.finish()
}

fn lists<T: ArrowPrimitiveType>(rows: &[Option<Vec<T::Native>>]) -> ArrayRef {
    let rows =
        rows.iter().map(|row| row.as_ref().map(|row| row.iter().copied().map(Some).collect::<Vec<_>>()));
    Arc::new(LargeListArray::from_iter_primitive::<T, _, _>(rows))
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn what_is_encoded_is_decoded(
        rows in prop::collection::vec(
            (
                prop::option::of(prop::collection::vec(prop_oneof![0..200_i64, any::<i64>()], 0..5)),
                prop::option::of(prop::collection::vec(-10.0..10.0_f32, 0..5)),
                prop::option::of(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..4)),
            ),
            0..20,
        ),
        null_features: bool,
        skipped in 0..5_usize,
    ) {
        let column = |n: usize| -> ArrayRef {
            match n {
                0 => lists::<Int64Type>(&rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>()),
                1 => lists::<Float32Type>(&rows.iter().map(|row| row.1.clone()).collect::<Vec<_>>()),
                _ => {
                    let mut builder = LargeListBuilder::new(LargeBinaryBuilder::new());
                    for row in &rows {
                        for value in row.2.iter().flatten() {
                            builder.values().append_value(value);
                        }
                        builder.append(row.2.is_some());
                    }
                    Arc::new(builder.finish())
                }
            }
        };
        let batch = RecordBatch::try_from_iter_with_nullable(
            [("i", column(0), true), ("f", column(1), true), ("b", column(2), true)],
        ).unwrap();
        // A slice has an offset.
        let batch = batch.slice(skipped.min(rows.len()), rows.len().saturating_sub(skipped));
        prop_assert_eq!(encoded_and_decoded(&batch, &COLUMNS, null_features), batch);
    }
}

/// The cast of a dictionary would refuse the value.
#[test]
fn values_of_dictionaries_that_no_row_uses_are_not_converted() {
    let dictionary = || {
        let keys = Int8Array::from(vec![Some(2), None, Some(0)]);
        DictionaryArray::new(keys, Arc::new(UInt64Array::from(vec![5, u64::MAX, 7])))
    };
    let item = Arc::new(Field::new("item", dictionary().data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths([1, 0, 1]);
    let items = arrowfeed_select::take(&dictionary(), &Int8Array::from(vec![0, 2])).unwrap();
    let column = ListArray::new(item, offsets, items, None);
    let batch =
        RecordBatch::try_from_iter([("d", Arc::new(dictionary()) as ArrayRef), ("l", Arc::new(column))]);
    let found =
        encoded_and_decoded(&batch.unwrap(), &[("d", FeatureKind::Int64), ("l", FeatureKind::Int64)], false);
    let expected = RecordBatch::try_from_iter_with_nullable([
        ("d", lists::<Int64Type>(&[Some(vec![7]), None, Some(vec![5])]), true),
        ("l", lists::<Int64Type>(&[Some(vec![7]), Some(vec![]), Some(vec![5])]), true),
    ]);
    assert_eq!(found, expected.unwrap());
}

/// The children have values that no row uses and that no feature can hold.
#[test]
fn a_row_of_a_union_has_the_feature_of_its_branch() {
    let numbers: ArrayRef = Arc::new(UInt64Array::from(vec![Some(7), Some(u64::MAX), None, Some(0)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c", "d"]));
    let nulls: ArrayRef = Arc::new(NullArray::new(4));
    let fields = [
        (2, Arc::new(Field::new("number", DataType::UInt64, true))),
        (5, Arc::new(Field::new("text", DataType::Utf8, true))),
        (0, Arc::new(Field::new("null", DataType::Null, true))),
    ];
    let fields: UnionFields = fields.into_iter().collect();
    let (ids, children) = (ScalarBuffer::from(vec![5, 2, 5, 0]), vec![numbers, texts, nulls]);
    let offsets = Some(ScalarBuffer::from(vec![3, 0, 1, 0]));
    let dense = UnionArray::try_new(fields.clone(), ids.clone(), offsets, children.clone()).unwrap();
    let of_rows = |column: ArrayRef, null_features: bool| {
        let batch = RecordBatch::try_from_iter_with_nullable([("u", column, true)]).unwrap();
        let mut encoder = ExampleEncoder::new(&batch).unwrap().with_null_features(null_features);
        (0..batch.num_rows()).map(|row| encoder.encode(row).to_vec()).collect::<Vec<_>>()
    };
    let text = |text: &str| of_rows(Arc::new(StringArray::from(vec![text])), false).remove(0);
    let expected = vec![text("d"), SEVEN_IN_U.to_vec(), text("b"), Vec::new()];
    assert_eq!(of_rows(Arc::new(dense.clone()), false), expected);
    assert_eq!(of_rows(Arc::new(dense.slice(1, 2)), false), expected[1..3]);
    // A null of a branch, and a value of the branch of nulls.
    let sparse = UnionArray::try_new(fields, ScalarBuffer::from(vec![2, 5, 2, 0]), None, children).unwrap();
    let null = b"\x0a\x07\x0a\x05\x0a\x01u\x12\x00".to_vec();
    let expected = vec![SEVEN_IN_U.to_vec(), text("b"), null.clone(), null];
    assert_eq!(of_rows(Arc::new(sparse.clone()), true), expected);
    assert_eq!(of_rows(Arc::new(sparse.slice(2, 1)), true), expected[2..3]);
}

/// `features { feature { key: "u" value { int64_list { value: 7 } } } }`
const SEVEN_IN_U: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01u\x12\x05\x1a\x03\x0a\x01\x07";

#[test]
fn columns_of_other_types_become_features_or_errors() {
    let dictionary: DictionaryArray<Int8Type> = vec![Some("a"), None, Some("a")].into_iter().collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("u", Arc::new(UInt64Array::from(vec![Some(7), None, Some(1 << 63 >> 1)]))),
        ("o", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("d", Arc::new(Float64Array::from(vec![0.5, 1.0, 0.1]))),
        ("s", Arc::new(dictionary)),
        (
            "l",
            Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>([
                Some(vec![Some(1)]),
                None,
                Some(vec![]),
            ])),
        ),
        ("n", Arc::new(NullArray::new(3))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let features = [
        ("u", FeatureKind::Int64),
        ("o", FeatureKind::Int64),
        ("d", FeatureKind::Float),
        ("s", FeatureKind::Bytes),
        ("l", FeatureKind::Int64),
    ];
    let found = encoded_and_decoded(&batch, &features, false);
    let expected = |of: [(&str, Option<List>); 5]| {
        let present = of.into_iter().filter(|(_, list)| list.is_some());
        present.map(|(name, list)| (name.to_owned(), list)).collect::<Example>()
    };
    let integer = |n| Some(List::Int64(vec![n]));
    let float = |n: f32| Some(List::Float(vec![n.to_bits()]));
    let text = Some(List::Bytes(vec![b"a".to_vec()]));
    assert_eq!(
        row(&found, 0),
        expected([
            ("u", integer(7)),
            ("o", integer(1)),
            ("d", float(0.5)),
            ("s", text.clone()),
            ("l", integer(1))
        ])
    );
    assert_eq!(
        row(&found, 1),
        expected([("u", None), ("o", integer(0)), ("d", float(1.0)), ("s", None), ("l", None)])
    );
    assert_eq!(
        row(&found, 2),
        expected([
            ("u", integer(1 << 62)),
            ("o", integer(1)),
            ("d", float(0.1)),
            ("s", text),
            ("l", Some(List::Int64(vec![])))
        ])
    );
    let error = |column: ArrayRef| {
        let error = ExampleEncoder::new(&RecordBatch::try_from_iter([("x", column)]).unwrap()).unwrap_err();
        assert_eq!(error.kind(), arrowfeed_source::FeedErrorKind::Conversion);
        error.to_string()
    };
    assert_eq!(
        error(Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>([Some(vec![None])]))),
        "x: expected lists without null values, which a feature cannot have, found one with a null"
    );
    assert_eq!(
        error(Arc::new(Date32Array::from(vec![1]))),
        "x: expected numbers, text or bytes, or lists of these, found a column of Date32"
    );
    assert!(
        error(Arc::new(UInt64Array::from(vec![u64::MAX])))
            .starts_with("x: expected values that a feature can hold: Cast error: ")
    );
    // Floats are rounded, and infinite only if they were. A list that is null does not count.
    let message = "x: expected a number that fits into a float of 32 bits, found 1e39";
    assert_eq!(error(Arc::new(Float64Array::from(vec![0.1, f64::INFINITY, 1e39]))), message);
    let lists = [Some(vec![Some(f64::NEG_INFINITY)]), None, Some(vec![Some(0.5), Some(1e39)])];
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>(lists);
    assert_eq!(error(Arc::new(lists.clone())), message);
    ExampleEncoder::new(
        &RecordBatch::try_from_iter([("x", Arc::new(lists.slice(0, 2)) as ArrayRef)]).unwrap(),
    )
    .unwrap();
}
