//! From a batch to messages.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};

use crate::feature::{EncodedFeatures, FIRST, FeatureLists, VALUE, WITHOUT_LIST, field_len};
use crate::wire::push_head;

/// Writes rows as messages of `tf.SequenceExample`: the fields of the struct named `sequence_column` as feature lists, and all other
/// columns as features of the context, see [`ExampleEncoder`](crate::example::ExampleEncoder).
///
/// A field of the struct is a list of steps; a step is what a column of [`ExampleEncoder`](crate::example::ExampleEncoder) is in a row. A
/// null list, or one in a null struct, is left out; an empty one is a feature list without steps; a null step is a feature without a
/// list.
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
    /// The entry of a feature list, and the map of all.
    steps: Vec<u8>,
    lists: Vec<u8>,
    message: Vec<u8>,
}

/// A field of the struct.
#[derive(Debug)]
struct Sequence {
    name: String,
    /// Where the steps of each row end; before them, where the first one begins.
    ends: OffsetBuffer<i64>,
    /// Of the rows.
    nulls: Option<NullBuffer>,
    /// `None`: the steps are nulls of no type.
    steps: Option<FeatureLists>,
}

impl SequenceExampleEncoder {
    /// An encoder of the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that no feature has; the column of sequences is no struct of lists; a list has a null value; a number is
    /// not an `int64`. The error names the column.
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

    /// The message of a row of the batch.
    ///
    /// # Panics
    /// The batch has no such row.
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

/// The fields of the struct.
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
        let steps = FeatureLists::new(lists.values())?;
        // A list in a null struct is null.
        let nulls = NullBuffer::union(lists.nulls(), nulls);
        Ok(Self { name: name.to_owned(), ends: lists.offsets().clone(), nulls, steps })
    }

    /// Adds the steps of a row, each with its tag and its length.
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
