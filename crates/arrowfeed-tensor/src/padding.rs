//! Ragged tensors padded to dense tensors, and the masks of their values.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Int32Array, PrimitiveArray, downcast_primitive_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::aligned::Aligned;
use crate::cast::holds_exactly;
use crate::dtype::DType;
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::explain::{Sharing, TensorPart};
use crate::gather::{ArraySlices, gather, overflow, reserved};
use crate::leaf::{one, zero};
use crate::packing::Lines;
use crate::representation::DefaultValue;
use crate::row_splits::{RowSplits, SplitsDType};
use crate::spec::TensorSpec;
use crate::tensor::{DenseTensor, RaggedTensor, Tensor, tensor_error};
use crate::values::Values;

/// The length to which the rows of a batch are padded.
///
/// ```
/// use arrowfeed_tensor::PadTo;
///
/// let parsed: Result<Vec<PadTo>, _> = ["longest", "128", "multiple of 8"].map(str::parse).into_iter().collect();
/// assert_eq!(parsed, Ok(vec![PadTo::Longest, PadTo::Length(128), PadTo::MultipleOf(8)]));
/// assert!("multiple of 0".parse::<PadTo>().is_err());
/// assert_eq!(PadTo::MultipleOf(8).to_string(), "multiple of 8");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PadTo {
    /// The length of the longest row of the batch.
    #[default]
    Longest,
    /// The same length in each batch. A longer row is cut or is an error.
    Length(usize),
    /// The smallest multiple of this number, which is not 0, that is not below the length of the longest row.
    MultipleOf(usize),
}

/// The start of the text of [`PadTo::MultipleOf`].
const MULTIPLE_OF: &str = "multiple of ";

impl fmt::Display for PadTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longest => f.write_str("longest"),
            Self::Length(length) => write!(f, "{length}"),
            Self::MultipleOf(number) => write!(f, "{MULTIPLE_OF}{number}"),
        }
    }
}

impl FromStr for PadTo {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().ok().filter(|number| (1..=i64::MAX as usize).contains(number));
        match (text, text.strip_prefix(MULTIPLE_OF)) {
            ("longest", _) => Ok(Self::Longest),
            (_, Some(number_of)) => number(number_of).map(Self::MultipleOf).ok_or(()),
            (length, None) => number(length).map(Self::Length).ok_or(()),
        }
    }
}

/// Padding of the rows of a ragged tensor with one ragged dimension, which makes it dense: `[batch, length, ...]`.
///
/// [`PadTo`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Padding {
    /// The length of the rows.
    pub to: PadTo,
    /// Fills the ends of shorter rows. `None` means zero, false or the empty string.
    pub value: Option<DefaultValue>,
    /// Whether rows that are longer than [`PadTo::Length`] are cut at their ends. Otherwise they are errors.
    pub truncate: bool,
    /// Makes a tensor of bools `[batch, length]` in place of the values: true where a row has a value.
    pub mask: bool,
    /// Packs rows into sequences, by [`FirstFit`](crate::FirstFit): `[sequences, length, ...]`. Requires [`PadTo::Length`].
    pub pack: Option<Packed>,
}

/// The tensor of packed rows.
///
/// [`FirstFit`](crate::FirstFit) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Packed {
    /// The values.
    Values,
    /// The number of the row of each value in its sequence, from 1, as 32-bit integers; 0 for padding.
    SegmentIds,
    /// The number of each value in its row, from 0, as 32-bit integers; 0 for padding.
    Positions,
}

impl Packed {
    const ALL: [Self; 3] = [Self::Values, Self::SegmentIds, Self::Positions];

    /// `values`, `segment_ids` or `positions`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::SegmentIds => "segment_ids",
            Self::Positions => "positions",
        }
    }
}

impl FromStr for Packed {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|part| part.name() == text).ok_or(())
    }
}

/// A padding with its fill value, which has the type of the values.
#[derive(Debug, Clone)]
pub(crate) struct Padded {
    to: PadTo,
    fill: ArrayRef,
    truncate: bool,
    is_packed: bool,
    content: Content,
}

/// The content of a padded tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Values,
    Mask,
    SegmentIds,
    Positions,
}

