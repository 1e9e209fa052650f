//! Columns from tensors: large lists around the values. Values are not copied, except byte strings.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, LargeBinaryArray, LargeListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use crate::error::{ConversionError, ConversionErrorKind};
use crate::row_splits::{RowSplits, SplitsDType};
use crate::tensor::{DenseTensor, RaggedTensor, SparseTensor};
use crate::values::Values;

pub(super) fn dense(tensor: &DenseTensor) -> Result<ArrayRef, ConversionError> {
    let (rows, inner) = tensor.shape().split_first().unwrap_or((&1, &[]));
    let size: usize = inner.iter().product();
    let splits = RowSplits::from_ends((1..=*rows).map(|row| row * size), SplitsDType::Int64)?;
    list(&splits, large_binary(tensor.values()))
}

pub(super) fn ragged(tensor: &RaggedTensor) -> Result<ArrayRef, ConversionError> {
    let flat = tensor.flat_values();
    let size: usize = flat.shape()[1..].iter().product();
    let mut column = large_binary(flat.values());
    for (level, splits) in tensor.row_splits().iter().rev().enumerate() {
        let splits = match (level, size) {
            (0, size) if size != 1 => {
                RowSplits::from_ends(splits.iter().skip(1).map(|end| end * size), SplitsDType::Int64)?
            }
            _ => splits.clone(),
        };
        column = list(&splits, column)?;
    }
    Ok(column)
}

/// A column with the values of each row, which must be at the positions 0, 1, 2, ….
pub(super) fn varlen(tensor: &SparseTensor) -> Result<ArrayRef, ConversionError> {
    let splits = rows(tensor)?;
    for (row, start) in splits.iter().take(splits.rows()).enumerate() {
        let range = start..splits.range(row).unwrap_or_default().end;
        let odd = range.clone().find(|entry| tensor.indices()[entry * 2 + 1] != (entry - start) as i64);
        if let Some(entry) = odd {
            let expected = format!("the index {}, or the tensor in `generic_sparse`", entry - start);
            let found = tensor.indices()[entry * 2 + 1].to_string();
            return Err(ConversionError::new(ConversionErrorKind::Tensor, expected, found).in_row(row));
        }
    }
    list(&splits, large_binary(tensor.values()))
}

/// A column of values, then a column of indices for each dimension.
pub(super) fn sparse(tensor: &SparseTensor) -> Result<Vec<ArrayRef>, ConversionError> {
    let splits = rows(tensor)?;
    let mut columns = vec![list(&splits, large_binary(tensor.values()))?];
    for dimension in 1..tensor.rank() {
        let entries = tensor.indices().chunks_exact(tensor.rank());
        let indices: Int64Array = entries.map(|entry| entry[dimension]).collect::<Vec<_>>().into();
        columns.push(list(&splits, Arc::new(indices))?);
    }
    Ok(columns)
}

/// Splits that divide the entries into rows. Fails if the entries are not in the order of the rows.
fn rows(tensor: &SparseTensor) -> Result<RowSplits, ConversionError> {
    let rows = usize::try_from(tensor.dense_shape()[0]).unwrap_or(0);
    let mut entries = tensor.indices().chunks_exact(tensor.rank()).map(|entry| entry[0] as usize).peekable();
    let (mut end, mut before) = (0, 0);
    let mut ends = Vec::with_capacity(rows.min(tensor.values().len() + 1));
    for row in 0..rows {
        while let Some(entry) = entries.next_if(|entry| *entry <= row) {
            if entry < before {
                let expected = format!("entries in the order of their rows, after row {before}");
                let error =
                    ConversionError::new(ConversionErrorKind::Tensor, expected, format!("row {entry}"));
                return Err(error);
            }
            before = entry;
            end += 1;
        }
        ends.push(end);
    }
    RowSplits::from_ends(ends.into_iter(), SplitsDType::Int64)
}

fn list(splits: &RowSplits, values: ArrayRef) -> Result<ArrayRef, ConversionError> {
    let offsets: ScalarBuffer<i64> = match splits.as_i64() {
        Some(splits) => splits.clone(),
        None => splits.iter().map(|split| split as i64).collect::<Vec<_>>().into(),
    };
    let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    let list = LargeListArray::try_new(item, OffsetBuffer::new(offsets), values, None);
    list.map(|list| Arc::new(list) as ArrayRef).map_err(|error| {
        ConversionError::new(ConversionErrorKind::Tensor, "row splits that fit the values", error.to_string())
    })
}

/// Converts byte strings to large binary, and returns other values unchanged.
fn large_binary(values: &Values) -> ArrayRef {
    let array = values.array();
    let copied = |items: &mut dyn Iterator<Item = &[u8]>| -> ArrayRef {
        Arc::new(LargeBinaryArray::from_iter_values(items))
    };
    match array.data_type() {
        DataType::Utf8 => copied(&mut array.as_string::<i32>().iter().flatten().map(str::as_bytes)),
        DataType::LargeUtf8 => copied(&mut array.as_string::<i64>().iter().flatten().map(str::as_bytes)),
        DataType::Utf8View => copied(&mut array.as_string_view().iter().flatten().map(str::as_bytes)),
        DataType::Binary => copied(&mut array.as_binary::<i32>().iter().flatten()),
        DataType::BinaryView => copied(&mut array.as_binary_view().iter().flatten()),
        DataType::FixedSizeBinary(_) => copied(&mut array.as_fixed_size_binary().iter().flatten()),
        _ => array.clone(),
    }
}
