//! Process-wide pool of large memory, which later readers reuse.
//!
//! Without it, a process that reads file after file, or epoch after epoch, would allocate and free the same
//! memory each time and pay for fresh pages. With several threads, whose page faults wait for each other, that
//! costs more than the decoding (`linkedin` on two threads: 92 ms per run without the pool, 75 ms with it).

use std::collections::VecDeque;

use arrowfeed_source::ForkLock;

use super::aligned::AlignedMemory;

/// Minimum size of pooled memory. The allocator reuses smaller memory itself.
pub(super) const MIN_BYTES: usize = 64 << 10;

/// Maximum total size of the memory in the pool.
const MAX_BYTES: usize = 64 << 20;

/// Maximum ratio of the returned capacity to the requested capacity. A shuffle holds the memory of a window of batches, so the
/// ratio also bounds its excess memory. With 4, the memory of epochs of rows of 1 MiB grew by 24 to 49 MiB.
const MAX_RATIO: usize = 2;

/// The memory in the pool, the oldest first, and its total size.
struct Pool {
    memory: VecDeque<AlignedMemory>,
    bytes: usize,
}

static POOL: ForkLock<Pool> = ForkLock::new(Pool { memory: VecDeque::new(), bytes: 0 });

/// Takes memory of at least `capacity` bytes. Returns the largest that is within [`MAX_RATIO`], so that a
/// growing buffer needs fewer allocations.
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

/// Adds memory to the pool, and frees the oldest memory if the pool is too large. Frees `memory` if it is too
/// small or too large, or if the lock of the pool is taken.
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
