//! Buffer pool of one column. A buffer returns to it when its array is dropped.
//!
//! A fresh page costs several times as much as the copy into it, so columns do not allocate for each batch: a
//! buffer whose last array was dropped is reused for a later batch.

use std::sync::{Arc, Weak};

use arrowfeed_source::ForkLock;

use super::allocation::Allocation;

/// Maximum number of buffers in the pool: while the decoder fills one, one may wait and the consumer may hold one.
const MAX_BUFFERS: usize = 2;

/// Maximum size of a buffer that the pool keeps.
const MAX_BUFFER_BYTES: usize = 64 << 20;

/// Free buffers of one column.
#[derive(Debug, Default)]
pub(super) struct ColumnPool(ForkLock<Vec<Allocation>>);

impl ColumnPool {
    /// Returns a buffer of the pool, or a new one of `bytes`.
    pub(super) fn take(&self, bytes: usize) -> Allocation {
        let free = self.0.try_with(Vec::pop).flatten();
        free.unwrap_or_else(|| Allocation::new(bytes))
    }

    /// Keeps the buffer, or frees it if the pool is full or its lock is taken.
    fn put(&self, memory: Allocation) {
        if memory.capacity() > MAX_BUFFER_BYTES {
            return;
        }
        let surplus = self.0.try_with(|free| match free.len() < MAX_BUFFERS {
            true => {
                free.push(memory);
                None
            }
            false => Some(memory),
        });
        // Dropped here, outside the lock.
        drop(surplus);
    }
}

/// Memory of an Arrow buffer. Returns to the pool of its column when any thread drops the last array.
pub(super) struct PooledMemory {
    memory: Allocation,
    pool: Weak<ColumnPool>,
}

impl PooledMemory {
    pub(super) fn new(memory: Allocation, pool: &Arc<ColumnPool>) -> Self {
        Self { memory, pool: Arc::downgrade(pool) }
    }
}

impl Drop for PooledMemory {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.put(std::mem::take(&mut self.memory));
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests do not fork")]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// A forked child drops batches even if a thread of the parent held the lock of the pool.
    #[test]
    fn memory_is_freed_and_allocated_while_the_lock_is_held_forever() {
        let pool: Arc<ColumnPool> = Arc::default();
        let memory = PooledMemory::new(Allocation::new(1000), &pool);
        // Leaked, because the thread that holds the lock may live as long as the process.
        let leaked: &'static Arc<ColumnPool> = Box::leak(Box::new(pool.clone()));
        let (hold, held) = channel();
        std::thread::spawn(move || {
            leaked.0.with(|_| {
                hold.send(()).unwrap();
                loop {
                    std::thread::park();
                }
            })
        });
        held.recv().unwrap();
        let (send, done) = channel();
        std::thread::spawn(move || {
            drop(memory);
            send.send(pool.take(10).capacity()).unwrap();
        });
        assert_eq!(done.recv_timeout(Duration::from_secs(60)), Ok(64));
    }

    #[test]
    fn the_pool_keeps_two_buffers() {
        let pool: Arc<ColumnPool> = Arc::default();
        drop([100, 200, 300].map(|bytes| PooledMemory::new(Allocation::new(bytes), &pool)));
        let capacities = [1, 1, 1].map(|bytes| pool.take(bytes).capacity());
        assert_eq!(capacities, [256, 128, 64]);
    }
}
