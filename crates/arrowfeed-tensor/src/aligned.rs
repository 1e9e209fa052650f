//! Vectors whose elements begin at a multiple of 64 bytes. TensorFlow and JAX use such memory without a copy, and copy
//! memory with any other alignment.

use std::collections::TryReserveError;
use std::ops::{Deref, DerefMut};

use crate::gather::reserved;

/// Alignment in bytes that frameworks need to use a tensor without a copy.
const ALIGNMENT: usize = 64;

/// A `Vec` that may be padded at the front so that element `start` is 64-byte aligned.
#[derive(Debug, Default)]
pub(crate) struct Aligned<T> {
    pub(crate) items: Vec<T>,
    pub(crate) start: usize,
}

impl<T> Aligned<T> {
    /// Allocates an empty vector with room for `len` elements. The caller still has to write the padding before `start`.
    pub(crate) fn reserved(len: usize) -> Result<Self, TryReserveError> {
        let items: Vec<T> = reserved(len.saturating_add(max_padding::<T>()))?;
        Ok(Self { start: padding(&items), items })
    }
}

/// Takes the vector without padding, whatever its alignment.
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

/// Upper bound of the number of padding elements.
pub(crate) const fn max_padding<T>() -> usize {
    ALIGNMENT / size_of::<T>()
}

/// Number of elements to skip to reach 64-byte alignment. 0 if no element is aligned.
pub(crate) fn padding<T>(items: &[T]) -> usize {
    let beyond = items.as_ptr().addr() % ALIGNMENT;
    match beyond % size_of::<T>() {
        0 if beyond > 0 => (ALIGNMENT - beyond) / size_of::<T>(),
        _ => 0,
    }
}
