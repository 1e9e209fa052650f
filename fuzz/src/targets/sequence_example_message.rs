//! Decodes any bytes as a `tf.SequenceExample` message. Expects the rows of a plain parser, or an error if that parser
//! fails.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrowfeed_tfrecord::example::UnknownFeatures;
use arrowfeed_tfrecord::sequence_example::{
    InferredSequenceFeatures, SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceExampleEncoder,
    SequenceFeatures,
};

use crate::oracle::{self, List};
use crate::targets::example_message;

pub(crate) fn run(message: &[u8]) {
    let expected = oracle::parse_sequence(message);
    let mut inferred = InferredSequenceFeatures::new(SEQUENCE_COLUMN);
    let is_observed = inferred.observe(message).is_ok();
    // Steps of several kinds cannot form a column.
    assert!(!is_observed || expected.is_some());
    let features = inferred.features();
    if features.context.iter().any(|feature| feature.name == SEQUENCE_COLUMN) {
        return;
    }
    for unknown in [UnknownFeatures::Check, UnknownFeatures::Skip] {
        // Half of the features become columns.
        let shown = SequenceFeatures {
            context: features.context.iter().step_by(2).cloned().collect(),
            sequence: features.sequence.iter().step_by(2).cloned().collect(),
            ..features.clone()
        };
        let mut decoder = SequenceExampleDecoder::new(&shown, unknown).expect("names that differ");
        let is_taken = decoder.push(message).is_ok();
        assert!(unknown == UnknownFeatures::Skip || is_taken == expected.is_some());
        let (Some((context, sequence)), true) = (&expected, is_taken) else { continue };
        let batch = decoder.finish();
        for (feature, column) in shown.context.iter().zip(batch.columns()) {
            assert_eq!(Some(&List::of_row(column, 0)), context.get(&feature.name));
        }
        if !shown.sequence.is_empty() {
            let steps = batch.column(shown.context.len()).as_struct();
            for (feature, column) in shown.sequence.iter().zip(steps.columns()) {
                let lists = column.as_list::<i64>();
                let found = lists.is_valid(0).then(|| {
                    let steps = lists.value(0);
                    (0..steps.len()).map(|step| List::of_row(&steps, step)).collect::<Vec<_>>()
                });
                assert_eq!(found.as_ref(), sequence.get(&feature.name));
            }
        }
        // Encoding and decoding returns the same batch.
        let mut encoder = SequenceExampleEncoder::new(&batch, SEQUENCE_COLUMN).expect("columns of features");
        decoder.push(encoder.encode(0)).expect("a message");
        assert_eq!(format!("{:?}", decoder.finish()), format!("{batch:?}"));
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } feature {} } } }
    let steps = b"\x12\x10\x0a\x0e\x0a\x01t\x12\x09\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x00";
    example_message::seeds().into_iter().chain([steps.to_vec()]).collect()
}
