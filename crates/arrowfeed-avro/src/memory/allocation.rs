//! Aligned memory, in huge pages where it is large.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use super::depot;

/// What Arrow recommends, and TensorFlow insists on.
const ALIGNMENT: usize = 64;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Memory that nobody has written yet, or somebody else has; dropped, it may wait in the depot.
#[derive(Debug, Default)]
pub(super) struct Allocation(Piece);

impl Allocation {
    /// At least `bytes` bytes. Where there is no memory the process ends, as with any of Rust's collections.
    pub(super) fn new(bytes: usize) -> Self {
        if bytes == 0 {
            return Self::default();
        }
        let capacity = bytes.saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        let waiting = if capacity < depot::LEAST { None } else { depot::take(capacity) };
        Self(waiting.unwrap_or_else(|| Piece::new(capacity)))
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.0.start
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.capacity
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let piece = std::mem::take(&mut self.0);
        if piece.capacity < depot::LEAST { piece.free() } else { depot::keep(piece) }
    }
}

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
    /// `capacity`: 1 or more.
    fn new(capacity: usize) -> Self {
        let layout = layout(capacity);
        // SAFETY: the layout is not empty.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        if capacity >= HUGE_PAGE {
            ask_for_huge_pages(start, capacity);
        }
        Self { start, capacity }
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
            let memory = Allocation::new(bytes);
            assert!(memory.capacity() >= bytes);
            assert_eq!(memory.start().as_ptr().align_offset(ALIGNMENT), 0);
            // SAFETY: all of its own bytes.
            unsafe { memory.start().write_bytes(0xa5, memory.capacity()) };
        }
        assert_eq!(Allocation::new(0).start().as_ptr().align_offset(ALIGNMENT), 0);
    }

    /// Other tests use the depot at the same time, which only makes pieces rarer.
    #[test]
    fn memory_that_was_dropped_is_used_again_and_never_by_two() {
        let mut held = Vec::new();
        for _ in 0..50 {
            held.extend((1..20).map(|i| Allocation::new(i * depot::LEAST)));
            held.sort_by_key(|memory| memory.start());
            let ends = |memory: &Allocation| memory.start().as_ptr() as usize + memory.capacity();
            let apart = |pair: &[Allocation]| ends(&pair[0]) <= pair[1].start().as_ptr() as usize;
            assert!(held.windows(2).all(apart));
            let mut keep = false;
            held.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }
}