impl Padding {
    /// Checks the rules that do not depend on a tensor.
    pub(crate) fn validate(&self) -> Result<(), RepresentationError> {
        let kind = RepresentationErrorKind::Shape;
        if self.truncate && !matches!(self.to, PadTo::Length(_)) {
            let expected = "a length to pad to, to truncate rows to it";
            return Err(RepresentationError::new(kind, expected, format!("{:?}", self.to.to_string())));
        }
        if self.pack.is_some() && !matches!(self.to, PadTo::Length(_)) {
            let expected = "a length to pad to, to pack rows into sequences of it";
            return Err(RepresentationError::new(kind, expected, format!("{:?}", self.to.to_string())));
        }
        if self.mask && self.value.is_some() {
            return Err(RepresentationError::new(kind, "a mask without a pad value", "both"));
        }
        if self.mask && self.pack.is_some() {
            let expected = "a mask of padded rows, or packed rows, whose segment_ids are their mask";
            return Err(RepresentationError::new(kind, expected, "both"));
        }
        Ok(())
    }

    fn content(&self) -> Content {
        match (self.mask, self.pack) {
            (true, _) => Content::Mask,
            (false, None | Some(Packed::Values)) => Content::Values,
            (false, Some(Packed::SegmentIds)) => Content::SegmentIds,
            (false, Some(Packed::Positions)) => Content::Positions,
        }
    }
}

impl Padded {
    /// Compiles the padding of a ragged tensor. `data_type` is the type of its array. An integer that a float type holds
    /// exactly is a float.
    pub(crate) fn compile(
        padding: &Padding,
        ragged: &TensorSpec,
        data_type: &DataType,
    ) -> Result<Self, RepresentationError> {
        padding.validate()?;
        if ragged.ragged_rank != 1 {
            let found = ragged.ragged_rank.to_string();
            return Err(RepresentationError::new(
                RepresentationErrorKind::Shape,
                "one ragged dimension to pad",
                found,
            ));
        }
        let fill = fill(padding.value.as_ref(), ragged.dtype.unwrap_or(DType::Bytes), data_type)?;
        let &Padding { to, truncate, pack, .. } = padding;
        Ok(Self { to, fill, truncate, is_packed: pack.is_some(), content: padding.content() })
    }

    /// The spec of the padded tensor of a ragged one.
    pub(crate) fn spec(&self, ragged: &TensorSpec) -> TensorSpec {
        let length = match self.to {
            PadTo::Length(length) => Some(length),
            PadTo::Longest | PadTo::MultipleOf(_) => None,
        };
        let dtype = match self.content {
            Content::Values => ragged.dtype.unwrap_or(DType::Bytes),
            Content::Mask => DType::Bool,
            Content::SegmentIds | Content::Positions => DType::Int32,
        };
        let mut spec = TensorSpec::dense(dtype, &[]);
        spec.shape.push(length);
        if self.content == Content::Values {
            spec.shape.extend(ragged.shape.iter().skip(1 + ragged.ragged_rank));
        }
        spec
    }

    /// Reports on the memory of the values, with the text of their transforms.
    pub(crate) fn explain(&self, transforms: Option<&str>) -> Vec<TensorPart> {
        let part = |sharing, reason: &str| match transforms.filter(|_| self.content == Content::Values) {
            None => TensorPart::new("values", sharing).because(reason),
            Some(text) => {
                TensorPart::new("values", Sharing::Computed).because(format!("{text}, and {reason}"))
            }
        };
        vec![match (self.content, self.is_packed) {
            (Content::Values, false) => part(Sharing::Copied, "rows are padded"),
            (Content::Values, true) => part(Sharing::Copied, "rows are packed"),
            (Content::Mask, _) => part(Sharing::Computed, "they mask the padding"),
            (Content::SegmentIds | Content::Positions, _) => {
                part(Sharing::Computed, "they number the values of packed rows")
            }
        }]
    }

