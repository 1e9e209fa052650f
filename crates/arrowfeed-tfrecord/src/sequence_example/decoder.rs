//! From records to a batch.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};

use crate::feature::{Column, Fault, Feature, FeatureColumns, Steps, Unlisted};
use crate::wire;

/// The name of the column of sequences that TFX knows.
pub const SEQUENCE_COLUMN: &str = "##SEQUENCE##";

/// The features of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceFeatures {
    /// Those of the context, each a column.
    pub context: Vec<Feature>,
    /// Those of the steps, each a field of the struct behind the columns of the context. Without any, there is no struct.
    pub sequence: Vec<Feature>,
    /// The name of the struct; [`SEQUENCE_COLUMN`] where TFX reads it.
    pub sequence_column: String,
}

impl Default for SequenceFeatures {
    fn default() -> Self {
        Self { context: Vec::new(), sequence: Vec::new(), sequence_column: SEQUENCE_COLUMN.to_owned() }
    }
}

/// Decodes messages of `tf.SequenceExample` into a batch.
///
/// ```
/// use arrowfeed_tfrecord::example::{Feature, Kind, Unlisted};
/// use arrowfeed_tfrecord::sequence_example::{SequenceExampleDecoder, SequenceFeatures};
///
/// let tokens = Feature { name: "t".to_owned(), kind: Kind::Int64 };
/// let features = SequenceFeatures { sequence: vec![tokens], ..SequenceFeatures::default() };
/// let mut decoder = SequenceExampleDecoder::new(&features, Unlisted::Check)?;
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

/// Why a record is refused, and by which map.
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
    /// A decoder whose batches have these columns.
    ///
    /// # Errors
    /// Two features of the context, or two of the sequences, have one name; a feature of the context has that of the struct.
    pub fn new(features: &SequenceFeatures, unlisted: Unlisted) -> Result<Self, FeedError> {
        let SequenceFeatures { context, sequence, sequence_column } = features;
        if context.iter().any(|feature| feature.name == *sequence_column) {
            return Err(named_as_sequences(sequence_column));
        }
        let context = FeatureColumns::new(context, unlisted)?;
        let sequence = FeatureColumns::<Steps>::new(sequence, unlisted)?;
        let steps = struct_field(sequence_column, sequence.fields().collect());
        let fields = context.fields().chain((sequence.len() > 0).then_some(steps));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(Self { schema, context, sequence, sequence_column: sequence_column.clone(), rows: 0 })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Records so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Features that are decoded.
    pub(crate) fn columns(&self) -> usize {
        self.context.len() + self.sequence.len()
    }

    /// Decodes a record. After an error, the batch is as it was before.
    ///
    /// # Errors
    /// The bytes are no message, or a feature has lists of another kind. The error names the row and the feature.
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

    /// The batch of all records since the last one.
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

/// The error of a feature of the struct.
pub(super) fn in_sequence(error: FeedError, sequence_column: &str) -> FeedError {
    match error.location().field.clone() {
        Some(name) => error.with_field(field_path([sequence_column, &name])),
        None => error,
    }
}

/// The field of the struct.
pub(super) fn struct_field(name: &str, fields: Fields) -> FieldRef {
    Arc::new(Field::new(name, DataType::Struct(fields), true))
}

#[cold]
pub(super) fn named_as_sequences(name: &str) -> FeedError {
    let message = format!("expected a name that is not the column of sequences, found {name:?}");
    FeedError::new(FeedErrorKind::Options, message)
}
