//! Variable-length features: rows of any length, as coordinates and values.

use arrow_array::RecordBatch;

use super::definition;
use super::source::KeySource;
use super::truncate::{CUT, truncated};
use crate::column::row_of;
use crate::conversion::Conversion;
use crate::convert::{at_least_one_list, coordinates, lengths};
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{Sharing, TensorPart};
use crate::expression::KeyExpression;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::{SparseTensor, Tensor};

#[derive(Debug, Clone)]
pub(super) struct VarLen {
    pub(super) source: KeySource,
    /// A size for each dimension after the batch. `None` means the length of the longest list.
    shape: Vec<Option<usize>>,
    /// Whether lists that are longer than their size are cut.
    truncate: bool,
}

impl VarLen {
    pub(super) fn compile(
        schema: &IndexedSchema,
        varlen: &definition::VarLen,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let key = KeyExpression::parse(&varlen.key)?;
        let source =
            KeySource::compile(schema, &key, &varlen.transforms, varlen.dtype, varlen.casts, options)?;
        let rank = source.rank().max(1);
        let shape = varlen.shape.clone().unwrap_or_else(|| vec![None; rank]);
        if shape.len() != rank {
            let expected = format!("a shape of {}, as the key has", count(rank, "dimension"));
            return Err(source.unfit(RepresentationErrorKind::Shape, expected, shape.len().to_string()));
        }
        if varlen.truncate && shape.iter().all(Option::is_none) {
            let expected = "a shape with a known size, to truncate lists to it";
            return Err(source.unfit(RepresentationErrorKind::Shape, expected, "none"));
        }
        Ok(Self { source, shape, truncate: varlen.truncate })
    }

    /// Fails if a list does not have the known size of its dimension.
    fn check(&self, levels: &[RowSplits]) -> Result<(), ConversionError> {
        for (level, (size, splits)) in self.shape.iter().zip(levels).enumerate() {
            let Some(size) = *size else { continue };
            if let Some((list, found)) = lengths(splits).enumerate().find(|(_, length)| *length != size) {
                let expected = count(size, "value");
                let error = ConversionError::new(ConversionErrorKind::Length, expected, found.to_string());
                return Err(error.in_row(row_of(&levels[..level], list)));
            }
        }
        Ok(())
    }
}

impl Conversion for VarLen {
    fn spec(&self) -> TensorSpec {
        TensorSpec::sparse(self.source.leaf.dtype, &self.shape)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let indices = TensorPart::new("indices", Sharing::Computed).because("from the lengths of the lists");
        let unless: Vec<&str> =
            [self.source.hidden()].into_iter().chain(self.truncate.then_some(CUT)).collect();
        vec![self.source.values_part(&unless), indices]
    }

    fn columns(&self) -> Vec<usize> {
        self.source.columns()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let mut leaves = at_least_one_list(self.source.selected(batch)?).map_err(in_key)?;
        if self.truncate {
            leaves = truncated(leaves, &self.shape).map_err(in_key)?;
        }
        let leaves = self.source.converted(leaves)?;
        self.check(&leaves.splits).map_err(in_key)?;
        let (indices, mut dense_shape) = coordinates(&leaves).map_err(in_key)?;
        for (longest, size) in dense_shape[1..].iter_mut().zip(&self.shape) {
            *longest = size.map_or(*longest, |size| i64::try_from(size).unwrap_or(i64::MAX));
        }
        let row_of = |item| row_of(&leaves.splits, item);
        let values = self.source.leaf.values(leaves.array.clone(), leaves.nulls.clone(), row_of);
        Ok(Tensor::Sparse(SparseTensor::of(indices, values.map_err(in_key)?, dense_shape)))
    }
}