    pub(crate) fn convert(&self, ragged: &RaggedTensor) -> Result<Tensor, ConversionError> {
        let splits = ragged.only_splits()?;
        let length = length(splits, self.to, self.truncate)?;
        let lines = match self.is_packed {
            false => Lines::padded(splits, length),
            true => Lines::packed(splits, length),
        };
        let dense = match self.content {
            Content::Values => values(ragged, &lines, &self.fill),
            Content::Mask => mask(&lines),
            Content::SegmentIds => numbered(&lines, |segment, _| segment),
            Content::Positions => numbered(&lines, |_, position| position),
        };
        dense.map(Tensor::Dense)
    }
}

impl RaggedTensor {
    /// Pads the rows, which makes the tensor dense: `[rows, length, ...]`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::Int64Array;
    /// use arrowfeed_tensor::{DenseTensor, PadTo, Padding, RaggedTensor, RowSplits, Values};
    ///
    /// let values = Values::try_new(Arc::new(Int64Array::from(vec![1, 2, 3])))?;
    /// let flat = DenseTensor::try_new(values, vec![3])?;
    /// let splits = RowSplits::from_i64(vec![0, 1, 1, 3].into())?; // [[1], [], [2, 3]]
    /// let padding = Padding { to: PadTo::Length(2), ..Padding::default() };
    /// let padded = RaggedTensor::try_new(flat, vec![splits])?.padded(&padding)?;
    /// assert_eq!(padded.shape(), [3, 2]);
    /// assert_eq!(padded.values().as_i64(), Some(&[1, 0, 0, 0, 2, 3][..]));
    /// # Ok::<(), arrowfeed_tensor::ConversionError>(())
    /// ```
    ///
    /// # Errors
    /// The tensor has several ragged dimensions, the pad value does not have its type, a row is too long, or memory does
    /// not suffice.
    pub fn padded(&self, padding: &Padding) -> Result<DenseTensor, ConversionError> {
        let (values, rank) = (self.flat_values().values(), self.row_splits().len());
        let spec = TensorSpec::ragged(values.dtype(), rank, &[], SplitsDType::default());
        let padded = Padded::compile(padding, &spec, values.array().data_type());
        let padded = padded.map_err(|error| tensor_error(error.expected(), error.found()))?;
        match padded.convert(self)? {
            Tensor::Dense(dense) => Ok(dense),
            _ => Err(tensor_error("a dense tensor", "another one")),
        }
    }
}

/// An array of the value that follows shorter rows.
fn fill(
    value: Option<&DefaultValue>,
    dtype: DType,
    data_type: &DataType,
) -> Result<ArrayRef, RepresentationError> {
    match value {
        None => Ok(zero(data_type)),
        Some(&DefaultValue::Int(integer)) if dtype.is_floating() && holds_exactly(dtype, integer.into()) => {
            one(data_type, dtype, &DefaultValue::Float(integer as f64))
        }
        Some(value) => one(data_type, dtype, value),
    }
}

/// The length of the padded rows.
fn length(splits: &RowSplits, to: PadTo, truncate: bool) -> Result<usize, ConversionError> {
    let mut longest = (0, 0);
    splits.for_each_row(|row, length| longest = longest.max((length, usize::MAX - row)));
    let (longest, row) = (longest.0, usize::MAX - longest.1);
    match to {
        PadTo::Longest => Ok(longest),
        PadTo::MultipleOf(number) => Ok(longest.checked_next_multiple_of(number).unwrap_or(usize::MAX)),
        PadTo::Length(length) if longest > length && !truncate => {
            let expected = format!("at most {}", count(length, "value"));
            let found = format!("{longest} (`truncate` cuts longer rows)");
            Err(ConversionError::new(ConversionErrorKind::Length, expected, found).in_row(row))
        }
        PadTo::Length(length) => Ok(length),
    }
}

/// The number of values of lines, with blocks of values in each place.
fn size(lines: &Lines<'_>, block: usize) -> Result<usize, ConversionError> {
    let size = lines.count.checked_mul(lines.length).and_then(|size| size.checked_mul(block));
    size.ok_or_else(|| {
        let (rows, length) = (count(lines.count, "row"), lines.length);
        let found = format!("{rows} of {length} blocks of {}", count(block, "value"));
        ConversionError::new(ConversionErrorKind::Overflow, "values that fit in one array", found)
    })
}

