//! Encoder of batches as messages.

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;

use crate::feature::EncodedFeatures;

/// Encodes rows as `tf.Example` messages with one feature per column.
///
/// | column | feature |
/// |---|---|
/// | integers and booleans, or lists of them | `int64_list` |
/// | floats and doubles, or lists of them | `float_list`; doubles are rounded |
/// | text and bytes, or lists of them | `bytes_list` |
/// | the type null | none |
/// | a union of these | the feature of the branch of the row |
///
/// A null gives no feature; an empty list gives a feature whose list has no values. Features are in the order of the
/// columns.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrowfeed_tfrecord::example::ExampleEncoder;
///
/// let numbers = Arc::new(Int64Array::from(vec![Some(7), None]));
/// let batch = RecordBatch::try_from_iter([("n", numbers as _)]).unwrap();
/// let mut encoder = ExampleEncoder::new(&batch)?;
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// assert_eq!(encoder.encode(0), b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07");
/// assert_eq!(encoder.encode(1), b"");
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct ExampleEncoder {
    features: EncodedFeatures,
    message: Vec<u8>,
}

impl ExampleEncoder {
    /// Creates an encoder of the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that cannot become a feature; a list has a null value; a number does not fit in an `int64`. The
    /// error names the column.
    pub fn new(batch: &RecordBatch) -> Result<Self, FeedError> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let features = EncodedFeatures::new(columns.map(|(field, column)| (field.name().as_str(), column)))?;
        Ok(Self { features, message: Vec::new() })
    }

    /// Sets whether a null becomes a feature without a list, as tfx_bsl writes it. Readers treat such a feature as missing.
    /// Default: a null gives no feature.
    pub fn with_null_features(mut self, null_features: bool) -> Self {
        self.features = self.features.with_null_features(null_features);
        self
    }

    /// Encodes a row of the batch as a message.
    ///
    /// # Panics
    /// The batch does not have this row.
    pub fn encode(&mut self, row: usize) -> &[u8] {
        self.message.clear();
        self.features.push(row, &mut self.message);
        &self.message
    }
}
