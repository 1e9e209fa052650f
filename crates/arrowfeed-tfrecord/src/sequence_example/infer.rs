//! Inference of the features of records without a schema.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{Fields, Schema};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::decoder::{SequenceExampleDecoder, SequenceFeatures, in_sequence, struct_field};
use crate::feature::{Kinds, RecordKinds, UnknownFeatures, each_entry};
use crate::wire::{self, Malformed, Value};

/// Infers the features of `tf.SequenceExample` records and their kinds.
///
/// Observe all records that will be decoded, or a sufficient sample of them. The decoder leaves out features that were not
/// observed, and rejects records in which a feature has another kind.
///
/// ```
/// use arrowfeed_tfrecord::sequence_example::{InferredSequenceFeatures, SEQUENCE_COLUMN};
///
/// let mut inferred = InferredSequenceFeatures::new(SEQUENCE_COLUMN);
/// // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } feature {} } } }
/// inferred.observe(b"\x12\x10\x0a\x0e\x0a\x01t\x12\x09\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x00")?;
/// assert_eq!(inferred.features().sequence[0].name, "t");
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug, Clone)]
pub struct InferredSequenceFeatures {
    sequence_column: String,
    context: Kinds,
    sequence: Kinds,
    /// Whether a record has feature lists, even an empty map of them.
    has_feature_lists: bool,
    records: u64,
}

/// The features of one record.
#[derive(Default)]
struct RecordFeatures {
    context: RecordKinds,
    sequence: RecordKinds,
    has_feature_lists: bool,
}

impl InferredSequenceFeatures {
    /// Starts the inference, before the first record. `sequence_column` is as in [`SequenceFeatures`].
    pub fn new(sequence_column: impl Into<String>) -> Self {
        Self {
            sequence_column: sequence_column.into(),
            context: Kinds::default(),
            sequence: Kinds::default(),
            has_feature_lists: false,
            records: 0,
        }
    }

    /// Adds the features of a record. After an error, the features are unchanged.
    ///
    /// # Errors
    /// The bytes are not a valid message, or a feature has another kind than in an earlier record or step. The error names
    /// the record and the feature.
    pub fn observe(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let found = RecordFeatures::read(record).map_err(|malformed| {
            FeedError::new(FeedErrorKind::CorruptBlock, malformed.to_string()).in_record(self.records)
        })?;
        self.context.check(&found.context).map_err(|error| error.in_record(self.records))?;
        self.sequence
            .check(&found.sequence)
            .map_err(|error| in_sequence(error, &self.sequence_column).in_record(self.records))?;
        self.context.add(found.context);
        self.sequence.add(found.sequence);
        self.has_feature_lists |= found.has_feature_lists;
        self.records += 1;
        Ok(())
    }

    /// The features of all records, sorted by name. A feature that had no list in any record has the kind
    /// [`FeatureKind::Null`](crate::example::FeatureKind::Null).
    pub fn features(&self) -> SequenceFeatures {
        SequenceFeatures {
            context: self.context.features(),
            sequence: self.sequence.features(),
            sequence_column: self.sequence_column.clone(),
        }
    }
}

impl RecordFeatures {
    fn read(record: &[u8]) -> Result<Self, Malformed> {
        let mut found = Self::default();
        let mut fields = wire::Fields::new(record);
        while let Some(field) = fields.next()? {
            match field {
                (1, Value::Bytes(map)) => each_entry(map, |entry| found.context.add_feature(entry))?,
                (2, Value::Bytes(map)) => {
                    found.has_feature_lists = true;
                    each_entry(map, |entry| found.sequence.add_feature_list(entry))?;
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Decodes records into a batch whose columns are the features of these records, sorted by name. As in tfx_bsl, batches of
/// other records have other columns.
///
/// If a feature of the context has no list in any of the records, its column has the type null. If a feature of the
/// sequences has none, its steps have the type null. The struct column exists if a record has feature lists, even empty
/// ones.
///
/// # Errors
/// As in [`InferredSequenceFeatures::observe`]; a feature of the context has the name of the struct column.
pub fn decode_inferred(records: &[&[u8]], sequence_column: &str) -> Result<RecordBatch, FeedError> {
    let mut inferred = InferredSequenceFeatures::new(sequence_column);
    records.iter().try_for_each(|record| inferred.observe(record))?;
    let features = inferred.features();
    let mut decoder = SequenceExampleDecoder::new(&features, UnknownFeatures::Skip)?;
    records.iter().try_for_each(|record| decoder.push(record))?;
    let batch = decoder.finish();
    if !inferred.has_feature_lists || !features.sequence.is_empty() {
        return Ok(batch);
    }
    let steps = StructArray::new_empty_fields(records.len(), None);
    let fields = batch.schema_ref().fields().iter().cloned();
    let fields = fields.chain([struct_field(sequence_column, Fields::empty())]).collect::<Vec<_>>();
    let columns = batch.columns().iter().cloned().chain([Arc::new(steps) as ArrayRef]).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .expect("the columns have the types of the schema, and as many rows"))
}
