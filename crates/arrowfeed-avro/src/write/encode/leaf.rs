//! Leaves: columns whose values have no children, each with the loop that writes it.

use std::fmt;

use arrow_array::types::{ArrowPrimitiveType, ByteArrayType};
use arrow_array::{GenericByteArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrowfeed_source::FeedError;

use super::buffer::BlockBuffer;

/// A column that writes the value of a slot. It is never called for null slots.
pub(super) trait Leaf {
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError>;

    /// Prefetches the values of adjacent slots into the cache, if that is worthwhile.
    fn fetch(&self, _start: usize, _end: usize) {}

    /// Writes the values of adjacent slots with one dispatch.
    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        (start..end).try_for_each(|slot| self.put(slot, out))
    }

    /// Writes the index of a branch, and the value if there is one.
    #[inline(always)]
    fn put_optional(&self, slot: usize, tag: Tag, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.byte(tag.byte);
        if tag.valid { self.put(slot, out) } else { Ok(()) }
    }
}

/// Average length of strings from which their column is not prefetched: each such string is a stream of its own.
const LONG: usize = 128;

/// Reads one byte of each cache line, to bring a part of a column into the cache as one stream.
#[inline]
fn fetch(bytes: &[u8]) {
    std::hint::black_box(bytes.iter().step_by(64).fold(0, |sum, byte| sum ^ byte));
}

/// The encoded indexes of the two branches of `[null, T]` or `[T, null]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tags {
    pub(crate) null: u8,
    pub(crate) value: u8,
}

impl Tags {
    #[inline(always)]
    pub(super) fn of(self, valid: bool) -> Tag {
        Tag { byte: if valid { self.value } else { self.null }, valid }
    }
}

/// The branch of one value, and whether it is the value's branch rather than the null branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) byte: u8,
    pub(super) valid: bool,
}

/// A leaf inside a union with null.
#[derive(Debug)]
pub(super) struct Nullable<L> {
    pub(super) leaf: L,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) tags: Tags,
}

impl<L: Leaf> Leaf for Nullable<L> {
    fn fetch(&self, start: usize, end: usize) {
        self.leaf.fetch(start, end);
    }

    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let valid = self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(slot));
        self.leaf.put_optional(slot, self.tags.of(valid), out)
    }
}

/// Booleans: a byte each.
#[derive(Debug)]
pub(super) struct Booleans(pub(super) BooleanBuffer);

impl Leaf for Booleans {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.byte(self.0.value(slot).into());
        Ok(())
    }

    #[inline(always)]
    fn put_optional(&self, slot: usize, tag: Tag, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.optional_array([self.0.value(slot).into()], tag);
        Ok(())
    }
}

/// Integers of any width as `int` or `long`, which have the same encoding.
#[derive(Debug)]
pub(super) struct Integers<T: ArrowNativeType>(pub(super) ScalarBuffer<T>);

impl<T: ArrowNativeType + Into<i64>> Leaf for Integers<T> {
    fn fetch(&self, start: usize, end: usize) {
        fetch(&self.0.inner()[start * size_of::<T>()..end * size_of::<T>()]);
    }

    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.long(self.0[slot].into());
        Ok(())
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.longs(self.0[start..end].iter().map(|value| (*value).into()));
        Ok(())
    }

    #[inline(always)]
    fn put_optional(&self, slot: usize, tag: Tag, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.optional_long(self.0[slot].into(), tag);
        Ok(())
    }
}

/// `float` and `double`: little-endian like Arrow's, so a run is one copy.
#[derive(Debug)]
pub(super) struct Floats<T: ArrowPrimitiveType>(pub(super) PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Leaf for Floats<T> {
    fn fetch(&self, start: usize, end: usize) {
        let width = size_of::<T::Native>();
        fetch(&self.0.values().inner()[width * start..width * end]);
    }

    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        self.put_run(slot, slot + 1, out)
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let width = size_of::<T::Native>();
        let bytes = self.0.values().inner().as_slice();
        if end - start == 1 {
            // A copy whose length is known to the compiler.
            match width {
                4 => out.array::<4>(bytes[4 * start..][..4].try_into().expect("four bytes")),
                _ => out.array::<8>(bytes[8 * start..][..8].try_into().expect("eight bytes")),
            }
        } else {
            out.extend(&bytes[width * start..width * end]);
        }
        Ok(())
    }

    #[inline(always)]
    fn put_optional(&self, slot: usize, tag: Tag, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let bytes = self.0.values().inner().as_slice();
        match size_of::<T::Native>() {
            4 => out.optional_array::<4>(bytes[4 * slot..][..4].try_into().expect("four bytes"), tag),
            _ => out.optional_array::<8>(bytes[8 * slot..][..8].try_into().expect("eight bytes"), tag),
        }
        Ok(())
    }
}

/// Strings or bytes in an array with offsets: a length and the bytes.
#[derive(Debug)]
pub(super) struct Text<O: ArrowNativeType> {
    offsets: OffsetBuffer<O>,
    data: Buffer,
}

impl<O: ArrowNativeType> Text<O> {
    pub(super) fn new<T: ByteArrayType<Offset = O>>(array: &GenericByteArray<T>) -> Self {
        Self { offsets: array.offsets().clone(), data: array.values().clone() }
    }
}

impl<O: ArrowNativeType> Leaf for Text<O> {
    fn fetch(&self, start: usize, end: usize) {
        fetch(&self.offsets.inner().inner()[start * size_of::<O>()..end * size_of::<O>()]);
        let data = &self.data[self.offsets[start].as_usize()..self.offsets[end].as_usize()];
        if data.len() < LONG * (end - start) {
            fetch(data);
        }
    }

    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let (start, end) = (self.offsets[slot].as_usize(), self.offsets[slot + 1].as_usize());
        out.sized_in(&self.data, start, end);
        Ok(())
    }

    #[inline(always)]
    fn put_optional(&self, slot: usize, tag: Tag, out: &mut BlockBuffer) -> Result<(), FeedError> {
        let (start, end) = (self.offsets[slot].as_usize(), self.offsets[slot + 1].as_usize());
        out.optional_sized_in(&self.data, start, end, tag);
        Ok(())
    }
}

/// `fixed`: only the bytes, so a run is one copy.
#[derive(Debug)]
pub(super) struct Fixed {
    pub(super) data: Buffer,
    pub(super) size: usize,
}

impl Leaf for Fixed {
    fn fetch(&self, start: usize, end: usize) {
        fetch(&self.data[start * self.size..end * self.size]);
    }

    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        self.put_run(slot, slot + 1, out)
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        out.extend(&self.data[start * self.size..end * self.size]);
        Ok(())
    }
}

/// Writes the value of a slot.
type Put = dyn Fn(usize, &mut BlockBuffer) -> Result<(), FeedError> + Send + Sync;

/// Values that are computed before they are written, such as decimals, or that are checked, such as times of day.
pub(super) struct Computed(Box<Put>);

impl Computed {
    pub(super) fn new(
        put: impl Fn(usize, &mut BlockBuffer) -> Result<(), FeedError> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(put))
    }
}

impl Leaf for Computed {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), FeedError> {
        (self.0)(slot, out)
    }
}

impl fmt::Debug for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Computed").finish_non_exhaustive()
    }
}
