//! Comparison of the `tf.SequenceExample` decoder with a plain parser.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::oracle::{Example, List, SequenceExample, parse_sequence};
use super::random::{damage, damaged, entry, list, message, parts};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch, StructArray};
use arrow_schema::{DataType, Field};
use arrowfeed_tfrecord::example::{Feature, FeatureKind, UnknownFeatures};
use arrowfeed_tfrecord::sequence_example::{
    InferredSequenceFeatures, SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceExampleEncoder,
    SequenceFeatures, decode_inferred,
};
use proptest::prelude::*;

const COLUMNS: [(&str, FeatureKind); 3] =
    [("i", FeatureKind::Int64), ("f", FeatureKind::Float), ("b", FeatureKind::Bytes)];

type Columns = [(&'static str, FeatureKind)];

fn features(context: &Columns, sequence: &Columns) -> SequenceFeatures {
    let features = |columns: &Columns| {
        columns.iter().map(|(name, kind)| Feature { name: (*name).to_owned(), kind: *kind }).collect()
    };
    let (context, sequence) = (features(context), features(sequence));
    SequenceFeatures { context, sequence, ..SequenceFeatures::default() }
}

fn kind(list: &List) -> FeatureKind {
    match list {
        List::Bytes(_) => FeatureKind::Bytes,
        List::Float(_) => FeatureKind::Float,
        List::Int64(_) => FeatureKind::Int64,
    }
}

/// The values of the rows of a batch. Nulls are left out; a null step is `None`.
fn rows(batch: &RecordBatch) -> Vec<SequenceExample> {
    (0..batch.num_rows()).map(|row| (context(batch, row), sequence(batch, row))).collect()
}

fn context(batch: &RecordBatch, row: usize) -> Example {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns());
    let columns = columns.filter(|(field, _)| field.name() != SEQUENCE_COLUMN);
    columns
        .filter_map(|(field, column)| Some((field.name().clone(), Some(List::of_row(column, row)?))))
        .collect()
}

fn sequence(batch: &RecordBatch, row: usize) -> BTreeMap<String, Vec<Option<List>>> {
    let Some(column) = batch.column_by_name(SEQUENCE_COLUMN) else { return BTreeMap::new() };
    let steps = column.as_struct();
    assert_eq!(steps.null_count(), 0);
    let columns = steps.fields().iter().zip(steps.columns());
    let columns = columns.filter(|(_, column)| column.is_valid(row));
    columns
        .map(|(field, column)| {
            let lists: ArrayRef = column.as_list::<i64>().value(row);
            (field.name().clone(), (0..lists.len()).map(|step| List::of_row(&lists, step)).collect())
        })
        .collect()
}

/// The values of a message that a batch should have; `None` if a feature has another kind than its column.
fn expected((context, sequence): &SequenceExample, shown: [&Columns; 2]) -> Option<SequenceExample> {
    let kind_of = |name: &str, columns: &Columns| columns.iter().find(|it| it.0 == name).map(|it| it.1);
    let mut row = SequenceExample::default();
    for (name, list) in context {
        if let (Some(expected), Some(list)) = (kind_of(name, shown[0]), list) {
            if kind(list) != expected {
                return None;
            }
            row.0.insert(name.clone(), Some(list.clone()));
        }
    }
    for (name, steps) in sequence {
        if let Some(expected) = kind_of(name, shown[1]) {
            if steps.iter().flatten().any(|list| kind(list) != expected) {
                return None;
            }
            row.1.insert(name.clone(), steps.clone());
        }
    }
    Some(row)
}

/// Messages whose lists mostly have the kind that their name says.
pub(crate) fn record() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![Just("i"), Just("f"), Just("b"), Just("other"), Just("é")];
    let step = parts(list(), 2).prop_map(|feature| message(1, &feature)).boxed();
    let steps = |kind: usize| {
        let list = list().prop_filter("another kind", move |list| list[0] >> 3 == kind as u8);
        prop::collection::vec(prop::option::weighted(0.8, list), 0..4).prop_map(|steps| {
            steps.iter().flat_map(|step| message(1, step.as_deref().unwrap_or_default())).collect::<Vec<_>>()
        })
    };
    let of_kind = (1..=3_usize).prop_flat_map(move |kind| {
        steps(kind).prop_map(move |steps| {
            let name = ["b", "f", "i"][kind - 1];
            message(1, &[message(1, name.as_bytes()), message(2, &steps)].concat())
        })
    });
    let any_steps = prop::collection::vec(step.clone(), 0..4).prop_map(|steps| steps.concat());
    let feature_list = prop_oneof![6 => of_kind.boxed(), 1 => entry(name.clone(), step, any_steps).boxed()];
    let feature = list().boxed();
    let feature = entry(name, feature.clone(), feature);
    parts(
        prop_oneof![
            1 => parts(feature, 3).prop_map(|map| message(1, &map)).boxed(),
            3 => parts(feature_list, 4).prop_map(|map| message(2, &map)).boxed(),
        ],
        3,
    )
}

