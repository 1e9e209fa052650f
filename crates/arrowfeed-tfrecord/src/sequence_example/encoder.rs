//! Encoder of batches as messages.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};

use crate::feature::{EncodedColumn, EncodedFeatures, FIRST, VALUE, WITHOUT_LIST, field_len};
use crate::wire::push_head;

/// Encodes rows as `tf.SequenceExample` messages. The fields of the struct column `sequence_column` become feature lists.
/// All other columns become features of the context, see [`ExampleEncoder`](crate::example::ExampleEncoder).
///
/// A field of the struct is a list of steps. A step has one of the types that
/// [`ExampleEncoder`](crate::example::ExampleEncoder) accepts as a column. A null list, or a list in a null struct, is
/// omitted; an empty list becomes a feature list without steps; a null step becomes a feature without a list.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray, types::Int64Type};
/// use arrow_schema::{DataType, Field};
/// use arrowfeed_tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceExampleEncoder};
///
/// let tokens: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(7)])]));
/// let steps = StructArray::try_from(vec![("t", tokens)]).unwrap();
/// let batch = RecordBatch::try_from_iter([(SEQUENCE_COLUMN, Arc::new(steps) as ArrayRef)]).unwrap();
/// let mut encoder = SequenceExampleEncoder::new(&batch, SEQUENCE_COLUMN)?;
/// // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } } } }
/// assert_eq!(encoder.encode(0), b"\x12\x0e\x0a\x0c\x0a\x01t\x12\x07\x0a\x05\x1a\x03\x0a\x01\x07");
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct SequenceExampleEncoder {
    context: EncodedFeatures,
    sequence: Vec<Sequence>,
    /// Buffers for the steps of one feature list, and for the map of all feature lists.
    steps: Vec<u8>,
    lists: Vec<u8>,
    message: Vec<u8>,
}

/// A field of the struct column.
#[derive(Debug)]
struct Sequence {
    name: String,
    /// Offsets of the steps of each row.
    ends: OffsetBuffer<i64>,
    /// Validity of the rows.
    nulls: Option<NullBuffer>,
    /// `None` if the steps have the type null.
    steps: Option<EncodedColumn>,
}

impl SequenceExampleEncoder {
    /// Creates an encoder of the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that cannot become a feature; the column of sequences is not a struct of lists; a list has a null
    /// value; a number does not fit in an `int64`. The error names the column.
    pub fn new(batch: &RecordBatch, sequence_column: &str) -> Result<Self, FeedError> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let context = columns.filter(|(field, _)| field.name() != sequence_column);
        let context = EncodedFeatures::new(context.map(|(field, column)| (field.name().as_str(), column)))?;
        let sequence = match batch.column_by_name(sequence_column) {
            None => Vec::new(),
            Some(column) => sequences(column, sequence_column)?,
        };
        Ok(Self { context, sequence, steps: Vec::new(), lists: Vec::new(), message: Vec::new() })
    }

    /// Encodes a row of the batch as a message.
    ///
    /// # Panics
    /// The batch does not have this row.
    pub fn encode(&mut self, row: usize) -> &[u8] {
        self.message.clear();
        self.context.push(row, &mut self.message);
        self.lists.clear();
        for sequence in &self.sequence {
            if sequence.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            self.steps.clear();
            sequence.push_steps(row, &mut self.steps);
            let name = sequence.name.as_bytes();
            push_head(&mut self.lists, FIRST, field_len(name.len()) + field_len(self.steps.len()));
            push_head(&mut self.lists, FIRST, name.len());
            self.lists.extend_from_slice(name);
            push_head(&mut self.lists, VALUE, self.steps.len());
            self.lists.extend_from_slice(&self.steps);
        }
        if !self.lists.is_empty() {
            push_head(&mut self.message, VALUE, self.lists.len());
            self.message.extend_from_slice(&self.lists);
        }
        &self.message
    }
}

/// The fields of the struct column.
fn sequences(column: &ArrayRef, name: &str) -> Result<Vec<Sequence>, FeedError> {
    let Some(fields) = column.as_struct_opt() else {
        let message = format!("expected a struct of lists, found a column of {}", column.data_type());
        return Err(FeedError::new(FeedErrorKind::Conversion, message).in_field(name));
    };
    let named = fields.fields().iter().zip(fields.columns());
    let sequences = named.map(|(field, column)| {
        Sequence::new(field.name(), column, fields.nulls())
            .map_err(|error| error.in_field(field_path([name, field.name()])))
    });
    sequences.collect()
}

impl Sequence {
    fn new(name: &str, column: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<Self, FeedError> {
        let item = match column.data_type() {
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => item.data_type().clone(),
            other => {
                let message = format!("expected lists of steps, found a column of {other}");
                return Err(FeedError::new(FeedErrorKind::Conversion, message));
            }
        };
        let lists = DataType::LargeList(Field::new("item", item, true).into());
        let lists = cast(column, &lists).map_err(|error| {
            FeedError::new(FeedErrorKind::Conversion, format!("expected lists of steps: {error}"))
        })?;
        let lists = lists.as_list::<i64>();
        let steps = EncodedColumn::new(lists.values())?;
        // A list in a null struct is null.
        let nulls = NullBuffer::union(lists.nulls(), nulls);
        Ok(Self { name: name.to_owned(), ends: lists.offsets().clone(), nulls, steps })
    }

    /// Appends the steps of a row, each with its tag and its length.
    fn push_steps(&self, row: usize, message: &mut Vec<u8>) {
        for step in self.ends[row] as usize..self.ends[row + 1] as usize {
            let sizes = self.steps.as_ref().and_then(|steps| steps.sizes(step)).unwrap_or(WITHOUT_LIST);
            push_head(message, FIRST, sizes.feature);
            if let Some(steps) = &self.steps {
                steps.push(step, sizes, message);
            }
        }
    }
}
