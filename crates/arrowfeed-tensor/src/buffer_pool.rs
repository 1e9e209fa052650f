//! Buffer pool for the coordinates of sparse tensors.
//!
//! The allocator returns large buffers to the system, and fresh pages cost as much as filling them: five sparse features
//! of 1,024 rows by 35 entries have 3 MB of coordinates per batch.

#![expect(clippy::disallowed_types, reason = "a pool of memory; only try_lock is called")]

use std::collections::TryReserveError;
use std::sync::{Mutex, TryLockError};

use arrow_buffer::{Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;

use crate::aligned::{Aligned, max_padding, padding};

/// Size of the smallest buffer in the pool. The allocator keeps smaller ones itself.
const LEAST_BYTES: usize = 128 << 10;

/// Limit on the bytes in the pool.
const MAX_BYTES: usize = 32 << 20;

static SPARE: Mutex<Vec<Vec<i64>>> = Mutex::new(Vec::new());

/// Returns an empty vector with room for `len` integers, from the pool or newly allocated. The caller still has to write
/// the padding before `start`.
pub(crate) fn room(len: usize) -> Result<Aligned<i64>, TryReserveError> {
    match take(len) {
        Some(pooled) => Ok(pooled),
        None => Aligned::reserved(len),
    }
}

fn take(len: usize) -> Option<Aligned<i64>> {
    if bytes(len) < LEAST_BYTES {
        return None;
    }
    let mut items = smallest(len.saturating_add(max_padding::<i64>()))?;
    items.clear();
    Some(Aligned { start: padding(&items), items })
}

/// Makes a buffer of the integers. Its memory returns to the pool when the last reference is dropped.
pub(crate) fn buffer(integers: Aligned<i64>) -> ScalarBuffer<i64> {
    let (len, Aligned { items, start }) = (integers.len(), integers);
    let buffer = match bytes(items.capacity()) < LEAST_BYTES {
        true => Buffer::from_vec(items),
        false => Buffer::from(Bytes::from_owner(Pooled(items))),
    };
    ScalarBuffer::new(buffer, start, len)
}

fn bytes(len: usize) -> usize {
    len.saturating_mul(size_of::<i64>())
}

/// Takes the smallest buffer of the pool that is large enough.
fn smallest(len: usize) -> Option<Vec<i64>> {
    with(|all| {
        let enough = all.iter().enumerate().filter(|(_, it)| it.capacity() >= len);
        let best = enough.min_by_key(|(_, it)| it.capacity()).map(|(i, _)| i);
        best.map(|i| all.swap_remove(i))
    })
    .flatten()
}

/// Attempts to take the lock before falling back to the allocator. Other threads hold the lock for far less time.
const ATTEMPTS: usize = 1000;

/// Runs `work` on the pool, or returns `None` if the lock stays taken. In the child of a fork it may stay taken forever, so
/// the wait is short.
fn with<T>(work: impl FnOnce(&mut Vec<Vec<i64>>) -> T) -> Option<T> {
    for _ in 0..ATTEMPTS {
        match SPARE.try_lock() {
            Ok(mut all) => return Some(work(&mut all)),
            Err(TryLockError::Poisoned(all)) => return Some(work(&mut all.into_inner())),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

struct Pooled(Vec<i64>);

impl AsRef<[u8]> for Pooled {
    fn as_ref(&self) -> &[u8] {
        self.0.to_byte_slice()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let integers = std::mem::take(&mut self.0);
        with(|all| {
            let pooled: usize = all.iter().map(|it| bytes(it.capacity())).sum();
            if pooled + bytes(integers.capacity()) <= MAX_BYTES {
                all.push(integers);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test only: two at the same time would take each other's memory, or find the lock taken.
    #[test]
    fn a_dropped_buffer_is_used_again() {
        let len = 3 * LEAST_BYTES;
        let integers = vec![7; len];
        let address = integers.as_ptr();
        let shared = buffer(integers.into());
        let other = shared.clone();
        assert_eq!((shared.as_ptr(), shared.len(), shared[len - 1]), (address, len, 7));
        drop(shared);
        assert!(take(len - 8).is_none());
        assert!(other.iter().all(|it| *it == 7));
        drop(other);
        let again = take(len - 8).unwrap();
        assert_eq!((again.items.as_ptr(), again.items.len()), (address, 0));
        assert_eq!(again.items.as_ptr().wrapping_add(again.start).addr() % 64, 0);
        // The pool keeps neither small buffers nor more than its limit.
        drop((buffer(vec![0; 10].into()), buffer(vec![0; 2 * MAX_BYTES / size_of::<i64>()].into())));
        assert!(take(10).is_none() && take(len).is_none());
    }
}