/// Encodes the rows of a batch as messages, and decodes them.
fn encoded_and_decoded(batch: &RecordBatch, decoder: &mut SequenceExampleDecoder) -> RecordBatch {
    let mut encoder = SequenceExampleEncoder::new(batch, SEQUENCE_COLUMN).unwrap();
    for row in 0..batch.num_rows() {
        let message = encoder.encode(row);
        assert!(parse_sequence(message).is_some());
        decoder.push(message).unwrap();
    }
    decoder.finish()
}

proptest! {
    #![proptest_config(crate::random_config::config(250))]

    #[test]
    fn random_messages_are_read_as_the_plain_parser_reads_them(
        messages in prop::collection::vec((record(), damage()), 1..6),
        context in prop::sample::subsequence(COLUMNS.to_vec(), 0..=3),
        sequence in prop::sample::subsequence(COLUMNS.to_vec(), 0..=3),
    ) {
        let messages: Vec<_> =
            messages.into_iter().map(|(message, changes)| damaged(message, &changes)).collect();
        let features = features(&context, &sequence);
        let mut checked = SequenceExampleDecoder::new(&features, UnknownFeatures::Check).unwrap();
        let mut skipping = SequenceExampleDecoder::new(&features, UnknownFeatures::Skip).unwrap();
        let mut expected_rows = Vec::new();
        for message in &messages {
            let expected = parse_sequence(message).and_then(|it| expected(&it, [&context, &sequence]));
            prop_assert_eq!(checked.push(message).is_ok(), expected.is_some(), "{:02x?}", message);
            // Skipped features may be malformed.
            let before = skipping.rows();
            let is_taken = skipping.push(message).is_ok();
            prop_assert!(is_taken || expected.is_none());
            prop_assert_eq!(skipping.rows(), before + usize::from(is_taken));
            expected_rows.extend(expected);
        }
        let batch = checked.finish();
        prop_assert_eq!(batch.schema_ref(), checked.schema());
        prop_assert_eq!(rows(&batch), expected_rows);
        // Encoding and decoding returns the same rows, also of a slice.
        let from = batch.num_rows() / 3;
        let batch = batch.slice(from, batch.num_rows() - from);
        prop_assert_eq!(encoded_and_decoded(&batch, &mut checked), batch);
        prop_assert_eq!(checked.finish().num_rows(), 0);
    }

    #[test]
    fn features_are_inferred_as_the_plain_parser_has_them(
        messages in prop::collection::vec((record(), damage()), 1..6),
    ) {
        let mut inferred = InferredSequenceFeatures::new(SEQUENCE_COLUMN);
        let mut known: [BTreeMap<String, Option<FeatureKind>>; 2] = Default::default();
        let mut kept = Vec::new();
        for (message, changes) in messages {
            let message = damaged(message, &changes);
            let kinds = parse_sequence(&message).map(|(context, sequence)| {
                let context = context.into_iter().map(|(name, list)| (name, list.iter().map(kind).collect()));
                let steps = sequence
                    .into_iter()
                    .map(|(name, steps)| (name, steps.iter().flatten().map(kind).collect()));
                [context.collect(), steps.collect()]
            });
            let fits = |kinds: &[Vec<(String, Vec<FeatureKind>)>; 2]| {
                kinds.iter().zip(&known).all(|(kinds, known)| {
                    kinds.iter().all(|(name, kinds)| {
                        let first = known.get(name).copied().flatten().or(kinds.first().copied());
                        kinds.iter().all(|kind| Some(*kind) == first)
                    })
                })
            };
            let kinds = kinds.filter(fits);
            prop_assert_eq!(inferred.observe(&message).is_ok(), kinds.is_some(), "{:02x?}", &message);
            if let Some(kinds) = kinds {
                kept.push(message);
                for (known, kinds) in known.iter_mut().zip(kinds) {
                    for (name, kinds) in kinds {
                        let known = known.entry(name).or_default();
                        *known = known.or(kinds.first().copied());
                    }
                }
            }
        }
        let [context, sequence] = known.map(|known| {
            let features = known.into_iter();
            let features = features.map(|(name, kind)| Feature { name, kind: kind.unwrap_or(FeatureKind::Null) });
            features.collect::<Vec<_>>()
        });
        let features = SequenceFeatures { context, sequence, ..SequenceFeatures::default() };
        prop_assert_eq!(&inferred.features(), &features);

        // `decode_inferred` returns the same values.
        let kept: Vec<&[u8]> = kept.iter().map(Vec::as_slice).collect();
        let mut decoder = SequenceExampleDecoder::new(&features, UnknownFeatures::Check).unwrap();
        kept.iter().for_each(|message| decoder.push(message).unwrap());
        let (expected, found) = (decoder.finish(), decode_inferred(&kept, SEQUENCE_COLUMN).unwrap());
        prop_assert_eq!(found.num_rows(), kept.len());
        for feature in &features.context {
            prop_assert_eq!(found.column_by_name(&feature.name), expected.column_by_name(&feature.name));
        }
        for feature in &features.sequence {
            let steps = |batch: &RecordBatch| {
                let steps = batch.column_by_name(SEQUENCE_COLUMN).unwrap().as_struct();
                steps.column_by_name(&feature.name).unwrap().clone()
            };
            prop_assert_eq!(&steps(&found), &steps(&expected));
        }
    }
}

