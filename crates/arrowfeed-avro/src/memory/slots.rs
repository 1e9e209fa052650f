//! Memory for one value in each slot of a body.
//!
//! The body counts its slots and makes room for them in all its columns at once. A column stores a value with one
//! move: it neither counts its values nor asks whether there is room.

#![expect(
    unsafe_code,
    reason = "writes values without a bounds check for each, to slots for which a body has made room; creates Arrow buffers from them"
)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, Buffer};

use super::allocation::Allocation;
use super::column_pool::{ColumnPool, PooledMemory};

/// The index of a slot for which all columns of a body have room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(usize);

/// Consecutive slots for which all columns of a body have room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotRange {
    start: usize,
    end: usize,
}

/// The number of slots of a body in which all columns have values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled(usize);

impl Filled {
    /// # Safety
    /// Every column that gets this number has stored a value in each of its first `len` slots.
    pub(crate) unsafe fn new(len: usize) -> Self {
        Self(len)
    }

    pub(crate) fn len(self) -> usize {
        self.0
    }
}

impl Slot {
    /// # Safety
    /// Every column that gets the slot has made room for it.
    #[inline(always)]
    pub(crate) unsafe fn new(index: usize) -> Self {
        Self(index)
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

impl From<Slot> for SlotRange {
    #[inline(always)]
    fn from(slot: Slot) -> Self {
        Self { start: slot.0, end: slot.0 + 1 }
    }
}

impl SlotRange {
    /// Returns the slots from `start` up to `end`.
    ///
    /// # Safety
    /// `start <= end`, and every column that gets one of the slots has made room for at least `end` slots.
    #[inline(always)]
    pub(crate) unsafe fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }

    #[inline(always)]
    pub(crate) fn start(self) -> usize {
        self.start
    }

    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = Slot> {
        (self.start..self.end).map(Slot)
    }
}

/// A 64-byte aligned buffer with one value of type `T` for each slot. Invariant: `start` is the start of the memory of
/// `owned`. The cold part is apart, so that the columns of a wide record take few cache lines.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    start: NonNull<T>,
    owned: Box<Owned>,
}

#[derive(Debug, Default)]
struct Owned {
    memory: Allocation,
    pool: Arc<ColumnPool>,
}

// SAFETY: `start` points into the memory of `owned`, which can be sent and shared.
unsafe impl<T: Send> Send for Slots<T> {}
// SAFETY: as for `Send`; a shared reference only reads the values.
unsafe impl<T: Sync> Sync for Slots<T> {}

impl<T: ArrowNativeType> Slots<T> {
    pub(crate) fn new() -> Self {
        Self { start: NonNull::dangling(), owned: Box::default() }
    }

    /// Address of the first slot.
    #[inline(always)]
    pub(super) fn start(&self) -> NonNull<T> {
        self.start
    }

    /// Number of slots for which there is room.
    fn room(&self) -> usize {
        self.owned.memory.capacity() / size_of::<T>()
    }

    fn set_memory(&mut self, memory: Allocation) {
        self.start = memory.start().cast();
        self.owned.memory = memory;
    }

    /// Takes a buffer from the pool, or a new one for `likely` slots, if there is none. Returns the number of slots for which
    /// there is room. A buffer of the pool is not replaced by a larger one, which might be necessary only for the estimate.
    pub(crate) fn prepare(&mut self, likely: usize) -> usize {
        if self.owned.memory.capacity() == 0 {
            let memory = self.owned.pool.take(likely.saturating_mul(size_of::<T>()));
            self.set_memory(memory);
        }
        self.room()
    }

    /// Makes room for `slots` slots, and keeps the values of the first `len`. Returns the number of slots for which there is
    /// room. Unwinds with [`MemoryExhausted`](arrowfeed_source::MemoryExhausted) if the allocation fails.
    pub(crate) fn make_room(&mut self, len: usize, slots: usize) -> usize {
        let room = self.prepare(slots);
        if slots <= room {
            return room;
        }
        let larger = Allocation::new(slots.saturating_mul(size_of::<T>()));
        // SAFETY: both have room for this number of values, and the new memory is used by nothing else.
        unsafe { larger.start().cast().copy_from_nonoverlapping(self.start, len.min(room)) };
        self.set_memory(larger);
        self.room()
    }

    /// Stores the value of a slot.
    #[inline(always)]
    pub(crate) fn set(&mut self, slot: Slot, value: T) {
        // SAFETY: whoever made the slot has promised the room.
        unsafe { self.set_at(slot.0, value) };
    }

