//! Columns of numbers, and of lists of them, straight from the structs of the C interface: without the parts that
//! arrow-rs makes of any array first.
//!
//! Only what is sure to be right is taken: of anything else there is no array, and the caller goes the long way, which
//! says what is wrong.
//!
//! Unsafe: buffers are raw pointers. That they are as long as their array needs is believed, as in `capsule`. Here they
//! are known to be there and aligned, lengths and offsets not to be below 0, sizes in bytes to be countable. Every array
//! holds the struct that owns its memory. Offsets are looked at before an `OffsetBuffer` is made.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{
    ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, PrimitiveArray, downcast_primitive,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef};

use super::capsule::Taken;
use super::valid::covered;

/// A batch: an array of structs that begins with its fields, none of the structs null.
pub(super) struct Batch {
    owner: Arc<FFI_ArrowArray>,
    pub(super) rows: usize,
}

impl Batch {
    /// The array itself, where it is another one than that.
    pub(super) fn new(taken: Taken, fields: usize) -> Result<Self, Taken> {
        let array = &taken.0;
        let plain = array.release.is_some() && array.offset == 0 && array.null_count == 0;
        let children = !array.children.is_null() && usize::try_from(array.n_children) == Ok(fields);
        match usize::try_from(array.length) {
            Ok(rows) if plain && children => Ok(Self { owner: Arc::new(taken.0), rows }),
            _ => Err(taken),
        }
    }

    /// One of the fields. What cannot be imported directly is taken out of the batch, which needs no owner any more.
    pub(super) fn column(&self, index: usize, data_type: &DataType) -> Result<ArrayRef, Taken> {
        // SAFETY: a struct has as many pointers as it says, and `fields` are as many; null is looked for.
        let child = unsafe { NonNull::new(self.owner.children.add(index).read()) };
        let Some(child) = child else { return Err(Taken(FFI_ArrowArray::empty())) };
        // SAFETY: the parent owns the child, which nobody writes to while the part is in use.
        let part = Part { array: unsafe { child.as_ref() }, owner: &self.owner };
        // SAFETY: arrays that were made of the child hold its memory, which the parent owns; the child is taken only
        // where there are none, and never twice: what is left behind is empty.
        part.first(data_type, self.rows)
            .ok_or_else(|| Taken(unsafe { FFI_ArrowArray::from_raw(child.as_ptr()) }))
    }
}

/// An array inside of the one that owns its memory.
#[derive(Clone, Copy)]
struct Part<'a> {
    array: &'a FFI_ArrowArray,
    owner: &'a Arc<FFI_ArrowArray>,
}

impl Part<'_> {
    /// The first `len` values. Empty arrays may come without any buffers: they are none of this way's.
    fn first(self, data_type: &DataType, len: usize) -> Option<ArrayRef> {
        let there = usize::try_from(self.array.length).ok().filter(|_| self.array.release.is_some())?;
        if len == 0 || there < len {
            return None;
        }
        macro_rules! numbers {
            ($type:ty) => {
                self.numbers::<$type>(data_type, len)
            };
        }
        downcast_primitive! {
            data_type => (numbers),
            DataType::List(items) => self.lists::<i32>(items, len),
            DataType::LargeList(items) => self.lists::<i64>(items, len),
            DataType::FixedSizeList(items, size) => self.fixed(items, *size, len),
            _ => None
        }
    }

    fn numbers<T: ArrowPrimitiveType>(self, data_type: &DataType, len: usize) -> Option<ArrayRef> {
        let values = self.buffer::<T::Native>(len)?;
        let array = PrimitiveArray::<T>::try_new(values, self.nulls(2, len)?).ok()?;
        Some(Arc::new(array.with_data_type(data_type.clone())))
    }

    fn lists<O: OffsetSizeTrait>(self, items: &FieldRef, len: usize) -> Option<ArrayRef> {
        let offsets = self.buffer::<O>(len.checked_add(1)?)?;
        let covered = covered(&offsets)?;
        let values = self.items(items, covered.start, covered.end)?;
        // SAFETY: there is an offset, none is below 0, and none below the one before it.
        let offsets = unsafe { OffsetBuffer::new_unchecked(offsets) };
        Some(Arc::new(GenericListArray::try_new(items.clone(), offsets, values, self.nulls(2, len)?).ok()?))
    }

    fn fixed(self, items: &FieldRef, size: i32, len: usize) -> Option<ArrayRef> {
        let places = usize::try_from(size).ok()?;
        let start = self.offset()?.checked_mul(places)?;
        let count = len.checked_mul(places)?;
        let values = self.items(items, start, start.checked_add(count)?)?.slice(start, count);
        Some(Arc::new(FixedSizeListArray::try_new(items.clone(), size, values, self.nulls(1, len)?).ok()?))
    }

    /// Values of lists up to `end`. Those before `start` cost nothing: they are not looked at.
    fn items(self, items: &FieldRef, start: usize, end: usize) -> Option<ArrayRef> {
        if self.array.children.is_null() || self.array.n_children != 1 {
            return None;
        }
        // SAFETY: there is one pointer; what it points to is the parent's.
        let array = unsafe { self.array.children.read().as_ref()? };
        let looked_at = array.null_count != 0 || items.data_type().is_nested();
        if start > 0 && looked_at {
            return None;
        }
        Part { array, owner: self.owner }.first(items.data_type(), end)
    }

    /// The second buffer of two: `len` of its values, from the array's offset on.
    fn buffer<T: ArrowNativeType>(self, len: usize) -> Option<ScalarBuffer<T>> {
        let from = self.offset()?;
        // The whole has a size that can be counted, so that both parts have one.
        isize::try_from(from.checked_add(len)?.checked_mul(size_of::<T>())?).ok()?;
        let start = self.pointer(1, 2)??.cast::<T>();
        if !start.is_aligned() {
            return None;
        }
        // SAFETY: see above.
        Some(unsafe { self.memory(start.add(from).cast(), len * size_of::<T>()) }.into())
    }

    /// `None` inside: no value is null.
    fn nulls(self, buffers: i64, len: usize) -> Option<Option<NullBuffer>> {
        let from = self.offset()?;
        let Some(bits) = self.pointer(0, buffers)? else {
            return (self.array.null_count <= 0).then_some(None);
        };
        if self.array.null_count == 0 {
            return Some(None);
        }
        // SAFETY: see above.
        let bits = unsafe { self.memory(bits.cast(), from.checked_add(len)?.div_ceil(8)) };
        Some(Some(NullBuffer::new(BooleanBuffer::new(bits, from, len))))
    }

    fn offset(self) -> Option<usize> {
        usize::try_from(self.array.offset).ok()
    }

    /// One of so many buffers. `None` inside: there is no memory for it.
    fn pointer(self, index: usize, buffers: i64) -> Option<Option<NonNull<c_void>>> {
        if self.array.buffers.is_null() || self.array.n_buffers != buffers {
            return None;
        }
        // SAFETY: an array has as many pointers as it says, and `index` is below `buffers`.
        Some(NonNull::new(unsafe { self.array.buffers.add(index).read() }.cast_mut()))
    }

    /// SAFETY: so many bytes are there, fewer than an `isize` counts.
    unsafe fn memory(self, start: NonNull<u8>, bytes: usize) -> Buffer {
        // SAFETY: the owner frees them, and is held.
        unsafe { Buffer::from_custom_allocation(start, bytes, self.owner.clone()) }
    }
}