/// The tensor of lines of values.
fn values(ragged: &RaggedTensor, lines: &Lines<'_>, fill: &ArrayRef) -> Result<DenseTensor, ConversionError> {
    let (source, inner) = (ragged.flat_values().values().array(), &ragged.flat_values().shape()[1..]);
    let block: usize = inner.iter().product();
    let shape = [lines.count, lines.length].into_iter().chain(inner.iter().copied()).collect();
    let array: &dyn Array = source;
    let array = downcast_primitive_array!(
        array => numbers(array, lines, block, fill)?,
        _ => others(source, lines, block, fill)?
    );
    DenseTensor::try_new(Values::try_new(array)?, shape)
}

/// The tensor of bools that are true where lines have values.
fn mask(lines: &Lines<'_>) -> Result<DenseTensor, ConversionError> {
    let bits = size(lines, 1)?;
    // Fails without memory, where the builder would end the process.
    reserved::<u8>(bits.div_ceil(8)).map_err(|error| overflow(bits, &error))?;
    let mut mask = BooleanBufferBuilder::new(bits);
    lines.for_each(|piece| {
        mask.append_n(piece.values.len(), true);
        mask.append_n(piece.filled, false);
    });
    plain(Arc::new(BooleanArray::new(mask.finish(), None)), lines)
}

/// The tensor of a number for each value, made of the number of its row in the line and its position in the row.
fn numbered(lines: &Lines<'_>, number: impl Fn(i32, i32) -> i32) -> Result<DenseTensor, ConversionError> {
    let size = size(lines, 1)?;
    let mut numbers = padded_vec(size, 0)?;
    lines.for_each(|piece| {
        let positions = 0..piece.values.len() as i32;
        numbers.items.extend(positions.map(|position| number(piece.segment as i32, position)));
        numbers.items.extend(std::iter::repeat_n(0, piece.filled));
    });
    plain(Arc::new(Int32Array::new(buffer(numbers, size), None)), lines)
}

fn plain(array: ArrayRef, lines: &Lines<'_>) -> Result<DenseTensor, ConversionError> {
    DenseTensor::try_new(Values::try_new(array)?, vec![lines.count, lines.length])
}

/// Lines of numbers, in memory that frameworks use without a copy.
fn numbers<T: ArrowPrimitiveType>(
    source: &PrimitiveArray<T>,
    lines: &Lines<'_>,
    block: usize,
    fill: &ArrayRef,
) -> Result<ArrayRef, ConversionError> {
    let fill = fill.as_any().downcast_ref::<PrimitiveArray<T>>();
    let fill = fill.and_then(|fill| fill.values().first().copied()).unwrap_or_default();
    let size = size(lines, block)?;
    let mut numbers = padded_vec(size, fill)?;
    lines.for_each(|piece| {
        let values = piece.values.start * block..piece.values.end * block;
        numbers.items.extend_from_slice(&source.values()[values]);
        numbers.items.resize(numbers.items.len() + piece.filled * block, fill);
    });
    let array = PrimitiveArray::<T>::new(buffer(numbers, size), None);
    Ok(Arc::new(array.with_data_type(source.data_type().clone())))
}

/// A vector with room for `size` numbers after the padding in front of the first one.
fn padded_vec<N: Copy>(size: usize, padding: N) -> Result<Aligned<N>, ConversionError> {
    let mut numbers = Aligned::reserved(size).map_err(|error| overflow(size, &error))?;
    numbers.items.resize(numbers.start, padding);
    Ok(numbers)
}

fn buffer<N: ArrowNativeType>(numbers: Aligned<N>, size: usize) -> ScalarBuffer<N> {
    ScalarBuffer::new(Buffer::from_vec(numbers.items), numbers.start, size)
}

/// Lines of bools and byte strings.
fn others(
    source: &ArrayRef,
    lines: &Lines<'_>,
    block: usize,
    fill: &ArrayRef,
) -> Result<ArrayRef, ConversionError> {
    size(lines, block)?;
    let mut slices = ArraySlices::default();
    lines.for_each(|piece| {
        slices.copy(piece.values.start * block..piece.values.end * block);
        slices.fill(piece.filled * block);
    });
    gather(source, &slices, Some(fill))
}

#[cfg(test)]
mod tests {
    use arrow_array::{BooleanArray, Float32Array, Int64Array, StringArray};

