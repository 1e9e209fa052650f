//! Column memory that comes back: a buffer whose array was dropped is used for a later batch.
//!
//! A fresh page costs several times the copy into it, so columns are not allocated anew for each batch: every
//! column has a [`Home`] to which its buffers return once nobody holds the array any more.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::allocation::Allocation;

/// Spare buffers that a column keeps: while one is filled, one may wait and one be with the consumer.
const SPARE: usize = 2;

/// A larger buffer than this is given back to the allocator.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Where the buffers of one column wait to be used again.
#[derive(Debug, Default)]
pub(super) struct Home(Mutex<Vec<Allocation>>);

impl Home {
    /// A buffer that came home, or a new one of `bytes`.
    pub(super) fn take(&self, bytes: usize) -> Allocation {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| Allocation::new(bytes))
    }

    fn give_back(&self, memory: Allocation) {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE && memory.capacity() <= MAX_KEPT_BYTES {
            spare.push(memory);
        }
    }
}

/// A buffer on loan to an array; goes home when the last array lets go, from whichever thread.
pub(super) struct Loan {
    memory: Allocation,
    home: Weak<Home>,
}

impl Loan {
    pub(super) fn new(memory: Allocation, home: &Arc<Home>) -> Self {
        Self { memory, home: Arc::downgrade(home) }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(home) = self.home.upgrade() {
            home.give_back(std::mem::take(&mut self.memory));
        }
    }
}