    /// Stores the value of the slot after `slot`.
    ///
    /// # Safety
    /// There is room for the slot after `slot`.
    #[inline(always)]
    unsafe fn set_after(&mut self, slot: Slot, value: T) {
        // SAFETY: by the contract there is room for the slot after `slot`.
        unsafe { self.set_at(slot.0 + 1, value) };
    }

    /// # Safety
    /// There is room for the slot.
    #[inline(always)]
    unsafe fn set_at(&mut self, index: usize, value: T) {
        debug_assert!(index < self.room());
        // SAFETY: there is room for the slot.
        unsafe { self.start.add(index).write(value) };
    }

    /// Stores `value` in each slot.
    pub(crate) fn set_all(&mut self, slots: SlotRange, value: T) {
        slots.iter().for_each(|slot| self.set(slot, value));
    }

    /// Stores values from their wire format, little-endian and one after another. Panics unless `bytes` has one value for each
    /// slot.
    #[inline(always)]
    pub(crate) fn set_from_wire(&mut self, slots: SlotRange, bytes: &[u8]) {
        assert_eq!(bytes.len(), slots.len() * size_of::<T>(), "the bytes of one value for each slot");
        debug_assert!(slots.end <= self.room());
        // SAFETY: there is room for the slots and `bytes` has a value for each; any bytes are a valid value of a native
        // type. `self` owns its memory, which therefore does not overlap with a block.
        unsafe {
            let to = self.start.add(slots.start).cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr(), bytes.len());
        }
    }

    /// Stores the values that `fill` writes. After an error, the content of the slots is unspecified.
    ///
    /// # Safety
    /// If `fill` returns `Ok`, it has written every slot.
    #[inline(always)]
    pub(crate) unsafe fn set_with<E>(
        &mut self,
        slots: SlotRange,
        fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<(), E>,
    ) -> Result<(), E> {
        debug_assert!(slots.end <= self.room());
        // SAFETY: there is room for the slots, and nothing else refers to them.
        fill(unsafe {
            let start = self.start.add(slots.start).cast::<MaybeUninit<T>>();
            std::slice::from_raw_parts_mut(start.as_ptr(), slots.len())
        })
    }

    /// Returns the values of the slots.
    pub(crate) fn values(&self, filled: Filled) -> &[T] {
        // SAFETY: the slots have values.
        unsafe { self.first(filled.0) }
    }

    /// Moves the values of the slots into an Arrow buffer, and leaves `self` without memory.
    pub(crate) fn take(&mut self, filled: Filled) -> Buffer {
        // SAFETY: the slots have values.
        unsafe { self.take_first(filled.0) }
    }

    /// # Safety
    /// Each of the first `len` slots has a value.
    pub(super) unsafe fn first(&self, len: usize) -> &[T] {
        assert!(len <= self.room(), "there is room for slots that have values");
        // SAFETY: the slots are in the memory, and by the contract they have values.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), len) }
    }

    /// # Safety
    /// Each of the first `len` slots has a value.
    pub(super) unsafe fn take_first(&mut self, len: usize) -> Buffer {
        assert!(len <= self.room(), "there is room for slots that have values");
        let memory = std::mem::take(&mut self.owned.memory);
        let start = std::mem::replace(&mut self.start, NonNull::dangling()).cast();
        let owner = Arc::new(PooledMemory::new(memory, &self.owned.pool));
        // SAFETY: `start` points to the values in the owner's memory (or there are none). They neither move nor change
        // while the owner lives: only the new Buffer has the owner, and nothing writes to its memory before it is dropped.
        unsafe { Buffer::from_custom_allocation(start, len * size_of::<T>(), owner) }
    }
}

/// The ends of the values of a list or a text column, as Arrow's offsets: slot 0 starts at offset 0. Invariant: there is
/// room for one offset more than for slots, and once there is room, the first offset is 0.
#[derive(Debug)]
pub(crate) struct Offsets(Slots<i32>);

impl Offsets {
    pub(crate) fn new() -> Self {
        Self(Slots::new())
    }

    /// Prepares memory as [`Slots::prepare`], for a column without slots.
    pub(crate) fn prepare(&mut self, likely: usize) -> usize {
        self.0.prepare(likely.saturating_add(1));
        self.make_room(0, 0);
        self.0.room() - 1
    }

