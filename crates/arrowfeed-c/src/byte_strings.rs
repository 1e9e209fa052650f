//! Byte strings as their bytes and offsets, which DLPack can have.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};

/// The bytes of all strings, one after the other, and their offsets, one more than there are strings. The bytes are not copied if
/// the array has 64-bit offsets, and the offsets are not if they begin with 0.
pub(crate) fn joined(array: &ArrayRef) -> Result<(Buffer, ScalarBuffer<i64>), ArrowError> {
    let array = arrow_cast::cast(array, &DataType::LargeBinary)?;
    let strings = array.as_binary::<i64>();
    let offsets = strings.offsets();
    let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    // Offsets of a valid array are not negative.
    let bytes = strings.values().slice_with_length(first as usize, (last - first) as usize);
    let offsets = match first {
        0 => offsets.inner().clone(),
        _ => offsets.iter().map(|offset| offset - first).collect(),
    };
    Ok((bytes, offsets))
}
