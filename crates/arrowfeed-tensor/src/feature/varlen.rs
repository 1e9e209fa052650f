//! Rows of any length, as coordinates and values.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::definition;
use super::source::Source;
use crate::convert::{at_least_one_list, coordinates};
use crate::error::{ConversionError, RepresentationError};
use crate::explain::{Part, Sharing};
use crate::expression::KeyExpression;
use crate::spec::TensorSpec;
use crate::tensor::SparseTensor;

#[derive(Debug, Clone)]
pub(super) struct VarLen {
    pub(super) source: Source,
}

impl VarLen {
    pub(super) fn compile(
        schema: &SchemaRef,
        varlen: &definition::VarLen,
    ) -> Result<Self, RepresentationError> {
        Source::compile(schema, &KeyExpression::parse(&varlen.key)?, varlen.dtype)
            .map(|source| Self { source })
    }

    pub(super) fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.source.leaf.dtype, &vec![None; self.source.rank().max(1)])
    }

    pub(super) fn explain(&self) -> Vec<Part> {
        let indices = Part::new("indices", Sharing::Computed).because("from the lengths of the lists");
        vec![self.source.values_part(&[self.source.hidden()]), indices]
    }

    pub(super) fn convert(&self, batch: &RecordBatch) -> Result<SparseTensor, ConversionError> {
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let leaves = at_least_one_list(self.source.leaves(batch)?).map_err(in_key)?;
        let (indices, dense_shape) = coordinates(&leaves).map_err(in_key)?;
        let row_of = |item| crate::column::row_of(&leaves.splits, item);
        let values = self.source.leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of);
        Ok(SparseTensor::of(indices, values.map_err(in_key)?, dense_shape))
    }
}
