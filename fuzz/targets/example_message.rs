//! Any bytes as a message of `tf.Example`: rows as a plain parser has them, or an error where it has one.

#![no_main]

#[path = "../../crates/arrowfeed-tfrecord/tests/oracle/mod.rs"]
mod oracle;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrowfeed_tfrecord::example::{ExampleDecoder, Feature, InferredFeatures, Unlisted};
use libfuzzer_sys::fuzz_target;
use oracle::List;

fuzz_target!(|message: &[u8]| {
    let expected = oracle::parse(message);
    let mut inferred = InferredFeatures::default();
    assert_eq!(inferred.observe(message).is_ok(), expected.is_some());
    let features = inferred.features();
    for unlisted in [Unlisted::Check, Unlisted::Skip] {
        // Half of them are columns.
        let shown: Vec<Feature> = features.iter().step_by(2).cloned().collect();
        let mut decoder = ExampleDecoder::new(&shown, unlisted).expect("names that differ");
        let is_taken = decoder.push(message).is_ok();
        assert!(unlisted == Unlisted::Skip || is_taken == expected.is_some());
        let (Some(expected), true) = (&expected, is_taken) else { continue };
        let batch = decoder.finish();
        for (feature, column) in shown.iter().zip(batch.columns()) {
            let values = column.as_list::<i64>().value(0);
            let found = if let Some(values) = values.as_primitive_opt::<Int64Type>() {
                List::Int64(values.values().to_vec())
            } else if let Some(values) = values.as_primitive_opt::<Float32Type>() {
                List::Float(values.values().iter().map(|value| value.to_bits()).collect())
            } else {
                List::Bytes(values.as_binary::<i64>().iter().flatten().map(<[u8]>::to_vec).collect())
            };
            assert_eq!(Some(&Some(found)), expected.get(&feature.name));
        }
    }
});
