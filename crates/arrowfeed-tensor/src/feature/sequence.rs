//! Sequence features: rows of any length, padded to the longest row of the batch.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::definition;
use super::fill::{Fill, filled};
use super::source::Source;
use crate::convert::lengths;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::Part;
use crate::expression::KeyExpression;
use crate::options::AdapterOptions;
use crate::representation::size;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::DenseTensor;

#[derive(Debug, Clone)]
pub(super) struct FixedLenSequence {
    pub(super) source: Source,
    layout: Layout,
    fill: Fill,
}

/// The mapping from the lists of the key to the tensor.
#[derive(Debug, Clone)]
enum Layout {
    /// One list, whose elements fill consecutive items of this shape.
    Items(Vec<usize>),
    /// A size for each list. `None` means the length of the longest list.
    Lists(Vec<Option<usize>>),
}

impl FixedLenSequence {
    pub(super) fn compile(
        schema: &SchemaRef,
        sequence: &definition::FixedLenSequence,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let source = Source::compile(schema, &KeyExpression::parse(&sequence.key)?, sequence.dtype, options)?;
        let layout = layout(&source, &sequence.shape)?;
        let one = |value| source.leaf.one(value).map_err(|error| error.in_key(source.label(), None));
        let fill = match &sequence.default {
            None => Fill::None,
            Some(value) => Fill::Scalar(one(value)?),
        };
        Ok(Self { source, layout, fill })
    }

    pub(super) fn spec(&self) -> TensorSpec {
        let mut spec = TensorSpec::dense(self.source.leaf.dtype, &[]);
        match &self.layout {
            Layout::Items(item) => {
                spec.shape.extend([None].into_iter().chain(item.iter().copied().map(Some)))
            }
            Layout::Lists(sizes) => spec.shape.extend(sizes),
        }
        spec
    }

    pub(super) fn explain(&self) -> Vec<Part> {
        vec![self.source.values_part(&["rows are not of one length"])]
    }

    pub(super) fn convert(&self, batch: &RecordBatch) -> Result<DenseTensor, ConversionError> {
        let leaves = self.source.leaves(batch)?;
        let rows = leaves.rows;
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let longest = |splits: &RowSplits| lengths(splits).max().unwrap_or(0);
        let mut shape = vec![rows];
        let sizes = match &self.layout {
            Layout::Items(item) => {
                let size = item.iter().product();
                let all = leaves.splits.first().map_or(Ok(0), |splits| {
                    whole_items(splits, size)?;
                    Ok(longest(splits))
                });
                let all = all.map_err(in_key)?;
                shape.push(all / size);
                shape.extend(item);
                vec![all]
            }
            Layout::Lists(sizes) => {
                let sizes = sizes.iter().zip(&leaves.splits);
                let sizes: Vec<usize> =
                    sizes.map(|(size, splits)| size.unwrap_or_else(|| longest(splits))).collect();
                shape.extend(&sizes);
                sizes
            }
        };
        let values = filled(&self.source.leaf, &self.fill, leaves, &sizes).map_err(in_key)?;
        DenseTensor::try_new(values, shape).map_err(in_key)
    }
}

fn layout(source: &Source, shape: &[Option<usize>]) -> Result<Layout, RepresentationError> {
    let kind = RepresentationErrorKind::Shape;
    let found = || {
        let sizes = shape.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string()));
        format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
    };
    let fixed: Vec<usize> = shape.iter().flatten().copied().collect();
    if size(&fixed).is_none_or(|size| size == 0) {
        let expected = "a shape of sizes above 0 with less than 2^63 values";
        return Err(source.unfit(kind, expected, found()));
    }
    match source.rank() {
        0 => Err(source.unfit(kind, "a key with a dimension for a sequence", "none")),
        1 if fixed.len() == shape.len() => Ok(Layout::Items(fixed)),
        rank if rank == shape.len() => Ok(Layout::Lists(shape.to_vec())),
        rank if rank == shape.len() + 1 => {
            Ok(Layout::Lists([None].into_iter().chain(shape.iter().copied()).collect()))
        }
        rank => {
            let expected = format!("a shape of {} or {}", rank - 1, count(rank, "dimension"));
            Err(source.unfit(kind, expected, found()))
        }
    }
}

/// Fails if a row does not consist of whole items.
fn whole_items(splits: &RowSplits, item: usize) -> Result<(), ConversionError> {
    match lengths(splits).enumerate().find(|(_, length)| length % item != 0) {
        None => Ok(()),
        Some((row, length)) => {
            let expected = format!("items of {}", count(item, "value"));
            let error = ConversionError::new(ConversionErrorKind::Length, expected, count(length, "value"));
            Err(error.in_row(row))
        }
    }
}
