//! Decodes any bytes as a `tf.Example` message. Expects the rows of a plain parser, or an error if that parser fails.

use arrowfeed_tfrecord::example::{ExampleDecoder, Feature, InferredFeatures, UnknownFeatures};

use crate::oracle::{self, List};

pub(crate) fn run(message: &[u8]) {
    let expected = oracle::parse(message);
    let mut inferred = InferredFeatures::default();
    assert_eq!(inferred.observe(message).is_ok(), expected.is_some());
    let features = inferred.features();
    for unknown in [UnknownFeatures::Check, UnknownFeatures::Skip] {
        // Half of the features become columns.
        let shown: Vec<Feature> = features.iter().step_by(2).cloned().collect();
        let mut decoder = ExampleDecoder::new(&shown, unknown).expect("names that differ");
        let is_taken = decoder.push(message).is_ok();
        assert!(unknown == UnknownFeatures::Skip || is_taken == expected.is_some());
        let (Some(expected), true) = (&expected, is_taken) else { continue };
        let batch = decoder.finish();
        for (feature, column) in shown.iter().zip(batch.columns()) {
            assert_eq!(Some(&List::of_row(column, 0)), expected.get(&feature.name));
        }
    }
}

/// The messages of the tests.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let messages = include_str!("../../../tests/cases/example/messages.toml").lines();
    let messages = messages.filter_map(|line| line.strip_prefix("message = \"")?.strip_suffix('"'));
    let byte = |digits: &str| u8::from_str_radix(digits, 16).expect("digits");
    messages
        .map(|digits| (0..digits.len()).step_by(2).map(|at| byte(&digits[at..at + 2])).collect())
        .collect()
}
