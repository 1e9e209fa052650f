//! Values put together from stretches of an array and of a fill value: the one place where values are copied.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, downcast_primitive_array, make_array};
use arrow_data::transform::MutableArrayData;

use crate::error::{ConversionError, ConversionErrorKind, count};

/// What an array is made of, in order. Neighbours that touch are one piece.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
    len: usize,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Piece {
    /// These values of the source.
    Copy(Range<usize>),
    /// The fill value, so many times.
    Fill(usize),
}

impl Pieces {
    /// The source as it is.
    pub(crate) fn whole(len: usize) -> Self {
        Self { pieces: vec![Piece::Copy(0..len)], len }
    }

    pub(crate) fn copy(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.len += range.len();
        match self.pieces.last_mut() {
            Some(Piece::Copy(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Copy(range)),
        }
    }

    pub(crate) fn fill(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        self.len += count;
        match self.pieces.last_mut() {
            Some(Piece::Fill(last)) => *last += count,
            _ => self.pieces.push(Piece::Fill(count)),
        }
    }

    /// Number of values that all pieces make.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether one of the copied values is null.
    fn copy_nulls(&self, source: &ArrayRef) -> bool {
        source.nulls().is_some_and(|nulls| {
            self.iter().any(|piece| match piece {
                Piece::Copy(range) => nulls.slice(range.start, range.len()).null_count() > 0,
                Piece::Fill(_) => false,
            })
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }
}

/// The pieces of `source` as one array: a slice of it where one piece is all there is, a copy otherwise.
///
/// `fill` has one value, of the same type. Nulls of copied stretches stay nulls.
pub(crate) fn gather(
    source: &ArrayRef,
    pieces: &Pieces,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    match pieces.pieces.as_slice() {
        [] => return Ok(source.slice(0, 0)),
        [Piece::Copy(range)] => return Ok(source.slice(range.start, range.len())),
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
    pieces: &Pieces,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    let fill = fill.and_then(|fill| fill.as_any().downcast_ref::<PrimitiveArray<T>>());
    let fill = fill.and_then(|fill| fill.values().first().copied()).unwrap_or_default();
    let mut values: Vec<T::Native> = Vec::new();
    values.try_reserve_exact(pieces.len).map_err(|error| overflow(pieces.len, &error))?;
    for piece in &pieces.pieces {
        match piece {
            Piece::Copy(range) => values.extend_from_slice(&source.values()[range.clone()]),
            Piece::Fill(count) => values.resize(values.len() + count, fill),
        }
    }
    let array = PrimitiveArray::<T>::new(values.into(), None);
    Ok(Arc::new(array.with_data_type(source.data_type().clone())))
}

fn gather_any(
    source: &ArrayRef,
    pieces: &Pieces,
    fill: Option<&ArrayRef>,
) -> Result<ArrayRef, ConversionError> {
    let source = source.to_data();
    let fill = fill.map(|fill| fill.to_data());
    let arrays = std::iter::once(&source).chain(&fill).collect();
    // MutableArrayData aborts where there is no memory; this is an error instead.
    let reserved = Vec::<i64>::new().try_reserve_exact(pieces.len);
    reserved.map_err(|error| overflow(pieces.len, &error))?;
    let mut out = MutableArrayData::new(arrays, false, pieces.len);
    let done = pieces.iter().try_for_each(|piece| match piece {
        Piece::Copy(range) => out.try_extend(0, range.start, range.end),
        Piece::Fill(count) if fill.is_some() => (0..*count).try_for_each(|_| out.try_extend(1, 0, 1)),
        Piece::Fill(count) => out.try_extend_nulls(*count),
    });
    done.map_err(|error| overflow(pieces.len, &error))?;
    Ok(make_array(out.freeze()))
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
        let mut pieces = Pieces::default();
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
        let mut pieces = Pieces::default();
        pieces.fill(2);
        pieces.copy(1..3);
        let expected: ArrayRef = Arc::new(StringArray::from(vec!["-", "-", "bc", "d"]));
        assert_eq!(&gather(&source, &pieces, Some(&fill)).unwrap(), &expected);
    }
}
