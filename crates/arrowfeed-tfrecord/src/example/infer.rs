//! The features of records, where no schema says them.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::decoder::ExampleDecoder;
use crate::feature::{Feature, Kinds, RecordKinds, Unlisted, each_entry};
use crate::wire::{Fields, Malformed, Value};

/// The features that records have, and their kinds.
///
/// All records that will be decoded must be observed, or enough of them: what is not, the decoder refuses or leaves out.
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
    /// Adds the features of a record. After an error, they are what they were before.
    ///
    /// # Errors
    /// The bytes are no message, or a feature has another kind than in a record before. The error names the record and the
    /// feature.
    pub fn observe(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let features = features_of(record).map_err(|malformed| {
            FeedError::new(FeedErrorKind::CorruptBlock, malformed.to_string()).in_record(self.records)
        })?;
        self.kinds.check(&features).map_err(|error| error.in_record(self.records))?;
        self.kinds.add(features);
        self.records += 1;
        Ok(())
    }

    /// The features that had a list, in the order of their names.
    pub fn features(&self) -> Vec<Feature> {
        self.kinds.features()
    }

    /// The names of features that no record had a list of, in their order.
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

/// The batch of some records, whose columns are the features that these have, in the order of their names. A feature without a
/// list in any of them is a column of nulls, as in tfx_bsl: batches of other records have other columns.
///
/// # Errors
/// As [`InferredFeatures::observe`].
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

/// The columns of a batch, and columns of nulls for features without a list, in the order of the names.
pub(crate) fn with_null_columns(
    kinds: &Kinds,
    batch: &RecordBatch,
) -> impl Iterator<Item = (FieldRef, ArrayRef)> {
    kinds.iter().map(|(name, _)| match batch.schema().fields().find(name) {
        Some((at, field)) => (field.clone(), batch.column(at).clone()),
        None => {
            let nulls: ArrayRef = Arc::new(NullArray::new(batch.num_rows()));
            (Arc::new(Field::new(name, DataType::Null, true)), nulls)
        }
    })
}
