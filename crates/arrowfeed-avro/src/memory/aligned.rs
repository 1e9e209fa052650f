//! Aligned memory, in huge pages if it is large.

#![expect(unsafe_code, reason = "allocates aligned memory, and advises the system to use huge pages")]

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use arrowfeed_source::MemoryExhausted;

/// Alignment that Arrow recommends and TensorFlow requires.
const ALIGNMENT: usize = 64;

/// Size of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Owned, aligned memory. Invariant: `start` is the start of an allocation of `capacity` bytes with
/// `layout(capacity)`, or dangling if `capacity` is 0.
#[derive(Debug)]
pub(super) struct AlignedMemory {
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: the memory is owned, and a write through its address needs a justification of its own.
unsafe impl Send for AlignedMemory {}
// SAFETY: a shared reference only gives the address of the memory, and no access to it.
unsafe impl Sync for AlignedMemory {}

/// Returns the layout for `capacity` bytes. Memory of at least a huge page is aligned to huge pages. Returns
/// `None` for more than half of the address space.
fn layout(capacity: usize) -> Option<Layout> {
    let alignment = if capacity < HUGE_PAGE { ALIGNMENT } else { HUGE_PAGE };
    Layout::from_size_align(capacity, alignment).ok()
}

impl AlignedMemory {
    /// Allocates at least `bytes` bytes, and at least one. Unwinds with [`MemoryExhausted`] if the allocation fails.
    pub(super) fn new(bytes: usize) -> Self {
        let capacity = bytes.max(1).saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        // SAFETY: the layout is not empty.
        let start = layout(capacity).and_then(|layout| NonNull::new(unsafe { alloc(layout) }));
        let Some(start) = start else { MemoryExhausted::unwind(bytes) };
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
}

impl Drop for AlignedMemory {
    fn drop(&mut self) {
        if self.capacity > 0
            && let Some(layout) = layout(self.capacity)
        {
            // SAFETY: by the invariant the memory is owned and was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

impl Default for AlignedMemory {
    fn default() -> Self {
        Self { start: NonNull::<Aligned>::dangling().cast(), capacity: 0 }
    }
}

/// A type with the alignment that the address of an empty buffer has.
#[repr(align(64))]
struct Aligned;

/// Asks for huge pages, because the first access to a page costs as much for 4 KiB as for 2 MiB. Covers whole
/// huge pages only: the rest stays in small pages.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: NonNull<u8>, capacity: usize) {
    // SAFETY: these bytes belong to the allocation, and the advice, which may be refused, changes none of them.
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
            let memory = AlignedMemory::new(bytes);
            assert!(memory.capacity() >= bytes);
            assert_eq!(memory.start().as_ptr().align_offset(ALIGNMENT), 0);
            // SAFETY: the memory owns all of these bytes.
            unsafe { memory.start().write_bytes(0xa5, memory.capacity()) };
        }
        assert_eq!(AlignedMemory::default().start().as_ptr().align_offset(ALIGNMENT), 0);
    }
}
