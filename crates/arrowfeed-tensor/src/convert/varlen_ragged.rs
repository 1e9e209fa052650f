//! Ragged tensors: lists of any depth as row splits.

use arrow_array::RecordBatch;

use super::varlen_sparse::{at_least_one_list, hidden};
use crate::column::{Column, Leaves};
use crate::column_path::ColumnPath;
use crate::conversion::Conversion;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::TensorPart;
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::options::AdapterOptions;
use crate::padding::Padded;
use crate::representation;
use crate::row_splits::SplitsDType;
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, RaggedTensor, Tensor};

#[derive(Debug, Clone)]
pub(crate) struct VarLenRagged {
    column: Column,
    leaf: Leaf,
    /// Sizes of the fixed-size lists around the values, which become inner dimensions.
    inner: Vec<usize>,
    dtype: SplitsDType,
    padded: Option<Padded>,
}

impl VarLenRagged {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        varlen: &representation::VarLenRagged,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let column = Column::compile(schema, &ColumnPath::from(varlen.column.as_str()))?;
        let column = column.crossed(schema, &varlen.transforms)?;
        let leaf = Leaf::compile(&column.leaf, None, &varlen.transforms, options)
            .map_err(|error| error.in_column(&column.label))?;
        let inner = column.fixed_tail();
        let mut this = Self { column, leaf, inner, dtype: varlen.row_splits_dtype, padded: None };
        if let Some(padding) = &varlen.padding {
            let padded = Padded::compile(padding, &this.spec(), this.leaf.data_type());
            this.padded = Some(padded.map_err(|error| error.in_column(&this.column.label))?);
        }
        Ok(this)
    }
}

impl Conversion for VarLenRagged {
    fn spec(&self) -> TensorSpec {
        let ragged_rank = (self.column.depth() - self.inner.len()).max(1);
        let spec = TensorSpec::ragged(self.leaf.dtype, ragged_rank, &self.inner, self.dtype);
        self.padded.as_ref().map_or_else(|| spec.clone(), |padded| padded.spec(&spec))
    }

    fn explain(&self) -> Vec<TensorPart> {
        if let Some(padded) = &self.padded {
            return padded.explain(self.leaf.transforms());
        }
        let mut parts = vec![TensorPart::values(&self.leaf, &self.column.leaf, &hidden(&self.column))];
        parts.extend(TensorPart::row_splits(self.column.offsets(), self.dtype, self.column.has_views()));
        parts
    }

    fn columns(&self) -> Vec<usize> {
        self.column.indices()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_column = |error: ConversionError| error.in_column(&self.column.label);
        let leaves = self.column.rows(batch, self.inner.len(), Some(self.dtype))?;
        let mut leaves = at_least_one_list(leaves).map_err(in_column)?;
        let flat = flat_values(&self.leaf, &leaves, &self.inner).map_err(in_column)?;
        if self.column.depth() == 0 {
            let splits = leaves.splits.into_iter().map(|splits| splits.with_dtype(self.dtype));
            leaves.splits = splits.collect::<Result<_, _>>().map_err(in_column)?;
        }
        let ragged = RaggedTensor::try_new(flat, leaves.splits).map_err(in_column)?;
        match &self.padded {
            None => Ok(Tensor::Ragged(ragged)),
            Some(padded) => padded.convert(&ragged).map_err(in_column),
        }
    }
}

/// The values under the innermost row splits, in blocks of shape `inner`.
pub(crate) fn flat_values(
    leaf: &Leaf,
    leaves: &Leaves,
    inner: &[usize],
) -> Result<DenseTensor, ConversionError> {
    let blocks = leaves.splits.last().map_or(leaves.rows, |splits| splits.last());
    let size = inner.iter().product::<usize>().max(1);
    let row_of = |item| leaves.row_of(item / size);
    let values = leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of)?;
    DenseTensor::try_new(values, std::iter::once(blocks).chain(inner.iter().copied()).collect())
}
