//! From a batch to messages.

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;

use crate::feature::EncodedFeatures;

/// Writes rows as messages of `tf.Example`, a feature for each column.
///
/// | column | feature |
/// |---|---|
/// | integers and booleans, or lists of them | `int64_list` |
/// | floats and doubles, or lists of them | `float_list`; doubles are rounded |
/// | text and bytes, or lists of them | `bytes_list` |
/// | nulls | none |
///
/// A null row has no feature; an empty list has one without values. Features stand in the order of the columns.
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
    /// An encoder of the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that no feature has; a list has a null value; a number is not an `int64`. The error names the column.
    pub fn new(batch: &RecordBatch) -> Result<Self, FeedError> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let features = EncodedFeatures::new(columns.map(|(field, column)| (field.name().as_str(), column)))?;
        Ok(Self { features, message: Vec::new() })
    }

    /// Whether a null row has a feature without a list, as tfx_bsl writes it; readers take it for none. Default: it has no
    /// feature.
    pub fn with_null_features(mut self, null_features: bool) -> Self {
        self.features = self.features.with_null_features(null_features);
        self
    }

    /// The message of a row of the batch.
    ///
    /// # Panics
    /// The batch has no such row.
    pub fn encode(&mut self, row: usize) -> &[u8] {
        self.message.clear();
        self.features.push(row, &mut self.message);
        &self.message
    }
}
