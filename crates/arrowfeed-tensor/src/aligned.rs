//! Vectors whose items begin at a multiple of 64 bytes: TensorFlow and JAX take such memory as it is, and copy other.

use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};

use crate::gather::reserved;

/// Bytes at whose multiples frameworks want tensors to begin.
const ALIGNMENT: usize = 64;

/// A vector whose first items may be there only to fill the memory before an aligned one.
#[derive(Debug, Default)]
pub(crate) struct Aligned<T> {
    pub(crate) items: Vec<T>,
    pub(crate) start: usize,
}

impl<T> Aligned<T> {
    /// No items yet, in memory for `len` of them. Those before `start` are still to be written.
    pub(crate) fn reserved(len: usize) -> Result<Self, TryReserveError> {
        let items: Vec<T> = reserved(len.saturating_add(most_before::<T>()))?;
        Ok(Self { start: before(&items), items })
    }
}

/// As they are, wherever they begin.
impl<T> From<Vec<T>> for Aligned<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, start: 0 }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[self.start..]
    }
}

/// How many items there may be before an aligned one.
pub(crate) const fn most_before<T>() -> usize {
    ALIGNMENT / size_of::<T>()
}

/// How many items of this memory are before the first aligned one. 0 where none is aligned.
pub(crate) fn before<T>(items: &[T]) -> usize {
    let beyond = items.as_ptr().addr() % ALIGNMENT;
    match beyond % size_of::<T>() {
        0 if beyond > 0 => (ALIGNMENT - beyond) / size_of::<T>(),
        _ => 0,
    }
}
