//! Assembles values from ranges of an array and a fill value, and copies them only where it must.

use std::collections::TryReserveError;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, PrimitiveArray, downcast_primitive_array, make_array};
use arrow_data::transform::{Capacities, MutableArrayData};
use arrow_schema::DataType;

use crate::error::{ConversionError, ConversionErrorKind, count};

/// The pieces of an array, in order. Adjacent pieces are merged.
#[derive(Debug, Default)]
pub(crate) struct ArraySlices {
    pieces: Vec<ArraySlice>,
    len: usize,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ArraySlice {
    /// A range of the source.
    Copy(Range<usize>),
    /// The fill value, repeated this many times.
    Fill(usize),
}

impl ArraySlices {
    /// The whole source, of length `len`, as one piece.
    pub(crate) fn whole(len: usize) -> Self {
        Self { pieces: vec![ArraySlice::Copy(0..len)], len }
    }

    pub(crate) fn copy(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.len += range.len();
        match self.pieces.last_mut() {
            Some(ArraySlice::Copy(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(ArraySlice::Copy(range)),
        }
    }

    pub(crate) fn fill(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        self.len += count;
        match self.pieces.last_mut() {
            Some(ArraySlice::Fill(last)) => *last += count,
            _ => self.pieces.push(ArraySlice::Fill(count)),
        }
    }

    /// Number of values of all pieces.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether any copied value is null.
    fn copy_nulls(&self, source: &ArrayRef) -> bool {
        source.nulls().is_some_and(|nulls| {
            self.iter().any(|piece| match piece {
                ArraySlice::Copy(range) => nulls.slice(range.start, range.len()).null_count() > 0,
                ArraySlice::Fill(_) => false,
            })
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ArraySlice> {
        self.pieces.iter()
    }
}

/// Assembles the pieces of `source` into one array: a slice of `source` if its only piece is a range, else a copy.
///
/// `fill` has one value of the same type. Nulls in copied ranges stay null.
pub(crate) fn gather(
    source: &ArrayRef,
    pieces: &ArraySlices,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    match pieces.pieces.as_slice() {
        [] => return Ok(source.slice(0, 0)),
        [ArraySlice::Copy(range)] => return Ok(source.slice(range.start, range.len())),
        _ => {}
    }
    if pieces.copy_nulls(source) {
        return gather_any(source, pieces, fill);
    }
    let array: &dyn Array = source;
    downcast_primitive_array!(
        array => gather_numbers(array, pieces, fill),
        _ => gather_any(source, pieces, fill)
    )
}

fn gather_numbers<T: ArrowPrimitiveType>(
    source: &PrimitiveArray<T>,
    pieces: &ArraySlices,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    let fill = fill.and_then(|fill| fill.as_any().downcast_ref::<PrimitiveArray<T>>());
    let fill = fill.and_then(|fill| fill.values().first().copied()).unwrap_or_default();
    let mut values: Vec<T::Native> = reserved(pieces.len).map_err(|error| overflow(pieces.len, &error))?;
    for piece in &pieces.pieces {
        match piece {
            ArraySlice::Copy(range) => values.extend_from_slice(&source.values()[range.clone()]),
            ArraySlice::Fill(count) => values.resize(values.len() + count, fill),
        }
    }
    let array = PrimitiveArray::<T>::new(values.into(), None);
    Ok(Arc::new(array.with_data_type(source.data_type().clone())))
}

fn gather_any(
    source: &ArrayRef,
    pieces: &ArraySlices,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    let bytes = bytes(source, fill, pieces);
    room(source.data_type(), pieces.len, bytes)?;
    let (source, fill) = (source.to_data(), fill.map(|fill| fill.to_data()));
    let arrays = std::iter::once(&source).chain(&fill).collect();
    let capacity = match source.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
            Capacities::Binary(pieces.len, bytes)
        }
        _ => Capacities::Array(pieces.len),
    };
    let mut out = MutableArrayData::with_capacities(arrays, false, capacity);
    let done = pieces.iter().try_for_each(|piece| match piece {
        ArraySlice::Copy(range) => out.try_extend(0, range.start, range.end),
        ArraySlice::Fill(count) if fill.is_some() => (0..*count).try_for_each(|_| out.try_extend(1, 0, 1)),
        ArraySlice::Fill(count) => out.try_extend_nulls(*count),
    });
    done.map_err(|error| overflow(pieces.len, &error))?;
    Ok(make_array(out.freeze()))
}

/// Bytes of the strings in the pieces, or `None` if the number overflows.
fn bytes(source: &ArrayRef, fill: Option<&ArrayRef>, pieces: &ArraySlices) -> Option<usize> {
    let of = |array: &ArrayRef, range: &Range<usize>| match array.data_type() {
        DataType::Utf8 => span(array.as_string::<i32>().value_offsets(), range),
        DataType::LargeUtf8 => span(array.as_string::<i64>().value_offsets(), range),
        DataType::Binary => span(array.as_binary::<i32>().value_offsets(), range),
        DataType::LargeBinary => span(array.as_binary::<i64>().value_offsets(), range),
        _ => 0,
    };
    let filled = fill.map_or(0, |fill| of(fill, &(0..1)));
    pieces.iter().try_fold(0_usize, |bytes, piece| match piece {
        ArraySlice::Copy(range) => bytes.checked_add(of(source, range)),
        ArraySlice::Fill(count) => bytes.checked_add(filled.checked_mul(*count)?),
    })
}

fn span<O: OffsetSizeTrait>(offsets: &[O], range: &Range<usize>) -> usize {
    offsets[range.end].as_usize() - offsets[range.start].as_usize()
}

/// Fails if there is no memory for this many values and the `bytes` of their strings. arrow-rs ends the process if an
/// allocation fails, so this function allocates as much memory first, and frees it.
fn room(data_type: &DataType, values: usize, bytes: Option<usize>) -> Result<(), ConversionError> {
    use DataType::*;
    // Bits of one value, including one bit for nulls.
    let bits = match data_type {
        Boolean => 2,
        Utf8 | Binary | List(_) | Map(..) => 33,
        Utf8View | BinaryView | ListView(_) | LargeListView(_) => 129,
        FixedSizeBinary(size) => size.unsigned_abs() as usize * 8 + 1,
        _ => 65,
    };
    let all = || values.checked_add(1)?.checked_mul(bits)?.div_ceil(8).checked_add(bytes?);
    let taken: Vec<u8> = reserved(all().unwrap_or(usize::MAX)).map_err(|error| overflow(values, &error))?;
    // Keeps the compiler from removing the unused allocation.
    std::hint::black_box(&taken);
    Ok(())
}

/// Allocates an empty vector with room for this many values, or fails.
pub(crate) fn reserved<T>(values: usize) -> Result<Vec<T>, TryReserveError> {
    let mut room = Vec::new();
    room.try_reserve_exact(values)?;
    Ok(room)
}

#[cold]
pub(crate) fn overflow(values: usize, error: &dyn std::error::Error) -> ConversionError {
    let found = format!("{}: {error}", count(values, "value"));
    ConversionError::new(ConversionErrorKind::Overflow, "values that fit in one array", found)
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int32Array, StringArray};

    use super::*;

    #[test]
    fn one_stretch_is_shared_and_several_are_copied() {
        let source: ArrayRef = Arc::new(Int32Array::from(vec![0, 1, 2, 3, 4, 5]));
        let fill: ArrayRef = Arc::new(Int32Array::from(vec![-1]));
        let mut pieces = ArraySlices::default();
        pieces.copy(1..3);
        pieces.copy(3..4);
        let shared = gather(&source, &pieces, Some(&fill)).unwrap().to_data();
        assert_eq!(shared.buffers()[0].as_ptr(), source.slice(1, 3).to_data().buffers()[0].as_ptr());
        pieces.fill(1);
        pieces.fill(1);
        pieces.copy(0..0);
        pieces.copy(5..6);
        let expected: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, -1, -1, 5]));
        assert_eq!((&gather(&source, &pieces, Some(&fill)).unwrap(), pieces.len()), (&expected, 6));
    }

    #[test]
    fn strings_are_gathered_and_filled() {
        let source: ArrayRef = Arc::new(StringArray::from(vec!["a", "bc", "d"]));
        let fill: ArrayRef = Arc::new(StringArray::from(vec!["-"]));
        let mut pieces = ArraySlices::default();
        pieces.fill(2);
        pieces.copy(1..3);
        let expected: ArrayRef = Arc::new(StringArray::from(vec!["-", "-", "bc", "d"]));
        assert_eq!(&gather(&source, &pieces, Some(&fill)).unwrap(), &expected);
    }
}
