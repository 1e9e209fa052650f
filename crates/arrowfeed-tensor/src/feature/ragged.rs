//! Rows of any length, as values and row splits.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::definition;
use super::source::Source;
use crate::convert::{at_least_one_list, flat_values};
use crate::error::{ConversionError, RepresentationError};
use crate::explain::{Part, Sharing};
use crate::expression::KeyExpression;
use crate::row_splits::SplitsDType;
use crate::spec::TensorSpec;
use crate::tensor::RaggedTensor;

#[derive(Debug, Clone)]
pub(super) struct Ragged {
    pub(super) source: Source,
    dtype: SplitsDType,
}

impl Ragged {
    pub(super) fn compile(
        schema: &SchemaRef,
        ragged: &definition::Ragged,
    ) -> Result<Self, RepresentationError> {
        let source = Source::compile(schema, &KeyExpression::parse(&ragged.key)?, ragged.dtype)?;
        Ok(Self { source, dtype: ragged.row_splits_dtype })
    }

    pub(super) fn spec(&self) -> TensorSpec {
        TensorSpec::ragged(self.source.leaf.dtype, self.source.rank().max(1), &[], self.dtype)
    }

    pub(super) fn explain(&self) -> Vec<Part> {
        let splits = match self.source.plan.picks() {
            true => Part::new("row_splits", Sharing::Computed).because("elements are picked"),
            false => {
                let width = format!("the lists' offsets are not {}", self.dtype.name());
                Part::new("row_splits", Sharing::Shared).unless([width])
            }
        };
        vec![self.source.values_part(&[self.source.hidden()]), splits]
    }

    pub(super) fn convert(&self, batch: &RecordBatch) -> Result<RaggedTensor, ConversionError> {
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let mut leaves = at_least_one_list(self.source.leaves(batch)?).map_err(in_key)?;
        let flat = flat_values(&self.source.leaf, &leaves, &[]).map_err(in_key)?;
        let splits = leaves.splits.drain(..).map(|splits| splits.with_dtype(self.dtype));
        let splits = splits.collect::<Result<_, _>>().map_err(in_key)?;
        RaggedTensor::try_new(flat, splits).map_err(in_key)
    }
}
