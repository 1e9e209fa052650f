//! Key expressions compiled against a schema, and the values that they select from a batch.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, SchemaRef};

use super::compile::Compiler;
use super::key::KeyExpression;
use super::operation::{Operations, Root};
use super::row_selection::RowSelection;
use crate::column::Leaves;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::error::{ConversionError, RepresentationError};
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::row_splits::RowSplits;
use crate::same_schema;

/// A key compiled against a schema. Its rank and type are known before any data.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Array, Int64Array, ListArray, RecordBatch, types::Int64Type};
/// use arrow_schema::{Field, Schema};
/// use arrowfeed_tensor::{ExpressionPlan, KeyExpression};
///
/// let scores = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), None]);
/// let schema = Arc::new(Schema::new(vec![Field::new("scores", scores.data_type().clone(), true)]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(scores)])?;
///
/// let all = ExpressionPlan::try_new(schema.clone(), &KeyExpression::parse("scores[*]")?)?;
/// assert_eq!((all.rank(), all.columns()[0].to_string()), (1, "scores".to_owned()));
/// let values = all.evaluate(&batch)?;
/// assert_eq!(values.row_splits()[0].iter().collect::<Vec<_>>(), [0, 2, 2]);
///
/// let last = ExpressionPlan::try_new(schema, &KeyExpression::parse("scores[-1]")?)?;
/// let values = last.evaluate(&batch)?;
/// assert_eq!(values.values().as_ref(), &Int64Array::from(vec![Some(8), None]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExpressionPlan {
    key: KeyExpression,
    schema: SchemaRef,
    path: Operations,
    columns: Vec<ColumnPath>,
    /// Indices of the columns that the plan reads.
    used: Vec<usize>,
    /// Limit on the bytes of values that are copied for several rows each.
    batch_bytes: usize,
}

/// The values that a key selects from a batch, and row splits for each dimension. The last splits divide the values.
///
/// [`ExpressionPlan`] has an example.
#[derive(Debug)]
pub struct KeyValues(Leaves);

impl ExpressionPlan {
    /// Compiles a key.
    ///
    /// # Errors
    /// The schema has no field for a step, or the type does not support the step. The message names the character.
    pub fn try_new(schema: SchemaRef, key: &KeyExpression) -> Result<Self, RepresentationError> {
        Self::compile(&IndexedSchema::new(schema), key)
    }

    /// Like [`try_new`](Self::try_new), for one of many keys.
    pub(crate) fn compile(schema: &IndexedSchema, key: &KeyExpression) -> Result<Self, RepresentationError> {
        let mut compiler = Compiler::new(key, schema);
        let path = compiler.compile()?;
        let columns = compiler.columns;
        let first = columns.iter().filter_map(|column| schema.find(schema.fields(), column.steps().first()?));
        let mut used: Vec<usize> = first.map(|(index, _)| index).collect();
        used.sort_unstable();
        used.dedup();
        let (schema, batch_bytes) = (schema.schema().clone(), AdapterOptions::BATCH_BYTES);
        Ok(Self { key: key.clone(), schema, path, columns, used, batch_bytes })
    }

    /// The same plan with another [`AdapterOptions::batch_bytes`].
    pub(crate) fn with_batch_bytes(self, batch_bytes: usize) -> Self {
        Self { batch_bytes, ..self }
    }

    /// The key.
    pub fn key(&self) -> &KeyExpression {
        &self.key
    }

    /// Number of dimensions after the batch dimension: one for each `[*]` and each filter, whatever the data.
    pub fn rank(&self) -> usize {
        self.key.rank()
    }

    /// The Arrow type of the values.
    pub fn data_type(&self) -> &DataType {
        &self.path.data_type
    }

    /// The type of a tensor of the values, `None` if no tensor can hold them.
    pub fn dtype(&self) -> Option<DType> {
        DType::of(&self.path.data_type)
    }

    /// The symbols of the enum at the end of the key, as its field has them in its metadata: a list in JSON.
    pub(crate) fn enum_symbols(&self) -> Option<&str> {
        self.path.enum_symbols.as_deref()
    }

    /// The fields that the plan reads, including those of filters. Joined with dots, they are the field paths of a projection.
    pub fn columns(&self) -> &[ColumnPath] {
        &self.columns
    }

    /// Indices of the columns that the plan reads, in ascending order.
    pub(crate) fn used(&self) -> &[usize] {
        &self.used
    }

    /// Whether the plan selects values from their columns, so that they are copied. All steps except names and `[*]` do so.
    pub(crate) fn picks(&self) -> bool {
        self.path.picks()
    }

    /// Selects values from each row.
    ///
    /// # Errors
    /// The batch does not have the columns of the plan, the values do not fit into one array, or copies of values exceed
    /// [`AdapterOptions::BATCH_BYTES`].
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<KeyValues, ConversionError> {
        same_schema::check(&self.schema, batch, &self.used)
            .and_then(|()| self.leaves(batch))
            .map(KeyValues)
            .map_err(|error| error.in_key(self.key.text()))
    }

    /// The values from a batch. The caller has checked the types of the columns.
    pub(crate) fn leaves(&self, batch: &RecordBatch) -> Result<Leaves, ConversionError> {
        let rows = batch.num_rows();
        let place = RowSelection::new(Arc::new(StructArray::new_empty_fields(rows, None)));
        let root = Root { columns: batch.columns(), rows, place, batch_bytes: self.batch_bytes };
        let mut splits = Vec::with_capacity(self.rank());
        let place = self.path.run(&root, root.place.clone(), &mut splits)?;
        let (array, nulls) = place.values(self.batch_bytes)?;
        Ok(Leaves { rows, splits, array, nulls })
    }
}

impl KeyValues {
    /// Number of rows of the batch.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Row splits, outermost first, one for each dimension of the key.
    pub fn row_splits(&self) -> &[RowSplits] {
        &self.0.splits
    }

    /// All values, concatenated. A key without dimensions has one value for each row.
    pub fn values(&self) -> &ArrayRef {
        &self.0.array
    }

    /// The missing values: those that are null or inside a null. `None` if no value is missing.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.0.nulls.as_ref()
    }
}