    /// Makes room as [`Slots::make_room`].
    pub(crate) fn make_room(&mut self, len: usize, slots: usize) {
        self.0.make_room(len.saturating_add(1), slots.saturating_add(1));
        if len == 0 {
            // SAFETY: there is room for at least one offset.
            unsafe { self.0.set_at(0, 0) };
        }
    }

    /// Stores the end of a slot.
    #[inline(always)]
    pub(crate) fn set_end(&mut self, slot: Slot, end: i32) {
        // SAFETY: by the invariant.
        unsafe { self.0.set_after(slot, end) };
    }

    /// Returns the offsets of the slots, which are one more.
    pub(crate) fn values(&self, filled: Filled) -> &[i32] {
        // SAFETY: the slots have ends, and the first offset is 0.
        unsafe { self.0.first(filled.0 + 1) }
    }

    /// Moves the offsets of the slots into an Arrow buffer.
    pub(crate) fn take(&mut self, filled: Filled) -> Buffer {
        // SAFETY: the slots have ends, and the first offset is 0.
        unsafe { self.0.take_first(filled.0 + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(start: usize, end: usize) -> SlotRange {
        // SAFETY: the tests make room for the slots that they use.
        unsafe { SlotRange::new(start, end) }
    }

    fn filled(len: usize) -> Filled {
        // SAFETY: the tests fill the slots.
        unsafe { Filled::new(len) }
    }

    #[test]
    fn memory_is_used_again_after_the_last_array_is_dropped() {
        let mut column = Slots::<i64>::new();
        let mut batch = |value| {
            column.make_room(0, 1000);
            column.set_all(slots(0, 1000), value);
            column.take(filled(1000))
        };
        let first = batch(7);
        let (address, clone) = (first.as_ptr(), first.clone());
        drop(first);
        let second = batch(1);
        assert_ne!(second.as_ptr(), address, "still held by the clone");
        drop(clone);
        let third = batch(2);
        assert_eq!(third.as_ptr(), address);
        assert_eq!(third.typed_data::<i64>(), [2; 1000]);
    }

    #[test]
    fn arrays_outlive_the_column() {
        let mut column = Slots::<i32>::new();
        column.make_room(0, 3);
        column.set_all(slots(0, 3), 5);
        let buffer = column.take(filled(3));
        drop(column);
        assert_eq!(buffer.typed_data::<i32>(), [5, 5, 5]);
        assert_eq!(buffer.as_ptr().align_offset(64), 0);
    }

    #[test]
    fn more_room_keeps_the_values() {
        let (mut column, mut ends) = (Slots::<i16>::new(), Offsets::new());
        let mut expected = Vec::new();
        for step in 0..12 {
            let (len, more) = (expected.len(), 3 * (1 << step));
            column.make_room(len, len + more);
            ends.make_room(len, len + more);
            for slot in slots(len, len + more).iter() {
                column.set(slot, slot.index() as i16);
                ends.set_end(slot, slot.index() as i32 + 1);
                expected.push(slot.index() as i16);
            }
            assert_eq!(column.values(filled(expected.len())), expected);
            assert!(ends.values(filled(expected.len())).iter().copied().eq(0..=expected.len() as i32));
        }
    }

    #[test]
    fn a_column_without_slots_has_one_offset() {
        let mut ends = Offsets::new();
        ends.make_room(0, 0);
        assert_eq!(ends.values(filled(0)), [0]);
        assert_eq!(ends.take(filled(0)).typed_data::<i32>(), [0]);
    }

    #[test]
    fn a_column_that_can_have_no_more_room_is_an_error_and_keeps_its_values() {
        let mut column = Slots::<i64>::new();
        column.make_room(0, 3);
        column.set_all(slots(0, 3), 7);
        for n in [1 << 57, usize::MAX / 8, usize::MAX] {
            let error = arrowfeed_source::caught(|| {
                column.make_room(3, n);
                Ok(())
            });
            let error = error.unwrap_err();
            assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::OutOfMemory));
            assert_eq!(column.values(filled(3)), [7, 7, 7]);
        }
    }

    #[test]
    #[should_panic(expected = "there is room for slots that have values")]
    fn more_values_than_room_are_refused() {
        let mut column = Slots::<i64>::new();
        column.make_room(0, 3);
        column.take(filled(100));
    }

    #[test]
    #[should_panic(expected = "the bytes of one value for each slot")]
    fn other_bytes_than_those_of_the_slots_are_refused() {
        let mut column = Slots::<i64>::new();
        column.make_room(0, 3);
        column.set_from_wire(slots(0, 3), &[0; 25]);
    }
}
