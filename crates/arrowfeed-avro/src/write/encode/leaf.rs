//! Leaves: columns whose values have no parts, each with the one loop that writes it.

use std::fmt;

use arrow_array::types::{ArrowPrimitiveType, ByteArrayType};
use arrow_array::{GenericByteArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use super::buffer::BlockBuffer;
use crate::AvroError;

/// A column that writes the value of a slot. Slots that are null are never asked for.
pub(super) trait Leaf {
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError>;

    /// Writes the values of neighbouring slots: one dispatch for all.
    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        (start..end).try_for_each(|slot| self.put(slot, out))
    }

    /// Writes the index of a branch and the value.
    #[inline(always)]
    fn put_tagged(&self, tag: u8, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.byte(tag);
        self.put(slot, out)
    }
}

/// The indexes of the two branches of `[null, T]` or `[T, null]`, as they stand on the wire.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tags {
    pub(crate) null: u8,
    pub(crate) value: u8,
}

/// A leaf inside a union with null.
#[derive(Debug)]
pub(super) struct Nullable<L> {
    pub(super) leaf: L,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) tags: Tags,
}

impl<L: Leaf> Leaf for Nullable<L> {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        match &self.nulls {
            Some(nulls) if nulls.is_null(slot) => {
                out.byte(self.tags.null);
                Ok(())
            }
            _ => self.leaf.put_tagged(self.tags.value, slot, out),
        }
    }
}

/// Booleans: a byte each.
#[derive(Debug)]
pub(super) struct Booleans(pub(super) BooleanBuffer);

impl Leaf for Booleans {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.byte(self.0.value(slot).into());
        Ok(())
    }
}

/// Integers of any width as `int` or `long`, which have the same encoding.
#[derive(Debug)]
pub(super) struct Integers<T: ArrowNativeType>(pub(super) ScalarBuffer<T>);

impl<T: ArrowNativeType + Into<i64>> Leaf for Integers<T> {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.long(self.0[slot].into());
        Ok(())
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.longs(self.0[start..end].iter().map(|value| (*value).into()));
        Ok(())
    }

    #[inline(always)]
    fn put_tagged(&self, tag: u8, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.tagged_long(tag, self.0[slot].into());
        Ok(())
    }
}

/// `float` and `double`: little-endian, as Arrow has them, so that a run is one copy.
#[derive(Debug)]
pub(super) struct Floats<T: ArrowPrimitiveType>(pub(super) PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Leaf for Floats<T> {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        self.put_run(slot, slot + 1, out)
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        let width = size_of::<T::Native>();
        let bytes = self.0.values().inner().as_slice();
        if end - start == 1 {
            // A copy of a length that the compiler knows.
            match width {
                4 => out.array::<4>(bytes[4 * start..][..4].try_into().expect("four bytes")),
                _ => out.array::<8>(bytes[8 * start..][..8].try_into().expect("eight bytes")),
            }
        } else {
            out.extend(&bytes[width * start..width * end]);
        }
        Ok(())
    }
}

/// Strings or bytes behind offsets: a length and the bytes.
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
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        let (start, end) = (self.offsets[slot].as_usize(), self.offsets[slot + 1].as_usize());
        out.sized(&self.data[start..end]);
        Ok(())
    }
}

/// `fixed`: the bytes alone, so that a run is one copy.
#[derive(Debug)]
pub(super) struct Fixed {
    pub(super) data: Buffer,
    pub(super) size: usize,
}

impl Leaf for Fixed {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        self.put_run(slot, slot + 1, out)
    }

    #[inline(always)]
    fn put_run(&self, start: usize, end: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        out.extend(&self.data[start * self.size..end * self.size]);
        Ok(())
    }
}

/// Writes the value of a slot.
type Put = dyn Fn(usize, &mut BlockBuffer) -> Result<(), AvroError> + Send + Sync;

/// Values that are computed before they are written, such as decimals, or that are checked, such as times of day.
pub(super) struct Computed(Box<Put>);

impl Computed {
    pub(super) fn new(
        put: impl Fn(usize, &mut BlockBuffer) -> Result<(), AvroError> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(put))
    }
}

impl Leaf for Computed {
    #[inline(always)]
    fn put(&self, slot: usize, out: &mut BlockBuffer) -> Result<(), AvroError> {
        (self.0)(slot, out)
    }
}

impl fmt::Debug for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Computed").finish_non_exhaustive()
    }
}
