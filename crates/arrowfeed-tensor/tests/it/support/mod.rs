//! Batches and tensors of the tests.

pub(crate) mod json;
pub(crate) mod nested;
pub(crate) mod types;

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use arrowfeed_tensor::{
    ConversionError, Dense, Ragged, Representation, RepresentationError, Sparse, SplitsDType, Structured,
    Tensor, TensorAdapter, Values, VarLenRagged, VarLenSparse,
};

/// A batch of these columns, all of them nullable.
pub(crate) fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

pub(crate) fn adapter(
    batch: &RecordBatch,
    representation: &Representation,
) -> Result<TensorAdapter, RepresentationError> {
    TensorAdapter::try_new(batch.schema(), [("t", representation)])
}

/// Converts a batch to one tensor.
pub(crate) fn convert(
    batch: &RecordBatch,
    representation: &Representation,
) -> Result<Tensor, ConversionError> {
    let adapter = adapter(batch, representation).expect("the representation fits");
    Ok(adapter.convert(batch)?.into_iter().next().unwrap().1)
}

/// The error message of a conversion that fails.
pub(crate) fn refused(batch: &RecordBatch, representation: &Representation) -> String {
    convert(batch, representation).expect_err("an error").to_string()
}

/// The error message of a representation that does not compile.
pub(crate) fn unfit(batch: &RecordBatch, representation: &Representation) -> String {
    adapter(batch, representation).expect_err("an error").to_string()
}

pub(crate) fn dense(column: &str, shape: &[usize]) -> Dense {
    Dense { column: column.to_owned(), shape: shape.to_vec(), ..Dense::default() }
}

pub(crate) fn varlen(column: &str) -> Representation {
    Representation::VarLenSparse(VarLenSparse { column: column.to_owned(), ..Default::default() })
}

pub(crate) fn sparse(indices: &[&str], values: &str, dense_shape: &[Option<usize>]) -> Sparse {
    Sparse {
        index_columns: indices.iter().map(|name| (*name).to_owned()).collect(),
        value_column: values.to_owned(),
        dense_shape: dense_shape.to_vec(),
        ..Sparse::default()
    }
}

pub(crate) fn ragged(path: &[&str], partitions: Vec<arrowfeed_tensor::Partition>) -> Representation {
    let path = arrowfeed_tensor::ColumnPath::new(path.iter().copied());
    Representation::Ragged(Ragged {
        path,
        partitions,
        row_splits_dtype: SplitsDType::Int64,
        ..Ragged::default()
    })
}

pub(crate) fn varlen_ragged(column: &str, row_splits_dtype: SplitsDType) -> Representation {
    Representation::VarLenRagged(VarLenRagged {
        column: column.to_owned(),
        row_splits_dtype,
        ..VarLenRagged::default()
    })
}

pub(crate) fn structured(columns: &[&str]) -> Representation {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    Representation::Structured(Structured {
        columns,
        row_splits_dtype: SplitsDType::Int64,
        ..Structured::default()
    })
}

/// `List` of int64.
pub(crate) fn lists(rows: &[Option<&[i64]>]) -> ArrayRef {
    let rows = rows.iter().map(|row| row.map(|row| row.iter().copied().map(Some).collect::<Vec<_>>()));
    Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows))
}

/// `List` of int32 with nulls inside.
pub(crate) fn lists_with_nulls(rows: &[Option<&[Option<i32>]>]) -> ArrayRef {
    let rows = rows.iter().map(|row| row.map(<[_]>::to_vec));
    Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
}

pub(crate) fn int64(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

pub(crate) fn numbers<T: ArrowPrimitiveType>(values: &Values) -> Vec<T::Native> {
    values.as_primitive::<T>().expect("numbers of the type").to_vec()
}

pub(crate) fn splits(tensor: &Tensor) -> Vec<Vec<usize>> {
    tensor.row_splits().iter().map(|splits| splits.iter().collect()).collect()
}
