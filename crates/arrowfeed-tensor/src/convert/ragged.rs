//! Ragged tensors: lists as row splits, with the innermost lists divided by partitions.

use arrow_array::RecordBatch;

use super::partition::{Partition, in_blocks};
use super::varlen_ragged::flat_values;
use super::varlen_sparse::hidden;
use crate::column::Column;
use crate::conversion::Conversion;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::explain::{Sharing, TensorPart};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::options::AdapterOptions;
use crate::representation::{self, size};
use crate::row_splits::{RowSplits, SplitsDType};
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, RaggedTensor, Tensor};

#[derive(Debug, Clone)]
pub(crate) struct Ragged {
    column: Column,
    leaf: Leaf,
    /// Partitions that become ragged dimensions, outermost first.
    partitions: Vec<Partition>,
    /// Uniform partitions at the end, which become inner dimensions of the flat values.
    blocks: Vec<usize>,
    /// Sizes of the fixed-size lists around the values, which become inner dimensions after the blocks.
    fixed: Vec<usize>,
    dtype: SplitsDType,
}

impl Ragged {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        ragged: &representation::Ragged,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let column = Column::compile(schema, &ragged.path)?.crossed(schema, &ragged.transforms)?;
        let in_column = |error: RepresentationError| error.in_column(&column.label);
        let leaf = Leaf::compile(&column.leaf, None, &ragged.transforms, options).map_err(in_column)?;
        if column.depth() == 0 {
            let kind = RepresentationErrorKind::Type;
            let error = RepresentationError::new(kind, "lists on the path", column.leaf.to_string());
            return Err(in_column(error));
        }
        let uniform = ragged.partitions.iter().rev().map_while(|partition| match partition {
            representation::Partition::Uniform(length) => Some(*length),
            representation::Partition::RowLength(_) => None,
        });
        let mut blocks: Vec<usize> = uniform.collect();
        blocks.reverse();
        let fixed = column.fixed_tail();
        if size(&blocks).is_none() {
            let kind = RepresentationErrorKind::Partition;
            return Err(RepresentationError::new(
                kind,
                "at most 2^63 values in a block",
                format!("{blocks:?}"),
            ));
        }
        let ragged_partitions = &ragged.partitions[..ragged.partitions.len() - blocks.len()];
        let partitions = ragged_partitions.iter().map(|this| Partition::compile(schema, this, &column));
        let partitions = partitions.collect::<Result<_, _>>()?;
        Ok(Self { column, leaf, partitions, blocks, fixed, dtype: ragged.row_splits_dtype })
    }

    /// Applies the partitions. Returns the innermost lists over the new rows, and the splits of the partitions, outermost first.
    fn divide(
        &self,
        batch: &RecordBatch,
        outer: &[RowSplits],
        lists: RowSplits,
    ) -> Result<(RowSplits, Vec<RowSplits>), ConversionError> {
        let mut lists = match self.blocks.is_empty() {
            true => lists,
            false => in_blocks(outer, &lists, self.blocks.iter().product(), self.dtype)?,
        };
        let mut inner = Vec::with_capacity(self.partitions.len());
        for partition in self.partitions.iter().rev() {
            let (divided, rows) = partition.divide(batch, outer, &lists, self.dtype)?;
            lists = divided;
            inner.push(rows);
        }
        inner.reverse();
        Ok((lists, inner))
    }

    /// Adds the blocks to the flat values as dimensions.
    fn in_blocks(&self, flat: DenseTensor) -> Result<DenseTensor, ConversionError> {
        if self.blocks.is_empty() {
            return Ok(flat);
        }
        let block: usize = self.blocks.iter().product();
        let rows = flat.shape()[0] / block;
        let shape =
            std::iter::once(rows).chain(self.blocks.iter().copied()).chain(self.fixed.iter().copied());
        DenseTensor::try_new(flat.values().clone(), shape.collect())
    }
}

impl Conversion for Ragged {
    fn spec(&self) -> TensorSpec {
        let ragged_rank = self.column.depth() - self.fixed.len() + self.partitions.len();
        let inner: Vec<usize> = self.blocks.iter().chain(&self.fixed).copied().collect();
        TensorSpec::ragged(self.leaf.dtype, ragged_rank, &inner, self.dtype)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let mut parts = vec![TensorPart::values(&self.leaf, &self.column.leaf, &hidden(&self.column))];
        let (offsets, views) = (self.column.offsets(), self.column.has_views());
        if self.partitions.is_empty() && self.blocks.is_empty() {
            parts.extend(TensorPart::row_splits(offsets, self.dtype, views));
            return parts;
        }
        let mut divided = "row_splits".to_owned();
        if let Some((_, outer @ [_, ..])) = offsets.split_last() {
            let mut outer_splits = TensorPart::row_splits(outer, self.dtype, views);
            if let [all] = outer_splits.as_mut_slice() {
                all.part = format!("row_splits[..{}]", outer.len());
            }
            parts.extend(outer_splits);
            divided = format!("row_splits[{}..]", outer.len());
        }
        parts.push(
            TensorPart::new(&divided, Sharing::Computed).because("partitions divide the innermost lists"),
        );
        parts
    }

    fn columns(&self) -> Vec<usize> {
        let lengths = self.partitions.iter().filter_map(|partition| match partition {
            Partition::Uniform(_) => None,
            Partition::RowLength(column) => Some(column.index()),
        });
        self.column.indices().into_iter().chain(lengths).collect()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_column = |error: ConversionError| error.in_column(&self.column.label);
        let mut leaves = self.column.rows(batch, self.fixed.len(), Some(self.dtype))?;
        let flat = flat_values(&self.leaf, &leaves, &self.fixed).map_err(in_column)?;
        let Some(lists) = leaves.splits.pop() else {
            return RaggedTensor::try_new(flat, Vec::new()).map(Tensor::Ragged);
        };
        let mut splits = leaves.splits;
        let (lists, inner) = self.divide(batch, &splits, lists).map_err(in_column)?;
        splits.push(lists);
        splits.extend(inner);
        let flat = self.in_blocks(flat).map_err(in_column)?;
        RaggedTensor::try_new(flat, splits).map(Tensor::Ragged).map_err(in_column)
    }
}
