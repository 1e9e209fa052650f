//! Rows of any length, padded to the longest of the batch.

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
use crate::representation::size;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::DenseTensor;

#[derive(Debug, Clone)]
pub(super) struct FixedLenSequence {
    pub(super) source: Source,
    shape: Vec<usize>,
    layout: Layout,
    fill: Fill,
}

/// How the lists of the key become the tensor.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// One list: its elements fill items of so many values, one after the other.
    Flat(usize),
    /// The first list has the items, those inside have the shape.
    Nested,
    /// The lists have the shape: nothing is left to be as long as the longest.
    Whole,
}

impl FixedLenSequence {
    pub(super) fn compile(
        schema: &SchemaRef,
        sequence: &definition::FixedLenSequence,
    ) -> Result<Self, RepresentationError> {
        let source = Source::compile(schema, &KeyExpression::parse(&sequence.key)?, sequence.dtype)?;
        let shape = sequence.shape.clone();
        let error = |expected: &str| {
            Err(source.unfit(RepresentationErrorKind::Shape, expected.to_owned(), format!("{shape:?}")))
        };
        let Some(item) = size(&shape).filter(|item| *item > 0) else {
            return error("a shape of sizes above 0 whose values can be counted");
        };
        let layout = match source.rank() {
            0 => {
                let expected = "a key with a dimension for a sequence";
                return Err(source.unfit(RepresentationErrorKind::Shape, expected, "none"));
            }
            1 => Layout::Flat(item),
            rank if rank == shape.len() + 1 => Layout::Nested,
            rank if rank == shape.len() => Layout::Whole,
            rank => return error(&format!("a shape of {} or {rank} dimensions", rank - 1)),
        };
        let fill = match &sequence.default {
            None => Fill::None,
            Some(value) => {
                Fill::Scalar(source.leaf.one(value).map_err(|error| error.in_key(source.label(), None))?)
            }
        };
        Ok(Self { source, shape, layout, fill })
    }

    pub(super) fn spec(&self) -> TensorSpec {
        let mut spec = TensorSpec::dense(self.source.leaf.dtype, &self.shape);
        if !matches!(self.layout, Layout::Whole) {
            spec.shape.insert(1, None);
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
        let longest = leaves.splits.first().map_or(0, |splits| lengths(splits).max().unwrap_or(0));
        let mut sizes = self.shape.clone();
        let mut shape = vec![rows];
        match self.layout {
            Layout::Whole => {}
            Layout::Nested => {
                sizes.insert(0, longest);
                shape.push(longest);
            }
            Layout::Flat(item) => {
                whole_items(&leaves.splits[0], item).map_err(in_key)?;
                sizes = vec![longest];
                shape.push(longest / item);
            }
        }
        shape.extend(&self.shape);
        let values = filled(&self.source.leaf, &self.fill, leaves, &sizes).map_err(in_key)?;
        DenseTensor::try_new(values, shape).map_err(in_key)
    }
}

/// Each row has items without a rest.
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
