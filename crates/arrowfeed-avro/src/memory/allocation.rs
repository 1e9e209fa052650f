//! Memory of a buffer, from the depot and back to it.

use std::ptr::NonNull;

use super::depot;
use super::piece::Piece;

/// Memory that nobody has written yet, or somebody else has; dropped, it may wait in the depot.
#[derive(Debug, Default)]
pub(super) struct Allocation(Piece);

impl Allocation {
    /// At least `bytes` bytes. Where there is no memory the process ends, as with any of Rust's collections.
    pub(super) fn new(bytes: usize) -> Self {
        if bytes == 0 {
            return Self::default();
        }
        Self(depot::take(bytes).unwrap_or_else(|| Piece::new(bytes)))
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.0.start()
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        depot::keep(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
