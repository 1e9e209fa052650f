//! Dense features: rows of one shape.

use arrow_array::{ArrayRef, RecordBatch};
use arrowfeed_select::concat;

use super::definition::{self, RowDefault};
use super::fill::{Fill, filled};
use super::source::KeySource;
use super::truncate::{CUT, truncated};
use crate::conversion::Conversion;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind, count};
use crate::explain::TensorPart;
use crate::expression::KeyExpression;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::representation::size;
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, Tensor};

#[derive(Debug, Clone)]
pub(super) struct Dense {
    pub(super) source: KeySource,
    shape: Vec<usize>,
    /// Required length of the lists of each dimension: the sizes of the shape, or their product (1 without dimensions) if the
    /// key has one dimension.
    sizes: Vec<usize>,
    fill: Fill,
    /// Whether lists that are too long are cut.
    truncate: bool,
}

impl Dense {
    pub(super) fn compile(
        schema: &IndexedSchema,
        dense: &definition::Dense,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let key = KeyExpression::parse(&dense.key)?;
        let source = KeySource::compile(schema, &key, &dense.transforms, dense.dtype, dense.casts, options)?;
        let shape = &dense.shape;
        let Some(all) = size(shape) else {
            let expected = "a shape of less than 2^63 values";
            return Err(source.unfit(RepresentationErrorKind::Shape, expected, format!("{shape:?}")));
        };
        let sizes = match source.rank() {
            0 if all == 1 => Vec::new(),
            rank if rank == shape.len() && rank > 0 => shape.clone(),
            // Without dimensions: lists of one value, as the features of `tf.Example` are.
            1 => vec![all],
            rank => {
                let expected = format!("a shape of {}, as the key has", count(rank, "dimension"));
                return Err(source.unfit(RepresentationErrorKind::Shape, expected, format!("{shape:?}")));
            }
        };
        let fill = fill(&source, shape, dense.default.as_ref())?;
        Ok(Self { source, shape: shape.clone(), sizes, fill, truncate: dense.truncate })
    }
}

impl Conversion for Dense {
    fn spec(&self) -> TensorSpec {
        TensorSpec::dense(self.source.leaf.dtype, &self.shape)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let filled = match self.fill {
            Fill::None => None,
            Fill::Scalar(_) | Fill::Row(_) => Some("values of a row are missing and filled"),
        };
        let unless: Vec<&str> = filled.into_iter().chain(self.truncate.then_some(CUT)).collect();
        vec![self.source.values_part(&unless)]
    }

    fn columns(&self) -> Vec<usize> {
        self.source.columns()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let mut leaves = self.source.selected(batch)?;
        if self.truncate {
            let sizes: Vec<Option<usize>> = self.sizes.iter().copied().map(Some).collect();
            leaves = truncated(leaves, &sizes).map_err(|error| error.in_key(self.source.label()))?;
        }
        let leaves = self.source.converted(leaves)?;
        let rows = leaves.rows;
        let shape = std::iter::once(rows).chain(self.shape.iter().copied()).collect();
        let values = filled(&self.source.leaf, &self.fill, leaves, &self.sizes);
        let tensor = values.and_then(|values| DenseTensor::try_new(values, shape));
        tensor.map(Tensor::Dense).map_err(|error| error.in_key(self.source.label()))
    }
}

fn fill(
    source: &KeySource,
    shape: &[usize],
    default: Option<&RowDefault>,
) -> Result<Fill, RepresentationError> {
    let kind = RepresentationErrorKind::Default;
    match default {
        None => Ok(Fill::None),
        Some(RowDefault::Scalar(value)) => source.default(value).map(Fill::Scalar),
        Some(RowDefault::Row { shape: own, .. }) if own != shape => {
            let expected = format!("a default that is a scalar or has the shape {shape:?}");
            Err(source.unfit(kind, expected, format!("one of the shape {own:?}")))
        }
        Some(RowDefault::Row { values, .. }) if size(shape) != Some(values.len()) => {
            let expected = format!("a default of as many values as the shape {shape:?} has");
            Err(source.unfit(kind, expected, values.len().to_string()))
        }
        Some(RowDefault::Row { values, .. }) => {
            let values = values.iter().map(|value| source.default(value));
            let values: Vec<ArrayRef> = values.collect::<Result<_, _>>()?;
            let values: Vec<&dyn arrow_array::Array> = values.iter().map(AsRef::as_ref).collect();
            if values.is_empty() {
                return Ok(Fill::None);
            }
            let row = concat(&values)
                .map_err(|error| source.unfit(kind, "values of one array", error.to_string()))?;
            Ok(Fill::Row(row))
        }
    }
}
