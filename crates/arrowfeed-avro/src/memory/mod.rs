//! Column memory.
//!
//! | file | contents |
//! |---|---|
//! | `slots` | one value for each slot of a body; the body makes the room |
//! | `growable_bytes` | growable bytes: text and values of any fixed size |
//! | `column_pool` | buffer pool of one column |
//! | `allocation` | memory of one buffer, which returns to the process pool when it is dropped |
//! | `process_pool` | pool of large memory, which later readers reuse |
//! | `exhaustion` | allocations that fail, for tests |
//! | `aligned` | aligned memory, in huge pages if it is large |

mod aligned;
mod allocation;
mod column_pool;
#[cfg(test)]
pub(crate) mod exhaustion;
mod growable_bytes;
mod process_pool;
mod slots;

pub(crate) use growable_bytes::GrowableBytes;
pub(crate) use slots::{Filled, Offsets, Slot, SlotRange, Slots};
