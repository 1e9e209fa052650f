//! Arrays whose buffers count their own bytes.
//!
//! All buffers of a record batch are slices of one allocation. Arrow counts the whole allocation for each of them, so a batch of
//! ten columns would seem to take ten times its memory, and would exceed limits. A buffer over `Bytes` counts its own length.
#![expect(unsafe_code, reason = "creates the same arrays over the same memory, without a second validation")]

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use bytes::Bytes;

/// The same array, over the same memory.
pub(crate) fn with_owned_lengths(array: &ArrayRef) -> ArrayRef {
    make_array(of_data(&array.to_data()))
}

fn of_data(data: &ArrayData) -> ArrayData {
    let nulls = data.nulls().map(|nulls| {
        NullBuffer::new(BooleanBuffer::new(of_buffer(nulls.buffer()), nulls.offset(), nulls.len()))
    });
    let builder = ArrayDataBuilder::new(data.data_type().clone())
        .len(data.len())
        .offset(data.offset())
        .nulls(nulls)
        .buffers(data.buffers().iter().map(of_buffer).collect())
        .child_data(data.child_data().iter().map(of_data).collect());
    // SAFETY: `data` is valid, and the new buffers have the addresses and lengths of its buffers.
    unsafe { builder.build_unchecked() }
}

/// The same bytes at the same address.
fn of_buffer(buffer: &Buffer) -> Buffer {
    struct Shared(Buffer);

    impl AsRef<[u8]> for Shared {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    Buffer::from(Bytes::from_owner(Shared(buffer.clone())))
}