/// A map entry with this name and value.
fn feature(name: &str, value: &[u8]) -> Vec<u8> {
    message(1, &[message(1, name.as_bytes()), message(2, value)].concat())
}

fn integers(values: &[u8]) -> Vec<u8> {
    message(3, &message(1, values))
}

#[test]
fn a_missing_list_an_empty_one_and_an_empty_step_differ() {
    let tokens = features(&[], &[("t", FeatureKind::Int64)]);
    let mut decoder = SequenceExampleDecoder::new(&tokens, UnknownFeatures::Check).unwrap();
    let steps = [message(1, &integers(&[1, 2])), message(1, b""), message(1, &integers(&[]))].concat();
    for lists in [vec![], feature("t", b""), feature("t", &steps)] {
        decoder.push(&message(2, &lists)).unwrap();
    }
    let rows = rows(&decoder.finish());
    let steps = vec![Some(List::Int64(vec![1, 2])), None, Some(List::Int64(vec![]))];
    let found: Vec<_> = rows.into_iter().map(|(_, sequence)| sequence.get("t").cloned()).collect();
    assert_eq!(found, [None, Some(vec![]), Some(steps)]);
}

#[test]
fn a_step_of_another_kind_is_an_error_that_names_its_field() {
    let tokens = features(&[("i", FeatureKind::Float)], &[("a.b", FeatureKind::Bytes)]);
    let mut decoder = SequenceExampleDecoder::new(&tokens, UnknownFeatures::Check).unwrap();
    decoder.push(b"").unwrap();
    let steps = [message(1, &message(1, b"")), message(1, &integers(&[1]))].concat();
    let error = decoder.push(&message(2, &feature("a.b", &steps))).unwrap_err();
    let expected = "record 1: ##SEQUENCE##['a.b']: expected values of bytes_list, found int64_list";
    assert_eq!(error.to_string(), expected);
    let error = decoder.push(&message(1, &feature("i", &integers(&[1])))).unwrap_err();
    assert_eq!(error.to_string(), "record 1: i: expected values of float_list, found int64_list");
    let error = decoder.push(&message(2, &feature("a.b", &message(1, &[10, 9])))).unwrap_err();
    let expected =
        "record 1: ##SEQUENCE##['a.b']: expected the rest of a field, found the end of its message";
    assert_eq!(error.to_string(), expected);
    assert_eq!(rows(&decoder.finish()).len(), 1);

    let mut inferred = InferredSequenceFeatures::new(SEQUENCE_COLUMN);
    let error = inferred.observe(&message(2, &feature("a.b", &steps))).unwrap_err();
    let expected = "record 0: ##SEQUENCE##['a.b']: expected values of bytes_list, as in steps before, found \
                    int64_list";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn names_that_occur_twice_are_refused() {
    let error = |features: &SequenceFeatures| {
        SequenceExampleDecoder::new(features, UnknownFeatures::Check).unwrap_err().to_string()
    };
    let expected = r#"expected features with different names, found "i" twice"#;
    assert_eq!(error(&features(&[], &[("i", FeatureKind::Bytes), ("i", FeatureKind::Bytes)])), expected);
    let expected = "expected no context feature with the name of the struct column, found \"##SEQUENCE##\"";
    assert_eq!(error(&features(&[(SEQUENCE_COLUMN, FeatureKind::Bytes)], &[])), expected);
    let record = message(1, &feature(SEQUENCE_COLUMN, b""));
    assert_eq!(decode_inferred(&[&record], SEQUENCE_COLUMN).unwrap_err().to_string(), expected);
}

#[test]
fn without_a_schema_the_struct_exists_if_a_record_has_feature_lists() {
    let fields = |records: &[&[u8]]| {
        let batch = decode_inferred(records, SEQUENCE_COLUMN).unwrap();
        assert_eq!(batch.num_rows(), records.len());
        let schema = batch.schema();
        schema
            .fields()
            .iter()
            .map(|field| (field.name().clone(), field.data_type().clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(fields(&[b""]), []);
    let structure = DataType::Struct(arrow_schema::Fields::empty());
    assert_eq!(fields(&[b"", &message(2, b"")]), [(SEQUENCE_COLUMN.to_owned(), structure)]);

    let steps = [message(1, b""), message(1, b"")].concat();
    let records = [message(2, &feature("x", &steps)), message(2, &feature("x", b"")), vec![]];
    let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let batch = decode_inferred(&records, SEQUENCE_COLUMN).unwrap();
    let column = batch.column(0).as_struct().column(0).as_list::<i64>().clone();
    assert_eq!(column.value_type(), DataType::Null);
    let lengths: Vec<_> = column.iter().map(|steps| steps.map(|steps| steps.len())).collect();
    assert_eq!(lengths, [Some(2), Some(0), None]);
}

#[test]
fn columns_that_are_no_lists_of_steps_are_refused() {
    let steps = |name: &str, column: ArrayRef| {
        let steps = StructArray::try_from(vec![(name, column)]).unwrap();
        RecordBatch::try_from_iter([(SEQUENCE_COLUMN, Arc::new(steps) as ArrayRef)]).unwrap()
    };
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let dates = ListArray::from_iter_primitive::<Date32Type, _, _>([Some([Some(1)])]);
    let null = ListArray::from_iter_primitive::<Int64Type, _, _>([Some([None::<i64>])]);
    let column = RecordBatch::try_from_iter([(SEQUENCE_COLUMN, numbers.clone())]).unwrap();
    for (batch, expected) in [
        (column, "##SEQUENCE##: expected a struct of lists, found a column of Int64"),
        (steps("a.b", numbers), "##SEQUENCE##['a.b']: expected lists of steps, found a column of Int64"),
        (
            steps("d", Arc::new(dates)),
            "##SEQUENCE##.d: expected numbers, text or bytes, or lists of these, found a column of Date32",
        ),
    ] {
        let error = SequenceExampleEncoder::new(&batch, SEQUENCE_COLUMN).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    // A step may be a single value or null.
    let decoder = features(&[], &[("n", FeatureKind::Int64)]);
    let mut decoder = SequenceExampleDecoder::new(&decoder, UnknownFeatures::Check).unwrap();
    let found = rows(&encoded_and_decoded(&steps("n", Arc::new(null)), &mut decoder));
    assert_eq!(found[0].1["n"], [None]);
}

#[test]
fn a_list_in_a_null_struct_is_left_out() {
    let tokens: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(1)]), Some([Some(2)])]));
    let fields = vec![Field::new("t", tokens.data_type().clone(), true)].into();
    let steps = StructArray::new(fields, vec![tokens], Some(vec![false, true].into()));
    let batch = RecordBatch::try_from_iter([(SEQUENCE_COLUMN, Arc::new(steps) as ArrayRef)]).unwrap();
    let decoder = features(&[], &[("t", FeatureKind::Int64)]);
    let mut decoder = SequenceExampleDecoder::new(&decoder, UnknownFeatures::Check).unwrap();
    let found = rows(&encoded_and_decoded(&batch, &mut decoder));
    assert_eq!(found[0].1.get("t"), None);
    assert_eq!(found[1].1["t"], [Some(List::Int64(vec![2]))]);
}
