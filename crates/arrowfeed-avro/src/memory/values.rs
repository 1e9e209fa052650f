//! Growable values of one type, which become Arrow buffers.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, Buffer};

use super::allocation::Allocation;
use super::column_pool::{ColumnPool, PooledMemory};

/// A growable, 64-byte aligned buffer of values of type `T`. Invariant: `start` is the start of `memory`, which
/// has room for `capacity` values, and the first `len` of them are initialised.
#[derive(Debug)]
pub(crate) struct Values<T> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
    memory: Allocation,
    pool: Arc<ColumnPool>,
    /// Number of values in the last batch, as an estimate for the next one.
    last_len: usize,
}

// SAFETY: `start` points into `memory`, which is owned and can be sent and shared.
unsafe impl<T: Send> Send for Values<T> {}
// SAFETY: as for `Send`; a shared reference only reads the values.
unsafe impl<T: Sync> Sync for Values<T> {}

impl<T: ArrowNativeType> Values<T> {
    pub(crate) fn new() -> Self {
        let (memory, pool) = (Allocation::default(), Arc::default());
        Self { start: NonNull::dangling(), len: 0, capacity: 0, memory, pool, last_len: 0 }
    }

    fn set_memory(&mut self, memory: Allocation) {
        (self.start, self.capacity) = (memory.start().cast(), memory.capacity() / size_of::<T>());
        self.memory = memory;
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        if self.len == self.capacity {
            self.grow(1);
        }
        // SAFETY: `len < capacity`, so there is room for one value.
        unsafe { self.start.add(self.len).write(value) };
        self.len += 1;
    }

    /// Makes room for `n` more values. Unwinds with [`MemoryExhausted`](super::MemoryExhausted) if the
    /// allocation fails.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, n: usize) {
        if n > self.capacity - self.len {
            self.grow(n);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, n: usize) {
        let values = self.len.saturating_add(n).max(self.capacity.saturating_mul(2));
        let larger = Allocation::new(values.saturating_mul(size_of::<T>()));
        // SAFETY: the first `len` values are initialised, and the new memory is larger and used by nothing else.
        unsafe { larger.start().cast().copy_from_nonoverlapping(self.start, self.len) };
        self.set_memory(larger);
    }

    /// Appends `n` zeros.
    pub(crate) fn push_zeros(&mut self, n: usize) {
        self.push_n(T::default(), n);
    }

    /// Appends `n` copies of `value`.
    pub(crate) fn push_n(&mut self, value: T, n: usize) {
        self.reserve(n);
        (0..n).for_each(|_| self.push(value));
    }

    /// Appends values from their wire format: little-endian, one after another.
    #[inline(always)]
    pub(crate) fn extend_from_wire(&mut self, bytes: &[u8]) {
        let n = bytes.len() / size_of::<T>();
        debug_assert_eq!(bytes.len(), n * size_of::<T>());
        self.reserve(n);
        // SAFETY: room for `n` values is reserved, `bytes` has at least as many, and any bytes are a valid
        // value of a native type. `self` owns its memory, which therefore does not overlap with a block.
        unsafe {
            let end = self.start.add(self.len).cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), end.as_ptr(), n * size_of::<T>());
        }
        self.len += n;
    }

    /// Appends `n` values that `fill` writes, or none if `fill` fails.
    ///
    /// # Safety
    /// If `fill` returns `Ok`, it must have written every slot.
    #[inline(always)]
    pub(crate) unsafe fn extend_with<E>(
        &mut self,
        n: usize,
        fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.reserve(n);
        // SAFETY: `n` slots after the values are reserved, and nothing else refers to them.
        let slots = unsafe {
            let end = self.start.add(self.len).cast::<MaybeUninit<T>>();
            std::slice::from_raw_parts_mut(end.as_ptr(), n)
        };
        fill(slots)?;
        self.len += n;
        Ok(())
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: the first `len` values are initialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Takes a buffer from the pool if there is none. Called when a batch begins, not when the previous batch
    /// ends: at that time the buffers of that batch are still in use, and two sets of buffers would alternate
    /// where one can stay in the cache.
    pub(crate) fn prepare(&mut self) {
        if self.capacity == 0 {
            // An eighth more, for longer batches, because growing copies the values.
            let likely = self.last_len + self.last_len / 8;
            let memory = self.pool.take(likely * size_of::<T>());
            self.set_memory(memory);
        }
    }

    /// Moves the values into an Arrow buffer, and leaves `self` empty and without memory.
    pub(crate) fn take(&mut self) -> Buffer {
        let memory = std::mem::take(&mut self.memory);
        let (start, bytes) = (self.start.cast(), self.len * size_of::<T>());
        self.last_len = self.len;
        (self.start, self.len, self.capacity) = (NonNull::dangling(), 0, 0);
        let owner = Arc::new(PooledMemory::new(memory, &self.pool));
        // SAFETY: `start` points to `bytes` initialised bytes of the owner's memory (or there are none). They
        // neither move nor change while the owner lives: only the new Buffer has the owner, and nothing writes
        // to its memory before it is dropped.
        unsafe { Buffer::from_custom_allocation(start, bytes, owner) }
    }
}

