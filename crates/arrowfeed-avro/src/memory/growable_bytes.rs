//! Growable bytes: text, and values that do not have a native type.

#![expect(
    unsafe_code,
    reason = "appends bytes to memory that was reserved, and creates Arrow buffers from it"
)]

use arrow_buffer::Buffer;

use super::slots::Slots;

/// A growable, 64-byte aligned buffer. Invariant: `bytes` has room for `capacity` bytes, and the first `len` of them are
/// initialised.
#[derive(Debug)]
pub(crate) struct GrowableBytes {
    bytes: Slots<u8>,
    len: usize,
    capacity: usize,
    /// Number of bytes in the last batch, as an estimate for the next one.
    last_len: usize,
}

impl GrowableBytes {
    pub(crate) fn new() -> Self {
        Self { bytes: Slots::new(), len: 0, capacity: 0, last_len: 0 }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Makes room for `n` more bytes. Unwinds with [`MemoryExhausted`](arrowfeed_source::MemoryExhausted) if the
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
        let capacity = self.len.saturating_add(n).max(self.capacity.saturating_mul(2));
        self.capacity = self.bytes.make_room(self.len, capacity);
    }

    /// Appends `n` zeros.
    pub(crate) fn extend_zeros(&mut self, n: usize) {
        self.reserve(n);
        // SAFETY: room for `n` bytes is reserved.
        unsafe { self.bytes.start().add(self.len).write_bytes(0, n) };
        self.len += n;
    }

    /// Appends `bytes`.
    #[inline(always)]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        // SAFETY: room for the bytes is reserved. `self` owns its memory, which therefore does not overlap with `bytes`.
        unsafe {
            let end = self.bytes.start().add(self.len);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), end.as_ptr(), bytes.len());
        }
        self.len += bytes.len();
    }

    /// Appends the first `n <= 32` bytes of the result of `load`, with moves of a fixed size: a `memcpy` of
    /// unknown length costs several times as much for short strings, which are the most frequent. Calls `load`
    /// after the buffer has grown, so that the bytes need not be kept across a call.
    #[inline(always)]
    pub(crate) fn extend_short(&mut self, load: impl FnOnce() -> [u8; 32], n: usize) {
        debug_assert!(n <= 32);
        self.reserve(32);
        // Read once, because the bytes that are written could be those of the length, for all the compiler knows.
        let len = self.len;
        // SAFETY: 32 bytes are reserved, and the first `n <= 32` of them become part of the buffer.
        unsafe { self.bytes.start().add(len).cast::<[u8; 32]>().write_unaligned(load()) };
        self.len = len + n.min(32);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are initialised.
        unsafe { self.bytes.first(self.len) }
    }

    /// Takes a buffer from the pool if there is none. Called when a batch begins, not when the previous batch
    /// ends: at that time the buffers of that batch are still in use, and two sets of buffers would alternate
    /// where one can stay in the cache.
    pub(crate) fn prepare(&mut self) {
        // An eighth more, for longer batches, because growing copies the bytes.
        self.capacity = self.bytes.prepare(self.last_len + self.last_len / 8);
    }

    /// Moves the bytes into an Arrow buffer, and leaves `self` empty and without memory.
    pub(crate) fn take(&mut self) -> Buffer {
        (self.last_len, self.len, self.capacity) = (self.len, 0, 0);
        // SAFETY: the first `last_len` bytes are initialised.
        unsafe { self.bytes.take_first(self.last_len) }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use arrowfeed_source::caught;

    use super::*;

    #[test]
    fn memory_is_used_again_after_the_last_array_is_dropped() {
        let mut bytes = GrowableBytes::new();
        let mut batch = |value| {
            bytes.prepare();
            bytes.extend(&[value; 1000]);
            bytes.take()
        };
        let first = batch(7);
        let (address, clone) = (first.as_ptr(), first.clone());
        drop(first);
        let second = batch(1);
        assert_ne!(second.as_ptr(), address, "still held by the clone");
        drop(clone);
        let third = batch(2);
        assert_eq!(third.as_ptr(), address);
        assert_eq!(third.as_slice(), [2; 1000]);
    }

    #[test]
    fn arrays_outlive_the_column() {
        let mut bytes = GrowableBytes::new();
        bytes.extend(&[5; 3]);
        bytes.extend_zeros(2);
        let buffer = bytes.take();
        drop(bytes);
        assert_eq!(buffer.as_slice(), [5, 5, 5, 0, 0]);
        assert_eq!(buffer.as_ptr().align_offset(64), 0);
    }

    #[test]
    fn short_strings_append_only_their_own_bytes() {
        let mut bytes = GrowableBytes::new();
        for n in 0..=32 {
            bytes.extend_short(|| [n as u8; 32], n);
        }
        let expected: Vec<u8> = (0..=32_u8).flat_map(|n| vec![n; n.into()]).collect();
        assert_eq!(bytes.as_slice(), expected);
    }

    #[test]
    fn bytes_that_cannot_grow_are_an_error_and_keep_their_values() {
        let mut bytes = GrowableBytes::new();
        bytes.extend(&[7; 3]);
        for n in [1 << 60, usize::MAX / 8, usize::MAX] {
            let error = caught(|| {
                bytes.reserve(n);
                Ok(())
            });
            let error = error.unwrap_err();
            assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::OutOfMemory));
            assert!(!error.is_file_error());
            assert_eq!(bytes.as_slice(), [7, 7, 7]);
        }
    }
}
