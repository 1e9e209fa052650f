//! Aligned memory, in huge pages where it is large.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// What Arrow recommends, and TensorFlow insists on.
const ALIGNMENT: usize = 64;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Memory that has to be freed by hand. Invariant: it is owned, and `start` is the start of an allocation of
/// `capacity` bytes with `layout(capacity)`, or of none where there are no bytes.
#[derive(Debug)]
pub(super) struct Piece {
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: the memory is owned, and whoever has the address has to have the right to use it.
unsafe impl Send for Piece {}
// SAFETY: a shared reference gives no access to the memory, only its address.
unsafe impl Sync for Piece {}

/// Memory of a huge page or more starts where one can start.
fn layout(capacity: usize) -> Layout {
    let alignment = if capacity < HUGE_PAGE { ALIGNMENT } else { HUGE_PAGE };
    Layout::from_size_align(capacity, alignment).expect("no buffer is as large as half of the address space")
}

impl Piece {
    /// At least `bytes` bytes, and at least one.
    pub(super) fn new(bytes: usize) -> Self {
        let capacity = bytes.max(1).saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        let layout = layout(capacity);
        // SAFETY: the layout is not empty.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        if capacity >= HUGE_PAGE {
            ask_for_huge_pages(start, capacity);
        }
        Self { start, capacity }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn free(self) {
        if self.capacity > 0 {
            // SAFETY: by the invariant it was allocated with this layout and is owned, and nobody has it after this.
            unsafe { dealloc(self.start.as_ptr(), layout(self.capacity)) };
        }
    }
}

impl Default for Piece {
    fn default() -> Self {
        Self { start: NonNull::<Aligned>::dangling().cast(), capacity: 0 }
    }
}

/// No memory is aligned like all other.
#[repr(align(64))]
struct Aligned;

/// A page that is touched for the first time costs as much whether it has 4 KiB or 2 MiB. Whole huge pages only:
/// what is left over takes small ones.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: NonNull<u8>, capacity: usize) {
    // SAFETY: these bytes are the allocation's own, and the advice changes none of them. It may be refused.
    unsafe { libc::madvise(start.as_ptr().cast(), capacity / HUGE_PAGE * HUGE_PAGE, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_start: NonNull<u8>, _capacity: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_aligned_and_can_be_written() {
        for bytes in [1, 63, 64, 65, HUGE_PAGE - 1, HUGE_PAGE, 3 * HUGE_PAGE + 5] {
            let memory = Piece::new(bytes);
            assert!(memory.capacity() >= bytes);
            assert_eq!(memory.start().as_ptr().align_offset(ALIGNMENT), 0);
            // SAFETY: all of its own bytes.
            unsafe { memory.start().write_bytes(0xa5, memory.capacity()) };
            memory.free();
        }
        assert_eq!(Piece::default().start().as_ptr().align_offset(ALIGNMENT), 0);
    }
}
