//! Inference of the features of records without a schema.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::decoder::ExampleDecoder;
use crate::feature::{Feature, Kinds, RecordKinds, Unlisted, each_entry};
use crate::wire::{Fields, Malformed, Value};

/// Infers the features of `tf.Example` records and their kinds.
///
/// Observe all records that will be decoded, or a sufficient sample of them. The decoder leaves out features that were not
/// observed, and rejects records in which a feature has another kind.
///
/// ```
/// use arrowfeed_tfrecord::example::{InferredFeatures, Kind};
///
/// let mut inferred = InferredFeatures::default();
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// inferred.observe(b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07")?;
/// let [feature] = &inferred.features()[..] else { unreachable!() };
/// assert_eq!((feature.name.as_str(), feature.kind), ("n", Kind::Int64));
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

    /// The features that had a list, sorted by name.
    pub fn features(&self) -> Vec<Feature> {
        self.kinds.features()
    }

    /// The names of features that had no list in any record, sorted.
    pub fn without_kind(&self) -> impl Iterator<Item = &str> {
        self.kinds.without_kind()
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
    let mut decoder = ExampleDecoder::new(&inferred.features(), Unlisted::Skip)?;
    records.iter().try_for_each(|record| decoder.push(record))?;
    let batch = decoder.finish();
    let (fields, columns): (Vec<_>, Vec<_>) = with_null_columns(&inferred.kinds, &batch).unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .expect("the columns have the types of the schema, and as many rows"))
}

/// The columns of a batch, with columns of the type null for features without a list, sorted by name.
pub(crate) fn with_null_columns(
    kinds: &Kinds,
    batch: &RecordBatch,
) -> impl Iterator<Item = (FieldRef, ArrayRef)> {
    let decoded = batch.schema_ref().fields().iter().zip(batch.columns());
    let by_name: HashMap<&str, _> = decoded.map(|column| (column.0.name().as_str(), column)).collect();
    kinds.iter().map(move |(name, _)| match by_name.get(name) {
        Some((field, column)) => ((*field).clone(), (*column).clone()),
        None => {
            let nulls: ArrayRef = Arc::new(NullArray::new(batch.num_rows()));
            (Arc::new(Field::new(name, DataType::Null, true)), nulls)
        }
    })
}
