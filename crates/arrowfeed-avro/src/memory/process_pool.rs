//! The pool of large memory that readers leave for later readers.
//!
//! A process that reads file after file, or epoch after epoch, would otherwise allocate and free the same memory each
//! time, and pay for fresh pages: with several threads, whose page faults wait for each other, more than for the
//! decoding (`linkedin` on two threads: 92 ms a run, 75 with the pool).

use std::collections::VecDeque;

use arrowfeed_source::ForkLock;

use super::aligned::AlignedMemory;

/// Smaller memory is left to the allocator, which keeps it itself.
pub(super) const MIN_BYTES: usize = 64 << 10;

/// Most bytes that the pool keeps.
const MAX_BYTES: usize = 64 << 20;

/// Memory may be this many times larger than what is asked for.
const MAX_RATIO: usize = 4;

/// The memory in the pool, the oldest first, and the sum of its bytes.
struct Pool {
    memory: VecDeque<AlignedMemory>,
    bytes: usize,
}

static POOL: ForkLock<Pool> = ForkLock::new(Pool { memory: VecDeque::new(), bytes: 0 });

/// Memory of at least `capacity` bytes: the largest that fits, so that a buffer that grows needs fewer allocations.
pub(super) fn take(capacity: usize) -> Option<AlignedMemory> {
    if capacity < MIN_BYTES {
        return None;
    }
    let fits = capacity..=capacity.saturating_mul(MAX_RATIO);
    POOL.try_with(|pool| {
        let fitting = pool.memory.iter().enumerate().filter(|(_, memory)| fits.contains(&memory.capacity()));
        let (largest, _) = fitting.max_by_key(|(_, memory)| memory.capacity())?;
        let memory = pool.memory.remove(largest)?;
        pool.bytes -= memory.capacity();
        Some(memory)
    })
    .flatten()
}

/// Keeps memory that is worth it, and frees the oldest if the pool is too large. Frees the memory if the lock of the
/// pool is not free.
pub(super) fn put(memory: AlignedMemory) {
    if !(MIN_BYTES..=MAX_BYTES).contains(&memory.capacity()) {
        return;
    }
    POOL.try_with(|pool| {
        pool.bytes += memory.capacity();
        pool.memory.push_back(memory);
        while pool.bytes > MAX_BYTES
            && let Some(oldest) = pool.memory.pop_front()
        {
            pool.bytes -= oldest.capacity();
        }
    });
}
