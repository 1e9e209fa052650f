//! Decoder of records into batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};

use crate::feature::{Column, Fault, Feature, FeatureColumns, Steps, UnknownFeatures};
use crate::wire;

/// The name that TFX expects for the column of sequences.
pub const SEQUENCE_COLUMN: &str = "##SEQUENCE##";

/// The features of `tf.SequenceExample` records.
///
/// [`SequenceExampleDecoder`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceFeatures {
    /// Features of the context. Each becomes a column.
    pub context: Vec<Feature>,
    /// Features of the steps. Each becomes a field of the struct column, which follows the columns of the context. If there
    /// are none, there is no struct column.
    pub sequence: Vec<Feature>,
    /// Name of the struct column. TFX requires [`SEQUENCE_COLUMN`].
    pub sequence_column: String,
}

impl Default for SequenceFeatures {
    fn default() -> Self {
        Self { context: Vec::new(), sequence: Vec::new(), sequence_column: SEQUENCE_COLUMN.to_owned() }
    }
}

/// Decodes `tf.SequenceExample` messages into a batch.
///
/// ```
/// use arrowfeed_tfrecord::example::{Feature, FeatureKind, UnknownFeatures};
/// use arrowfeed_tfrecord::sequence_example::{SequenceExampleDecoder, SequenceFeatures};
///
/// let tokens = Feature { name: "t".to_owned(), kind: FeatureKind::Int64 };
/// let features = SequenceFeatures { sequence: vec![tokens], ..SequenceFeatures::default() };
/// let mut decoder = SequenceExampleDecoder::new(&features, UnknownFeatures::Check)?;
/// // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } feature {} } } }
/// decoder.push(b"\x12\x10\x0a\x0e\x0a\x01t\x12\x09\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x00")?;
/// let batch = decoder.finish();
/// assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (1, "##SEQUENCE##"));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct SequenceExampleDecoder {
    schema: SchemaRef,
    context: FeatureColumns<Column>,
    sequence: FeatureColumns<Steps>,
    sequence_column: String,
    rows: usize,
}

/// The reason why a record is rejected, with the map that has the fault.
enum Refused {
    Context(Fault),
    Sequence(Fault),
}

impl From<wire::Malformed> for Refused {
    fn from(malformed: wire::Malformed) -> Self {
        Self::Context(malformed.into())
    }
}

impl SequenceExampleDecoder {
    /// Creates a decoder for these features.
    ///
    /// # Errors
    /// Two features of the context, or two of the sequences, have the same name; a feature of the context has the name of
    /// the struct column.
    pub fn new(features: &SequenceFeatures, unknown: UnknownFeatures) -> Result<Self, FeedError> {
        let SequenceFeatures { context, sequence, sequence_column } = features;
        if context.iter().any(|feature| feature.name == *sequence_column) {
            return Err(named_as_sequences(sequence_column));
        }
        let context = FeatureColumns::new(context, unknown)?;
        let sequence = FeatureColumns::<Steps>::new(sequence, unknown)?;
        let steps = struct_field(sequence_column, sequence.fields().collect());
        let fields = context.fields().chain((sequence.len() > 0).then_some(steps));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(Self { schema, context, sequence, sequence_column: sequence_column.clone(), rows: 0 })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of records in the current batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of decoded features.
    pub(crate) fn columns(&self) -> usize {
        self.context.len() + self.sequence.len()
    }

    /// Decodes a record. After an error, the batch is unchanged.
    ///
    /// # Errors
    /// The bytes are not a valid message, or a feature has lists of another kind. The error names the row and the feature.
    pub fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        if let Err(refused) = self.read(record) {
            self.context.clear(self.rows);
            self.sequence.clear(self.rows);
            return Err(self.error(refused).in_record(self.rows as u64));
        }
        self.context.close(self.rows);
        self.sequence.close(self.rows);
        self.rows += 1;
        Ok(())
    }

    /// Takes all records since the last batch as a batch.
    pub fn finish(&mut self) -> RecordBatch {
        let rows = std::mem::take(&mut self.rows);
        let mut columns: Vec<ArrayRef> = self.context.finish().collect();
        let steps: Vec<ArrayRef> = self.sequence.finish().collect();
        if !steps.is_empty() {
            let fields = self.sequence.fields().collect();
            let steps = StructArray::try_new_with_length(fields, steps, None, rows);
            columns.push(Arc::new(steps.expect("the fields have the types of the schema, and as many rows")));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .expect("the columns have the types of the schema, and as many rows")
    }

    fn read(&mut self, record: &[u8]) -> Result<(), Refused> {
        let mut fields = wire::Fields::new(record);
        while let Some(field) = fields.next()? {
            match field {
                (1, wire::Value::Bytes(map)) if !self.context.is_unread() => {
                    self.context.read(map, self.rows).map_err(Refused::Context)?;
                }
                (2, wire::Value::Bytes(map)) if !self.sequence.is_unread() => {
                    self.sequence.read(map, self.rows).map_err(Refused::Sequence)?;
                }
                _ => {}
            }
        }
        self.context.check_kinds().map_err(Refused::Context)?;
        self.sequence.check_kinds().map_err(Refused::Sequence)
    }

    #[cold]
    fn error(&self, refused: Refused) -> FeedError {
        match refused {
            Refused::Context(fault) => self.context.error(fault),
            Refused::Sequence(fault) => in_sequence(self.sequence.error(fault), &self.sequence_column),
        }
    }
}

/// Puts the name of the struct column before the field of an error.
pub(super) fn in_sequence(error: FeedError, sequence_column: &str) -> FeedError {
    match error.location().field.clone() {
        Some(name) => error.with_field(field_path([sequence_column, &name])),
        None => error,
    }
}

/// The field of the struct column.
pub(super) fn struct_field(name: &str, fields: Fields) -> FieldRef {
    Arc::new(Field::new(name, DataType::Struct(fields), true))
}

#[cold]
fn named_as_sequences(name: &str) -> FeedError {
    let message = format!("expected no context feature with the name of the struct column, found {name:?}");
    FeedError::new(FeedErrorKind::Options, message)
}
