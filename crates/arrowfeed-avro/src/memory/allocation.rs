//! Memory of one buffer, which returns to the process pool when it is dropped.

use std::ptr::NonNull;

use super::aligned::AlignedMemory;
use super::process_pool;

/// Memory with arbitrary content, either new or reused. Returns to the process pool when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Allocation(AlignedMemory);

impl Allocation {
    /// Allocates at least `bytes` bytes, from the process pool if possible. Unwinds with
    /// [`MemoryExhausted`](super::MemoryExhausted) if the allocation fails.
    pub(super) fn new(bytes: usize) -> Self {
        if bytes == 0 {
            return Self::default();
        }
        #[cfg(test)]
        super::exhaustion::allocate(bytes);
        Self(process_pool::take(bytes).unwrap_or_else(|| AlignedMemory::new(bytes)))
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
        process_pool::put(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests use the process pool at the same time, which only makes reuse less frequent.
    #[test]
    fn memory_that_was_dropped_is_used_again_and_never_by_two() {
        let mut held = Vec::new();
        for _ in 0..50 {
            held.extend((1..20).map(|i| Allocation::new(i * process_pool::MIN_BYTES)));
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
