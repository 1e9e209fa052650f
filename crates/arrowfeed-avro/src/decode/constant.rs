//! Defaults of a reader schema: decoded once, and repeated for each row when the batch is finished.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use arrowfeed_source::Limits;

use super::body::Body;
use super::build::body;
use super::context::Context;
use crate::plan::node::Column;
use crate::plan::skip::Skips;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::padded::{Padded, SLACK};

/// Decodes the bytes of a default into an array with one slot, like any other value.
pub(crate) fn constant(column: &Column, bytes: &[u8], skips: Arc<Skips>) -> ArrayRef {
    let (mut body, _) = decoded(column, bytes, skips).expect("a default is checked when the plan is made");
    body.finish()
}

/// Returns the size of a default, as it counts towards the size of a batch.
pub(crate) fn counted_bytes(column: &Column, bytes: &[u8], skips: Arc<Skips>) -> usize {
    decoded(column, bytes, skips).map_or(usize::MAX, |(body, room)| {
        let counted = usize::try_from(i64::MAX - room).unwrap_or(usize::MAX);
        counted.saturating_add(body.deferred_bytes())
    })
}

/// Decodes a default into a body, and returns the room that it leaves of `i64::MAX` bytes.
fn decoded(column: &Column, bytes: &[u8], skips: Arc<Skips>) -> Result<(Body, i64), Stop> {
    let padded = [bytes, &[0; SLACK]].concat();
    let block = Padded::new(&padded, bytes.len()).ok_or(Stop::Invalid)?;
    let mut body = body(column, &skips);
    let mut context = Context::new(&Limits::default(), skips);
    context.set_room(i64::MAX);
    body.prepare();
    let moved = body.run(1, Cursor::new(block), &mut context);
    context.result(moved)?;
    body.check_utf8()?;
    Ok((body, context.room()))
}

/// Returns the number of Arrow buffer bytes that each repetition of the array takes. Counts at least one byte
/// for each list item: the byte limit of a batch then also limits its items to the range of the offsets.
pub(crate) fn bytes_once(array: &ArrayRef) -> usize {
    let items = |items: &ArrayRef| bytes_once(items).max(items.len());
    let offsets = array.len().saturating_mul(size_of::<i32>());
    match array.data_type() {
        // The symbols are shared.
        DataType::Dictionary(..) => offsets,
        // Text that does not fit in a view is shared.
        DataType::Utf8View | DataType::BinaryView => array.len().saturating_mul(size_of::<u128>()),
        DataType::List(_) => offsets.saturating_add(items(array.as_list::<i32>().values())),
        DataType::FixedSizeList(..) => items(array.as_fixed_size_list().values()),
        DataType::Map(..) => {
            let entries: ArrayRef = Arc::new(array.as_map().entries().clone());
            offsets.saturating_add(items(&entries))
        }
        DataType::Struct(_) => {
            array.as_struct().columns().iter().map(bytes_once).fold(0, usize::saturating_add)
        }
        DataType::Union(fields, _) => {
            let children = fields.iter().map(|(id, _)| bytes_once(array.as_union().child(id)));
            children.fold(offsets.saturating_add(array.len()), usize::saturating_add)
        }
        _ => array.to_data().get_slice_memory_size().unwrap_or(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int64Array, ListArray, NullArray, StringArray, StringViewArray};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn a_repetition_takes_the_unshared_bytes_and_one_per_item() {
        let long = "x".repeat(1000);
        let symbols: DictionaryArray<Int32Type> = [long.as_str()].into_iter().collect();
        let item = Arc::new(Field::new("item", DataType::Null, true));
        let nulls =
            ListArray::new(item, OffsetBuffer::from_lengths([50]), Arc::new(NullArray::new(50)), None);
        let taken: [(ArrayRef, usize); 5] = [
            (Arc::new(Int64Array::from(vec![1])), 8),
            (Arc::new(StringArray::from(vec![long.as_str()])), 1000 + 8),
            (Arc::new(StringViewArray::from(vec![long.as_str()])), 16),
            (Arc::new(symbols), 4),
            (Arc::new(nulls), 4 + 50),
        ];
        for (array, bytes) in taken {
            assert_eq!(bytes_once(&array), bytes, "{}", array.data_type());
        }
    }
}
