//! Sparse tensors: lists of any depth as coordinates and values.

use arrow_array::{Array, RecordBatch};
use arrow_buffer::NullBuffer;

use super::coordinates::positions;
use crate::aligned::Aligned;
use crate::buffer_pool;
use crate::column::{Column, Leaves};
use crate::column_path::ColumnPath;
use crate::conversion::Conversion;
use crate::error::{ConversionError, ConversionErrorKind, RepresentationError, count};
use crate::explain::{HIDDEN, Sharing, TensorPart, VIEWS};
use crate::gather::{ArraySlices, gather, overflow};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::lists;
use crate::options::AdapterOptions;
use crate::representation;
use crate::row_splits::{RowSplits, SplitsDType};
use crate::spec::TensorSpec;
use crate::tensor::{SparseTensor, Tensor};

#[derive(Debug, Clone)]
pub(crate) struct VarLenSparse {
    column: Column,
    leaf: Leaf,
}

impl VarLenSparse {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        varlen: &representation::VarLenSparse,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let column = Column::compile(schema, &ColumnPath::from(varlen.column.as_str()))?;
        let column = column.crossed(schema, &varlen.transforms)?;
        let leaf = Leaf::compile(&column.leaf, None, &varlen.transforms, options)
            .map_err(|error| error.in_column(&column.label))?;
        Ok(Self { column, leaf })
    }
}

impl Conversion for VarLenSparse {
    fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.leaf.dtype, &vec![None; self.column.depth().max(1)])
    }

    fn explain(&self) -> Vec<TensorPart> {
        let indices = TensorPart::new("indices", Sharing::Computed).because("from the lengths of the lists");
        vec![TensorPart::values(&self.leaf, &self.column.leaf, &hidden(&self.column)), indices]
    }

    fn columns(&self) -> Vec<usize> {
        self.column.indices()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_column = |error: ConversionError| error.in_column(&self.column.label);
        let leaves = at_least_one_list(self.column.rows(batch, 0, None)?).map_err(in_column)?;
        let (indices, dense_shape) = coordinates(&leaves).map_err(in_column)?;
        let row_of = |item| crate::column::row_of(&leaves.splits, item);
        let values =
            self.leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of).map_err(in_column)?;
        Ok(Tensor::Sparse(SparseTensor::of(indices, values, dense_shape)))
    }
}

/// Conditions under which values are copied that are otherwise shared.
pub(super) fn hidden(column: &Column) -> Vec<&'static str> {
    match column.depth() {
        0 => vec!["a row is null: it has no value"],
        _ => std::iter::once(HIDDEN).chain(column.has_views().then_some(VIEWS)).collect(),
    }
}

/// Makes each row of a column without lists a list of one value, or of none if the row is null.
pub(crate) fn at_least_one_list(leaves: Leaves) -> Result<Leaves, ConversionError> {
    if !leaves.splits.is_empty() {
        return Ok(leaves);
    }
    let Leaves { rows, array, nulls, .. } = leaves;
    // A dictionary may have nulls among its values.
    let nulls = NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref());
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        let splits = vec![RowSplits::from_ends(1..=rows, SplitsDType::Int64)?];
        return Ok(Leaves { rows, splits, array, nulls: None });
    };
    let mut pieces = ArraySlices::default();
    nulls.valid_slices().for_each(|(start, end)| pieces.copy(start..end));
    let mut end = 0;
    let ends = nulls.iter().map(|valid| {
        end += usize::from(valid);
        end
    });
    let splits = vec![RowSplits::from_ends(ends, SplitsDType::Int64)?];
    let array = gather(&array, &pieces, None)?;
    let nulls = lists::with_parents(None, &array);
    Ok(Leaves { rows, splits, array, nulls })
}

/// Row-major coordinates of all items, and the shape: the number of rows, then the length of the longest list of each level.
pub(crate) fn coordinates(leaves: &Leaves) -> Result<(Aligned<i64>, Vec<i64>), ConversionError> {
    let rank = leaves.splits.len() + 1;
    let items = leaves.array.len();
    let Some(size) = items.checked_mul(rank).filter(|size| *size <= isize::MAX as usize / 8) else {
        let found = format!("{} of {rank} indices", count(items, "value"));
        return Err(ConversionError::new(ConversionErrorKind::Overflow, "indices that fit in memory", found));
    };
    if let [splits] = leaves.splits.as_slice() {
        let (indices, longest) = positions(splits)?;
        return Ok((indices, vec![leaves.rows as i64, longest as i64]));
    }
    let mut shape = vec![leaves.rows as i64];
    shape.extend(leaves.splits.iter().map(longest));
    let mut indices = buffer_pool::room(size).map_err(|error| overflow(items, &error))?;
    indices.items.resize(indices.start, 0);
    let mut prefix = Vec::with_capacity(rank);
    for row in 0..leaves.rows {
        prefix.push(row as i64);
        nested(&leaves.splits, row, &mut prefix, &mut indices.items);
        prefix.pop();
    }
    Ok((indices, shape))
}

/// Appends the coordinates of the items of list `i` of the first level. `prefix` has the coordinates of the list.
fn nested(splits: &[RowSplits], i: usize, prefix: &mut Vec<i64>, indices: &mut Vec<i64>) {
    let Some((splits, below)) = splits.split_first() else { return };
    let range = splits.range(i).unwrap_or_default();
    for (position, item) in range.enumerate() {
        prefix.push(position as i64);
        match below.is_empty() {
            true => indices.extend_from_slice(prefix),
            false => nested(below, item, prefix, indices),
        }
        prefix.pop();
    }
}

pub(crate) fn longest(splits: &RowSplits) -> i64 {
    let mut longest = 0;
    splits.for_each_row(|_, length| longest = longest.max(length));
    longest as i64
}
