//! Columns of fixed-width numbers, and booleans.

#![expect(unsafe_code, reason = "promises that a run of varints fills all of its slots")]

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::column_builder::{ColumnBuilder, FixedWidth};
use super::leaf::Leaf;
use super::validity::Flags;
use crate::memory::{Filled, Slot, SlotRange, Slots};
use crate::wire::cursor::{Cursor, Pack, Stop, unzigzag, unzigzag_int};
use crate::wire::optional_varints::optional_varints;
use crate::wire::varints::varints;

/// An encoded number that becomes a `T`: one implementation for each promotion of the specification.
pub(crate) trait Read<T: Default> {
    fn read<P: Pack>(cur: &mut Cursor<'_, P>) -> Result<T, Stop>;

    /// Reads the union of null and a number. Returns whether it is present, and the number or 0.
    #[inline(always)]
    fn read_optional<P: Pack>(null: u8, cur: &mut Cursor<'_, P>) -> Result<(bool, T), Stop> {
        let present = cur.optional(null)?;
        Ok((present, if present { Self::read(cur)? } else { T::default() }))
    }

    /// Reads consecutive values.
    #[inline(always)]
    fn read_n<P: Pack>(slots: SlotRange, cur: &mut Cursor<'_, P>, values: &mut Slots<T>) -> Result<(), Stop>
    where
        T: ArrowNativeType,
    {
        for slot in slots.iter() {
            values.set(slot, Self::read(cur)?);
        }
        Ok(())
    }
}

/// A number whose encoding is a varint.
pub(crate) trait ReadVarint<T: Default>: Read<T> {
    /// Reads consecutive values, which `accept` must accept.
    fn read_accepted<P: Pack>(
        slots: SlotRange,
        cur: &mut Cursor<'_, P>,
        values: &mut Slots<T>,
        accept: impl Fn(T) -> bool,
    ) -> Result<(), Stop>;

    /// Reads `n` unions of null and a number. Calls `put` for each, in order, with the result of
    /// [`read_optional`](Read::read_optional).
    fn read_optionals<'a, P: Pack>(
        null: u8,
        n: usize,
        cur: Cursor<'a, P>,
        put: impl FnMut(bool, T),
    ) -> Result<Cursor<'a, P>, Stop>;
}

macro_rules! wire {
    ($($(#[$doc:meta])* $wire:ident: $($to:ty = |$cur:ident| $read:expr),+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $wire;
        $(impl Read<$to> for $wire {
            #[inline(always)]
            fn read<P: Pack>($cur: &mut Cursor<'_, P>) -> Result<$to, Stop> {
                Ok($read)
            }
        })+
    )+};
}

wire! {
    /// A boolean as a number.
    BooleanWire: i64 = |cur| i64::from(cur.boolean()?);
    /// A float that becomes a double.
    FloatWire: f64 = |cur| f32::from_le_bytes(cur.array()?).into();
    /// A double that becomes a float.
    DoubleWire: f32 = |cur| f64::from_le_bytes(cur.array()?) as f32;
}

#[inline(always)]
fn long(varint: u64) -> Result<i64, Stop> {
    Ok(unzigzag(varint))
}

/// An int.
#[derive(Debug)]
pub(crate) struct IntWire;

/// A long.
#[derive(Debug)]
pub(crate) struct LongWire;

macro_rules! varint {
    ($($wire:ident to $to:ty: $unzigzag:expr, $convert:expr;)+) => {$(
        impl Read<$to> for $wire {
            #[inline(always)]
            fn read<P: Pack>(cur: &mut Cursor<'_, P>) -> Result<$to, Stop> {
                Ok($convert($unzigzag(cur.varint()?)?))
            }

            #[inline(always)]
            fn read_n<P: Pack>(slots: SlotRange, cur: &mut Cursor<'_, P>, values: &mut Slots<$to>) -> Result<(), Stop> {
                Self::read_accepted(slots, cur, values, |_| true)
            }

            #[inline(always)]
            fn read_optional<P: Pack>(null: u8, cur: &mut Cursor<'_, P>) -> Result<(bool, $to), Stop> {
                let (present, value) = cur.optional_varint(null)?;
                Ok((present, $convert($unzigzag(value)?)))
            }
        }

        impl ReadVarint<$to> for $wire {
            #[inline(always)]
            fn read_optionals<'a, P: Pack>(
                null: u8,
                n: usize,
                cur: Cursor<'a, P>,
                put: impl FnMut(bool, $to),
            ) -> Result<Cursor<'a, P>, Stop> {
                optional_varints(cur, null, n, |varint| Ok($convert($unzigzag(varint)?)), put)
            }

            #[inline(always)]
            fn read_accepted<P: Pack>(
                slots: SlotRange,
                cur: &mut Cursor<'_, P>,
                values: &mut Slots<$to>,
                accept: impl Fn($to) -> bool,
            ) -> Result<(), Stop> {
                let convert = |varint| {
                    let value = $convert($unzigzag(varint)?);
                    if accept(value) { Ok(value) } else { Err(Stop::Invalid) }
                };
                // SAFETY: `varints` writes every slot before it returns `Ok`.
                unsafe { values.set_with(slots, |out| varints(cur, out, convert)) }
            }
        }
    )+};
}

