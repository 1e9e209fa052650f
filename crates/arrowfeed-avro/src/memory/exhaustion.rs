//! Allocations that fail, for tests.

use std::cell::Cell;

use arrowfeed_source::MemoryExhausted;

thread_local! {
    /// Number of allocations of this thread before the one that fails.
    static BEFORE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Makes the allocation of a column fail that follows the next `before` ones. Later allocations succeed.
pub(crate) fn fail_after(before: usize) {
    BEFORE.set(Some(before));
}

/// Returns whether no allocation has failed yet, and lets all succeed.
pub(crate) fn disarm() -> bool {
    BEFORE.take().is_some()
}

pub(super) fn allocate(bytes: usize) {
    match BEFORE.get() {
        None => {}
        Some(0) => {
            BEFORE.set(None);
            MemoryExhausted::unwind(bytes);
        }
        Some(before) => BEFORE.set(Some(before - 1)),
    }
}
