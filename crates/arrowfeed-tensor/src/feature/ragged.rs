//! Ragged features: rows of any length, as values and row splits.

use arrow_array::RecordBatch;

use super::definition;
use super::source::KeySource;
use crate::conversion::Conversion;
use crate::convert::{at_least_one_list, flat_values, in_blocks};
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::explain::{Sharing, TensorPart};
use crate::expression::KeyExpression;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::padding::Padded;
use crate::representation::size;
use crate::row_splits::SplitsDType;
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, RaggedTensor, Tensor};

#[derive(Debug, Clone)]
pub(super) struct Ragged {
    pub(super) source: KeySource,
    /// Shape of the blocks of values in the innermost lists.
    inner_shape: Vec<usize>,
    dtype: SplitsDType,
    padded: Option<Padded>,
}

impl Ragged {
    pub(super) fn compile(
        schema: &IndexedSchema,
        ragged: &definition::Ragged,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let key = KeyExpression::parse(&ragged.key)?;
        let source =
            KeySource::compile(schema, &key, &ragged.transforms, ragged.dtype, ragged.casts, options)?;
        let inner_shape = ragged.inner_shape.clone();
        if size(&inner_shape).is_none_or(|size| size == 0) {
            let expected = "an inner shape of sizes above 0 with less than 2^63 values";
            let found = format!("{inner_shape:?}");
            return Err(source.unfit(RepresentationErrorKind::Shape, expected, found));
        }
        let mut this = Self { source, inner_shape, dtype: ragged.row_splits_dtype, padded: None };
        if let Some(padding) = &ragged.padding {
            let padded = Padded::compile(padding, &this.spec(), this.source.leaf.data_type());
            this.padded = Some(padded.map_err(|error| error.in_key(this.source.label(), None))?);
        }
        Ok(this)
    }

    /// Adds the inner dimensions to the flat values. `in_blocks` has already rejected lists with incomplete blocks.
    fn in_inner_shape(&self, flat: DenseTensor) -> Result<DenseTensor, ConversionError> {
        let block: usize = self.inner_shape.iter().product();
        let shape = std::iter::once(flat.shape()[0] / block).chain(self.inner_shape.iter().copied());
        DenseTensor::try_new(flat.values().clone(), shape.collect())
    }
}

impl Conversion for Ragged {
    fn spec(&self) -> TensorSpec {
        let rank = self.source.rank().max(1);
        let spec = TensorSpec::ragged(self.source.leaf.dtype, rank, &self.inner_shape, self.dtype);
        self.padded.as_ref().map_or_else(|| spec.clone(), |padded| padded.spec(&spec))
    }

    fn explain(&self) -> Vec<TensorPart> {
        if let Some(padded) = &self.padded {
            return padded.explain(self.source.leaf.transforms());
        }
        let mut parts = vec![self.source.values_part(&[self.source.hidden()])];
        let shared = |part: &str| {
            let width = format!("the lists' offsets are not {}", self.dtype.name());
            TensorPart::new(part, Sharing::Shared).unless([width])
        };
        let computed = |part: &str| TensorPart::new(part, Sharing::Computed);
        let innermost = self.source.rank().max(1) - 1;
        match (self.source.plan.picks(), self.inner_shape.is_empty()) {
            (true, _) => parts.push(computed("row_splits").because("elements are picked")),
            (false, true) => parts.push(shared("row_splits")),
            (false, false) => {
                if innermost > 0 {
                    parts.push(shared(&format!("row_splits[..{innermost}]")));
                }
                let divided = computed(&format!("row_splits[{innermost}]"));
                parts.push(divided.because("the innermost lists are divided into blocks"));
            }
        }
        parts
    }

    fn columns(&self) -> Vec<usize> {
        self.source.columns()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let mut leaves = at_least_one_list(self.source.leaves(batch)?).map_err(in_key)?;
        let flat = flat_values(&self.source.leaf, &leaves, &[]).map_err(in_key)?;
        if let Some(lists) = leaves.splits.pop_if(|_| !self.inner_shape.is_empty()) {
            let block = self.inner_shape.iter().product();
            leaves.splits.push(in_blocks(&leaves.splits, &lists, block, self.dtype).map_err(in_key)?);
        }
        let splits = leaves.splits.drain(..).map(|splits| splits.with_dtype(self.dtype));
        let splits = splits.collect::<Result<_, _>>().map_err(in_key)?;
        let flat = self.in_inner_shape(flat).map_err(in_key)?;
        let ragged = RaggedTensor::try_new(flat, splits).map_err(in_key)?;
        match &self.padded {
            None => Ok(Tensor::Ragged(ragged)),
            Some(padded) => padded.convert(&ragged).map_err(in_key),
        }
    }
}
