//! The features of records, where no schema says them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::decoder::{ExampleDecoder, Feature, Kind, Unlisted, each_entry};
use super::entry::Entry;
use crate::wire::Malformed;

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
    /// `None`: no record had a list.
    kinds: BTreeMap<String, Option<Kind>>,
    records: u64,
}

impl InferredFeatures {
    /// Adds the features of a record. After an error, they are what they were before.
    ///
    /// # Errors
    /// The bytes are no message, or a feature has another kind than in a record before. The error names the record and the
    /// feature.
    pub fn observe(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let wrong =
            |message: String| FeedError::new(FeedErrorKind::CorruptBlock, message).in_record(self.records);
        let mut last = BTreeMap::new();
        each_entry(record, |entry| {
            let entry = Entry::read(entry)?;
            let kind = entry.kind()?;
            // It was checked.
            last.insert(String::from_utf8_lossy(entry.name).into_owned(), kind);
            Ok(())
        })
        .map_err(|malformed: Malformed| wrong(malformed.to_string()))?;
        for (name, found) in &last {
            if let (Some(Some(kind)), Some(found)) = (self.kinds.get(name), found)
                && kind != found
            {
                let message = format!(
                    "expected values of {}, as in records before, found {}",
                    kind.name(),
                    found.name()
                );
                return Err(wrong(message).in_field(name));
            }
        }
        for (name, found) in last {
            let kind = self.kinds.entry(name).or_default();
            *kind = kind.or(found);
        }
        self.records += 1;
        Ok(())
    }

    /// The features that had a list, in the order of their names.
    pub fn features(&self) -> Vec<Feature> {
        let known = self.kinds.iter().filter_map(|(name, kind)| Some((name, (*kind)?)));
        known.map(|(name, kind)| Feature { name: name.clone(), kind }).collect()
    }

    /// The names of features that no record had a list of, in their order.
    pub fn without_kind(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().filter(|(_, kind)| kind.is_none()).map(|(name, _)| name.as_str())
    }
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
    let columns = inferred.kinds.keys().map(|name| match batch.schema().column_with_name(name) {
        Some((at, field)) => (field.clone(), batch.column(at).clone()),
        None => (Field::new(name, DataType::Null, true), Arc::new(NullArray::new(records.len())) as ArrayRef),
    });
    let (fields, columns): (Vec<_>, Vec<_>) = columns.unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .expect("the columns have the types of the schema, and as many rows"))
}
