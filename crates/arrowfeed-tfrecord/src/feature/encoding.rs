//! The Arrow types of features.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrowfeed_source::FeedError;

/// The Arrow types of features.
///
/// | | `Tfx` | `Feature` |
/// |---|---|---|
/// | a feature | `LargeList` | `List` |
/// | values of a `bytes_list` | `LargeBinary` | `Binary` |
/// | the struct of sequences | `Struct` | `List` of one `Struct` |
///
/// [`RecordFormat`](crate::RecordFormat) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureEncoding {
    /// The encoding of tfx_bsl.
    #[default]
    Tfx,
    /// The logical encoding of the standardized TFX inputs. Its offsets have 32 bits, so a column of a batch has at most
    /// 2^31 - 1 values, and at most as many bytes.
    Feature,
}

arrowfeed_source::words! { FeatureEncoding { "tfx" = Tfx, "feature" = Feature } }

impl FeatureEncoding {
    /// Converts the schema of decoded batches, which is in the encoding of tfx_bsl, to this encoding.
    pub fn schema(self, tfx: &SchemaRef) -> SchemaRef {
        match self {
            Self::Tfx => tfx.clone(),
            Self::Feature => Arc::new(Schema::new(tfx.fields().iter().map(of_field).collect::<Vec<_>>())),
        }
    }

    /// Converts a decoded batch to this encoding. Values are not copied.
    ///
    /// # Errors
    /// A column is too large for 32-bit offsets. The error names the column.
    pub fn encoded(self, batch: RecordBatch) -> Result<RecordBatch, FeedError> {
        if self == Self::Tfx {
            return Ok(batch);
        }
        let schema = self.schema(batch.schema_ref());
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns
            .map(|(field, column)| of_array(column).map_err(|error| error.in_field(field.name())))
            .collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)
            .expect("the columns have the types of the schema, and as many rows"))
    }

    /// Reduces a limit on the bytes of a batch to the bytes that this encoding can hold.
    pub(crate) fn batch_bytes(self, allowed: usize) -> usize {
        match self {
            Self::Tfx => allowed,
            Self::Feature => allowed.min(i32::MAX as usize),
        }
    }
}

fn of_field(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::LargeList(item) => DataType::List(of_field(item)),
        DataType::LargeBinary => DataType::Binary,
        DataType::Struct(fields) => {
            DataType::List(one(DataType::Struct(fields.iter().map(of_field).collect())))
        }
        other => other.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// The field of the items of lists.
fn one(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

fn of_array(array: &ArrayRef) -> Result<ArrayRef, FeedError> {
    Ok(match array.data_type() {
        DataType::LargeList(item) => {
            let lists = array.as_list::<i64>();
            let (item, values) = (of_field(item), of_array(lists.values())?);
            Arc::new(ListArray::new(item, narrow(lists.offsets())?, values, lists.nulls().cloned()))
        }
        DataType::LargeBinary => {
            let values = array.as_binary::<i64>();
            let (data, nulls) = (values.values().clone(), values.nulls().cloned());
            Arc::new(BinaryArray::new(narrow(values.offsets())?, data, nulls))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().map(of_array).collect::<Result<Vec<_>, _>>()?;
            let fields = fields.iter().map(of_field).collect();
            let values = StructArray::try_new_with_length(fields, columns, None, array.len())
                .expect("the fields have the types of the columns");
            let ends = OffsetBuffer::from_repeated_length(1, array.len());
            let item = one(values.data_type().clone());
            Arc::new(ListArray::new(item, ends, Arc::new(values), array.nulls().cloned()))
        }
        _ => array.clone(),
    })
}

fn narrow(offsets: &OffsetBuffer<i64>) -> Result<OffsetBuffer<i32>, FeedError> {
    let last = offsets.last().copied().unwrap_or_default();
    if i32::try_from(last).is_err() {
        let message = format!("expected at most {} values or bytes in a batch, found {last}", i32::MAX);
        return Err(FeedError::limit_reached("batch_bytes", message));
    }
    // Offsets ascend, so no other offset is larger.
    Ok(OffsetBuffer::new(ScalarBuffer::from_iter(offsets.iter().map(|offset| *offset as i32))))
}
