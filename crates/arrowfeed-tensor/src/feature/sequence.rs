//! Sequence features: rows of any length, padded to the longest row of the batch.

use arrow_array::RecordBatch;

use super::definition;
use super::fill::{Fill, filled};
use super::source::KeySource;
use super::truncate::{CUT, truncated};
use crate::conversion::Conversion;
use crate::convert::lengths;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::TensorPart;
use crate::expression::KeyExpression;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::representation::size;
use crate::row_splits::RowSplits;
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, Tensor};

#[derive(Debug, Clone)]
pub(super) struct FixedLenSequence {
    pub(super) source: KeySource,
    layout: Layout,
    fill: Fill,
    /// Whether lists that are longer than their size are cut.
    truncate: bool,
}

/// The mapping from the lists of the key to the tensor.
#[derive(Debug, Clone)]
enum Layout {
    /// One list, whose elements fill consecutive items of this shape.
    Items(Vec<usize>),
    /// A size for each list. `None` means the length of the longest list.
    Lists(Vec<Option<usize>>),
}

impl Layout {
    /// Whether the size of a list is known before any data.
    fn has_sizes(&self) -> bool {
        matches!(self, Self::Lists(sizes) if sizes.iter().any(Option::is_some))
    }
}

impl FixedLenSequence {
    pub(super) fn compile(
        schema: &IndexedSchema,
        sequence: &definition::FixedLenSequence,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let key = KeyExpression::parse(&sequence.key)?;
        let source =
            KeySource::compile(schema, &key, &sequence.transforms, sequence.dtype, sequence.casts, options)?;
        let layout = layout(&source, &sequence.shape)?;
        let fill = match &sequence.default {
            None => Fill::None,
            Some(value) => Fill::Scalar(source.default(value)?),
        };
        if sequence.truncate && !layout.has_sizes() {
            let expected = "a key of two or more dimensions and a known size, to truncate lists to it";
            let found = format!(
                "a key of {}, and the shape {}",
                count(source.rank(), "dimension"),
                shown(&sequence.shape)
            );
            return Err(source.unfit(RepresentationErrorKind::Shape, expected, found));
        }
        Ok(Self { source, layout, fill, truncate: sequence.truncate })
    }
}

impl Conversion for FixedLenSequence {
    fn spec(&self) -> TensorSpec {
        let mut spec = TensorSpec::dense(self.source.leaf.dtype, &[]);
        match &self.layout {
            Layout::Items(item) => {
                spec.shape.extend([None].into_iter().chain(item.iter().copied().map(Some)))
            }
            Layout::Lists(sizes) => spec.shape.extend(sizes),
        }
        spec
    }

    fn explain(&self) -> Vec<TensorPart> {
        let unless = ["rows are not of one length"].into_iter().chain(self.truncate.then_some(CUT));
        vec![self.source.values_part(&unless.collect::<Vec<_>>())]
    }

    fn columns(&self) -> Vec<usize> {
        self.source.columns()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let in_key = |error: ConversionError| error.in_key(self.source.label());
        let mut leaves = self.source.selected(batch)?;
        if let (true, Layout::Lists(sizes)) = (self.truncate, &self.layout) {
            leaves = truncated(leaves, sizes).map_err(in_key)?;
        }
        let leaves = self.source.converted(leaves)?;
        let rows = leaves.rows;
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
        DenseTensor::try_new(values, shape).map(Tensor::Dense).map_err(in_key)
    }
}

fn layout(source: &KeySource, shape: &[Option<usize>]) -> Result<Layout, RepresentationError> {
    let kind = RepresentationErrorKind::Shape;
    let fixed: Vec<usize> = shape.iter().flatten().copied().collect();
    if size(&fixed).is_none_or(|size| size == 0) {
        let expected = "a shape of sizes above 0 with less than 2^63 values";
        return Err(source.unfit(kind, expected, shown(shape)));
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
            Err(source.unfit(kind, expected, shown(shape)))
        }
    }
}

/// Formats a shape, with a question mark for an open size.
fn shown(shape: &[Option<usize>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
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