varint! {
    IntWire to i32: unzigzag_int, std::convert::identity;
    IntWire to i64: unzigzag_int, i64::from;
    IntWire to f32: unzigzag_int, |value: i32| value as f32;
    IntWire to f64: unzigzag_int, f64::from;
    LongWire to i64: long, std::convert::identity;
    LongWire to f32: long, |value: i64| value as f32;
    LongWire to f64: long, |value: i64| value as f64;
}

/// A float or double without conversion: `n` consecutive values are copied as bytes.
#[derive(Debug)]
pub(crate) struct Identity;

macro_rules! identity {
    ($($to:ty),+) => {$(
        impl Read<$to> for Identity {
            #[inline(always)]
            fn read<P: Pack>(cur: &mut Cursor<'_, P>) -> Result<$to, Stop> {
                Ok(<$to>::from_le_bytes(cur.array()?))
            }

            #[inline(always)]
            fn read_optional<P: Pack>(null: u8, cur: &mut Cursor<'_, P>) -> Result<(bool, $to), Stop> {
                let (present, bytes) = cur.optional_array(null)?;
                Ok((present, <$to>::from_le_bytes(bytes)))
            }

            #[inline(always)]
            fn read_n<P: Pack>(slots: SlotRange, cur: &mut Cursor<'_, P>, values: &mut Slots<$to>) -> Result<(), Stop> {
                if cfg!(target_endian = "little") {
                    let bytes = slots.len().checked_mul(size_of::<$to>()).ok_or(Stop::Invalid)?;
                    values.set_from_wire(slots, cur.bytes(bytes)?);
                    return Ok(());
                }
                for slot in slots.iter() {
                    values.set(slot, <Self as Read<$to>>::read(cur)?);
                }
                Ok(())
            }
        }
    )+};
}

identity!(f32, f64);

/// A column of numbers of type `T`, which `W` reads.
#[derive(Debug)]
pub(crate) struct Numbers<W, T> {
    values: Slots<T>,
    data_type: DataType,
    wire: PhantomData<W>,
}

impl<W, T: ArrowNativeType> Numbers<W, T> {
    pub(crate) fn new(data_type: DataType) -> Self {
        Self { values: Slots::new(), data_type, wire: PhantomData }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, slot: Slot, value: T) {
        self.values.set(slot, value);
    }
}

impl<W: Read<T>, T: ArrowNativeType> Leaf for Numbers<W, T> {
    #[inline(always)]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.set(slot, W::read(cur)?);
        Ok(())
    }

    #[inline(always)]
    fn read_n<P: Pack>(&mut self, slots: SlotRange, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        W::read_n(slots, cur, &mut self.values)
    }

    #[inline(always)]
    fn read_optional<P: Pack>(
        &mut self,
        slot: Slot,
        null: u8,
        cur: &mut Cursor<'_, P>,
    ) -> Result<bool, Stop> {
        let (present, value) = W::read_optional(null, cur)?;
        self.values.set(slot, value);
        Ok(present)
    }

    #[inline(always)]
    fn set_null(&mut self, slot: Slot) {
        self.values.set(slot, T::default());
    }
}

impl<W, T: ArrowNativeType> FixedWidth for Numbers<W, T> {
    type Value = T;

    fn values(&mut self) -> &mut Slots<T> {
        &mut self.values
    }

    fn data_type(&self) -> &DataType {
        &self.data_type
    }
}

/// A column of booleans.
#[derive(Debug)]
pub(crate) struct Booleans {
    values: Flags,
}

impl Booleans {
    pub(crate) fn new() -> Self {
        Self { values: Flags::new() }
    }
}

impl Leaf for Booleans {
    #[inline(always)]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.set(slot, cur.boolean()?);
        Ok(())
    }

    fn read_n<P: Pack>(&mut self, slots: SlotRange, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let bytes = cur.bytes(slots.len())?;
        if bytes.iter().fold(0, |all, byte| all | byte) > 1 {
            return Err(Stop::Invalid);
        }
        self.values.set_from_wire(slots, bytes);
        Ok(())
    }

    #[inline(always)]
    fn read_optional<P: Pack>(
        &mut self,
        slot: Slot,
        null: u8,
        cur: &mut Cursor<'_, P>,
    ) -> Result<bool, Stop> {
        let (present, value) = cur.optional_boolean(null)?;
        self.values.set(slot, value);
        Ok(present)
    }

    #[inline(always)]
    fn set_null(&mut self, slot: Slot) {
        self.values.set(slot, false);
    }
}

impl ColumnBuilder for Booleans {
    fn prepare(&mut self, likely: usize) -> usize {
        self.values.prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.values.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        self.values.set_all(slots, false);
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        Arc::new(BooleanArray::new(self.values.bits(filled), None))
    }
}
