//! Inference of the features of records without a schema.

use arrow_array::RecordBatch;
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::decoder::ExampleDecoder;
use crate::feature::{Feature, Kinds, RecordKinds, UnknownFeatures, each_entry};
use crate::wire::{Fields, Malformed, Value};

/// Infers the features of `tf.Example` records and their kinds.
///
/// Observe all records that will be decoded, or a sufficient sample of them. The decoder leaves out features that were not
/// observed, and rejects records in which a feature has another kind.
///
/// ```
/// use arrowfeed_tfrecord::example::{InferredFeatures, FeatureKind};
///
/// let mut inferred = InferredFeatures::default();
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// inferred.observe(b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07")?;
/// let [feature] = &inferred.features()[..] else { unreachable!() };
/// assert_eq!((feature.name.as_str(), feature.kind), ("n", FeatureKind::Int64));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct InferredFeatures {
    kinds: Kinds,
    records: u64,
}

impl InferredFeatures {
    /// Adds the features of a record. After an error, the features are unchanged.
    ///
    /// # Errors
    /// The bytes are not a valid message, or a feature has another kind than in an earlier record. The error names the
    /// record and the feature.
    pub fn observe(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let features = features_of(record).map_err(|malformed| {
            FeedError::new(FeedErrorKind::CorruptBlock, malformed.to_string()).in_record(self.records)
        })?;
        self.kinds.check(&features).map_err(|error| error.in_record(self.records))?;
        self.kinds.add(features);
        self.records += 1;
        Ok(())
    }

    /// The features of all records, sorted by name. A feature that had no list in any record has the kind
    /// [`FeatureKind::Null`](super::FeatureKind::Null).
    pub fn features(&self) -> Vec<Feature> {
        self.kinds.features()
    }
}

fn features_of(record: &[u8]) -> Result<RecordKinds, Malformed> {
    let mut found = RecordKinds::default();
    let mut fields = Fields::new(record);
    while let Some(field) = fields.next()? {
        if let (1, Value::Bytes(features)) = field {
            each_entry(features, |entry| found.add_feature(entry))?;
        }
    }
    Ok(found)
}

/// Decodes records into a batch whose columns are the features of these records, sorted by name. As in tfx_bsl, the column
/// of a feature without a list in any of the records has the type null, and batches of other records have other columns.
///
/// # Errors
/// As in [`InferredFeatures::observe`].
pub fn decode_inferred(records: &[&[u8]]) -> Result<RecordBatch, FeedError> {
    let mut inferred = InferredFeatures::default();
    records.iter().try_for_each(|record| inferred.observe(record))?;
    let mut decoder = ExampleDecoder::new(&inferred.features(), UnknownFeatures::Skip)?;
    records.iter().try_for_each(|record| decoder.push(record))?;
    Ok(decoder.finish())
}