impl Values<u8> {
    /// Appends the first `n <= 32` bytes of the result of `load`, with moves of a fixed size: a `memcpy` of
    /// unknown length costs several times as much for short strings, which are the most frequent. Calls `load`
    /// after the buffer has grown, so that the bytes need not be kept across a call.
    #[inline(always)]
    pub(crate) fn extend_short(&mut self, load: impl FnOnce() -> [u8; 32], n: usize) {
        debug_assert!(n <= 32);
        self.reserve(32);
        // Read once, because the bytes that are written could be those of the length, for all the compiler knows.
        let len = self.len;
        // SAFETY: 32 bytes after the values are reserved, and the first `n <= 32` of them become values.
        unsafe { self.start.add(len).cast::<[u8; 32]>().write_unaligned(load()) };
        self.len = len + n.min(32);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use arrowfeed_source::caught;

    use super::*;

    #[test]
    fn memory_is_used_again_after_the_last_array_is_dropped() {
        let mut values = Values::<i64>::new();
        values.push_n(7, 1000);
        let first = values.take();
        let (address, clone) = (first.as_ptr(), first.clone());
        drop(first);
        values.prepare();
        values.push(1);
        let second = values.take();
        assert_ne!(second.as_ptr(), address, "still held by the clone");
        drop(clone);
        values.prepare();
        values.push(2);
        let third = values.take();
        assert_eq!(third.as_ptr(), address);
        assert_eq!(third.typed_data::<i64>(), [2]);
    }

    #[test]
    fn arrays_outlive_the_column() {
        let mut values = Values::<i32>::new();
        values.push_n(5, 3);
        let buffer = values.take();
        drop(values);
        assert_eq!(buffer.typed_data::<i32>(), [5, 5, 5]);
        assert_eq!(buffer.as_ptr().align_offset(64), 0);
    }

    #[test]
    fn short_strings_append_only_their_own_bytes() {
        let mut values = Values::<u8>::new();
        for n in 0..=32 {
            values.extend_short(|| [n as u8; 32], n);
        }
        let expected: Vec<u8> = (0..=32_u8).flat_map(|n| vec![n; n.into()]).collect();
        assert_eq!(values.as_slice(), expected);
    }

    #[test]
    fn a_column_that_cannot_grow_is_an_error_and_keeps_its_values() {
        let mut values = Values::<i64>::new();
        values.push_n(7, 3);
        for n in [1 << 57, usize::MAX / 8, usize::MAX] {
            let error = caught(|| {
                values.reserve(n);
                Ok(())
            });
            let error = error.unwrap_err();
            assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::OutOfMemory));
            assert!(!error.is_of_the_file());
            assert_eq!(values.as_slice(), [7, 7, 7]);
        }
    }
}
