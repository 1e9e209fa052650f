//! Memory of coordinates that nobody holds any more, for the next ones.
//!
//! The allocator gives large memory back to the system, whose fresh pages cost as much as filling them: five sparse
//! features of 1,024 rows by 35 entries are 3 MB of coordinates a batch.

use std::collections::TryReserveError;
use std::sync::{Mutex, TryLockError};

use arrow_buffer::{Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;

use crate::aligned::{Aligned, before, most_before};

/// Less is the allocator's own to keep.
const LEAST_BYTES: usize = 128 << 10;

/// Most that is kept.
const MOST_BYTES: usize = 32 << 20;

static SPARE: Mutex<Vec<Vec<i64>>> = Mutex::new(Vec::new());

/// No integers yet, in memory for `len` of them: spare memory, or new. Those before `start` are still to be written.
pub(crate) fn room(len: usize) -> Result<Aligned<i64>, TryReserveError> {
    match take(len) {
        Some(spare) => Ok(spare),
        None => Aligned::reserved(len),
    }
}

fn take(len: usize) -> Option<Aligned<i64>> {
    if bytes(len) < LEAST_BYTES {
        return None;
    }
    let mut items = spare(len.saturating_add(most_before::<i64>()))?;
    items.clear();
    Some(Aligned { start: before(&items), items })
}

/// Integers as a buffer that comes back when nobody holds it.
pub(crate) fn buffer(integers: Aligned<i64>) -> ScalarBuffer<i64> {
    let (len, Aligned { items, start }) = (integers.len(), integers);
    let buffer = match bytes(items.capacity()) < LEAST_BYTES {
        true => Buffer::from_vec(items),
        false => Buffer::from(Bytes::from_owner(Lent(items))),
    };
    ScalarBuffer::new(buffer, start, len)
}

fn bytes(len: usize) -> usize {
    len.saturating_mul(size_of::<i64>())
}

/// The smallest that is large enough.
fn spare(len: usize) -> Option<Vec<i64>> {
    with(|all| {
        let enough = all.iter().enumerate().filter(|(_, it)| it.capacity() >= len);
        let best = enough.min_by_key(|(_, it)| it.capacity()).map(|(i, _)| i);
        best.map(|i| all.swap_remove(i))
    })
    .flatten()
}

/// Looks at a lock that is held, before memory is got from the allocator instead: others hold it for far less.
const LOOKS: usize = 1000;

/// In the child of a fork the lock may be held for ever: nobody waits for it for long.
fn with<T>(work: impl FnOnce(&mut Vec<Vec<i64>>) -> T) -> Option<T> {
    for _ in 0..LOOKS {
        match SPARE.try_lock() {
            Ok(mut all) => return Some(work(&mut all)),
            Err(TryLockError::Poisoned(all)) => return Some(work(&mut all.into_inner())),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

struct Lent(Vec<i64>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.0.to_byte_slice()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let integers = std::mem::take(&mut self.0);
        with(|all| {
            let held: usize = all.iter().map(|it| bytes(it.capacity())).sum();
            if held + bytes(integers.capacity()) <= MOST_BYTES {
                all.push(integers);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since two at once would find the memory of each other, or a lock that is held.
    #[test]
    fn what_nobody_holds_is_taken_again() {
        let len = 3 * LEAST_BYTES;
        let integers = vec![7; len];
        let place = integers.as_ptr();
        let shared = buffer(integers.into());
        let other = shared.clone();
        assert_eq!((shared.as_ptr(), shared.len(), shared[len - 1]), (place, len, 7));
        drop(shared);
        assert!(take(len - 8).is_none());
        assert!(other.iter().all(|it| *it == 7));
        drop(other);
        let again = take(len - 8).unwrap();
        assert_eq!((again.items.as_ptr(), again.items.len()), (place, 0));
        assert_eq!(again.items.as_ptr().wrapping_add(again.start).addr() % 64, 0);
        // Small memory is not kept, nor too much.
        drop((buffer(vec![0; 10].into()), buffer(vec![0; 2 * MOST_BYTES / size_of::<i64>()].into())));
        assert!(take(10).is_none() && take(len).is_none());
    }
}