    use super::*;

    /// Rows of 1, 0 and 2 blocks.
    fn ragged(array: ArrayRef, inner: &[usize]) -> RaggedTensor {
        let shape = [3].into_iter().chain(inner.iter().copied()).collect();
        let flat = DenseTensor::try_new(Values::try_new(array).unwrap(), shape).unwrap();
        RaggedTensor::try_new(flat, vec![RowSplits::from_i64(vec![0, 1, 1, 3].into()).unwrap()]).unwrap()
    }

    fn padded(array: ArrayRef, inner: &[usize], padding: &Padding) -> (Vec<usize>, ArrayRef) {
        let tensor = ragged(array, inner).padded(padding).unwrap();
        (tensor.shape().to_vec(), tensor.values().array().clone())
    }

    #[test]
    fn rows_of_every_type_are_padded_and_cut() {
        let to = |to, value| Padding { to, value, ..Padding::default() };
        let integers = || Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef;
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![1, 0, 0, 0, 2, 3]));
        assert_eq!(padded(integers(), &[], &to(PadTo::Longest, None)), (vec![3, 2], expected));
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![1, -1, -1, -1, -1, -1, 2, 3, -1]));
        let minus = Some(DefaultValue::Int(-1));
        assert_eq!(padded(integers(), &[], &to(PadTo::MultipleOf(3), minus.clone())), (vec![3, 3], expected));
        let cut = Padding { truncate: true, ..to(PadTo::Length(1), minus.clone()) };
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![1, -1, 2]));
        assert_eq!(padded(integers(), &[], &cut), (vec![3, 1], expected));
        let mask = Padding { mask: true, value: None, ..cut };
        let expected: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
        assert_eq!(padded(integers(), &[], &mask), (vec![3, 1], expected));

        let floats = Arc::new(Float32Array::from(vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5]));
        let expected: ArrayRef = Arc::new(Float32Array::from(vec![
            0.5, 1.5, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 2.5, 3.5, 4.5, 5.5,
        ]));
        assert_eq!(padded(floats, &[2], &to(PadTo::Longest, minus)), (vec![3, 2, 2], expected));
        let texts = Arc::new(StringArray::from(vec!["a", "bc", "d"]));
        let expected: ArrayRef = Arc::new(StringArray::from(vec!["a", "-", "-", "-", "bc", "d"]));
        let dash = Some(DefaultValue::Bytes(b"-".to_vec()));
        assert_eq!(padded(texts, &[], &to(PadTo::Longest, dash)), (vec![3, 2], expected));
        let bools = Arc::new(BooleanArray::from(vec![true, true, false]));
        let expected: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, false, false, true, false]));
        assert_eq!(padded(bools, &[], &to(PadTo::Longest, None)), (vec![3, 2], expected));
    }

    #[test]
    fn padded_numbers_are_aligned() {
        let (_, array) = padded(Arc::new(Int64Array::from(vec![1, 2, 3])), &[], &Padding::default());
        assert_eq!(array.to_data().buffers()[0].as_ptr().addr() % 64, 0);
    }

    #[test]
    fn a_row_that_is_too_long_and_a_value_of_another_type_are_errors() {
        let tensor = ragged(Arc::new(Int64Array::from(vec![1, 2, 3])), &[]);
        let error = |padding: Padding| tensor.padded(&padding).unwrap_err().to_string();
        assert_eq!(
            error(Padding { to: PadTo::Length(1), ..Padding::default() }),
            "row 2: expected at most 1 value, found 2 (`truncate` cuts longer rows)"
        );
        let value = Some(DefaultValue::Float(0.5));
        assert_eq!(
            error(Padding { value, ..Padding::default() }),
            "expected an integer of type int64 as default value, found the float 0.5"
        );
        assert_eq!(
            error(Padding { truncate: true, ..Padding::default() }),
            r#"expected a length to pad to, to truncate rows to it, found "longest""#
        );
        let error = error(Padding { to: PadTo::MultipleOf(i64::MAX as usize), ..Padding::default() });
        assert!(error.starts_with("expected values that fit in one array, found 3 rows of"), "{error}");
    }
}
