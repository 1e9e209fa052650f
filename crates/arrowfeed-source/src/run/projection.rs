//! The columns that are returned of those that were decoded.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, StructArray, cast::AsArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};

use crate::{FeedError, FeedErrorKind};

/// A selection of columns, and of fields of structs in them.
#[derive(Debug)]
pub(super) struct Projection {
    schema: SchemaRef,
    /// Number of each column among the decoded ones, and whether it is returned as it is.
    columns: Vec<(usize, bool)>,
    /// Whether the columns are the decoded ones.
    is_whole: bool,
}

impl Projection {
    /// The columns of `schema`, which are among those of `decoded`, by name. Their structs may have fewer fields.
    ///
    /// # Errors
    /// A column is missing.
    pub(super) fn new(decoded: &Schema, schema: SchemaRef) -> Result<Self, FeedError> {
        let column = |field: &FieldRef| match decoded.column_with_name(field.name()) {
            Some((number, found)) => Ok((number, found.data_type() == field.data_type())),
            None => {
                let message = format!("expected the column {} among the decoded ones", field.name());
                Err(FeedError::new(FeedErrorKind::Internal, message))
            }
        };
        let columns = schema.fields().iter().map(column).collect::<Result<_, _>>()?;
        let is_whole = decoded.fields() == schema.fields();
        Ok(Self { schema, columns, is_whole })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch, FeedError> {
        if self.is_whole {
            return Ok(batch.clone());
        }
        let fields = self.schema.fields().iter().zip(&self.columns);
        let columns = fields.map(|(field, (number, is_same))| match is_same {
            true => Ok(batch.column(*number).clone()),
            false => pruned(batch.column(*number), field),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        columns
            .collect::<Result<_, _>>()
            .and_then(|columns| RecordBatch::try_new_with_options(self.schema.clone(), columns, &options))
            .map_err(|error| {
                let message = "expected decoded columns that have the returned ones";
                FeedError::new(FeedErrorKind::Internal, message).with_source(error)
            })
    }
}

/// The array without the fields of structs that `field` does not have.
fn pruned(array: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    if array.data_type() == field.data_type() {
        return Ok(array.clone());
    }
    match field.data_type() {
        DataType::Struct(fields) => {
            let array = array.as_struct();
            let child = |field: &FieldRef| {
                let child = array.column_by_name(field.name());
                let child = child.ok_or_else(|| ArrowError::SchemaError(field.name().clone()))?;
                pruned(child, field)
            };
            let children = fields.iter().map(child).collect::<Result<_, _>>()?;
            let (fields, nulls) = (fields.clone(), array.nulls().cloned());
            Ok(Arc::new(StructArray::try_new_with_length(fields, children, nulls, array.len())?))
        }
        DataType::List(item) => pruned_list::<i32>(array, item),
        DataType::LargeList(item) => pruned_list::<i64>(array, item),
        DataType::FixedSizeList(item, size) => {
            let array = array.as_fixed_size_list();
            let (values, nulls) = (pruned(array.values(), item)?, array.nulls().cloned());
            Ok(Arc::new(FixedSizeListArray::try_new_with_length(
                item.clone(),
                *size,
                values,
                nulls,
                array.len(),
            )?))
        }
        DataType::Map(entries, sorted) => {
            let array = array.as_map();
            let pairs: ArrayRef = Arc::new(array.entries().clone());
            let pairs = pruned(&pairs, entries)?.as_struct().clone();
            let (offsets, nulls) = (array.offsets().clone(), array.nulls().cloned());
            Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, *sorted)?))
        }
        other => Err(ArrowError::SchemaError(format!("expected {other}, found {}", array.data_type()))),
    }
}

fn pruned_list<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Result<ArrayRef, ArrowError> {
    let array = array.as_list::<O>();
    let (offsets, nulls) = (array.offsets().clone(), array.nulls().cloned());
    let values = pruned(array.values(), item)?;
    Ok(Arc::new(GenericListArray::<O>::try_new(item.clone(), offsets, values, nulls)?))
}
