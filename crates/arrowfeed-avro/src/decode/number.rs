//! Columns of fixed-width numbers, and booleans.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::assemble::fixed_width;
use super::fill::{Fill, Marks, MarksIter};
use super::leaf::Leaf;
use super::validity::Flags;
use crate::memory::Values;
use crate::wire::cursor::{Cursor, Pack, Stop, unzigzag, unzigzag_int};
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

    /// Reads `n` consecutive values.
    #[inline(always)]
    fn read_n<P: Pack>(n: usize, cur: &mut Cursor<'_, P>, values: &mut Values<T>) -> Result<(), Stop>
    where
        T: ArrowNativeType,
    {
        values.reserve(n);
        for _ in 0..n {
            values.push(Self::read(cur)?);
        }
        Ok(())
    }
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
            fn read_n<P: Pack>(n: usize, cur: &mut Cursor<'_, P>, values: &mut Values<$to>) -> Result<(), Stop> {
                let fill = |out: &mut [_]| varints(cur, out, |varint| Ok($convert($unzigzag(varint)?)));
                // SAFETY: `varints` writes every slot before it returns `Ok`.
                unsafe { values.extend_with(n, fill) }
            }

            #[inline(always)]
            fn read_optional<P: Pack>(null: u8, cur: &mut Cursor<'_, P>) -> Result<(bool, $to), Stop> {
                let (present, value) = cur.optional_varint(null)?;
                Ok((present, $convert($unzigzag(value)?)))
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
pub(crate) struct Same;

macro_rules! same {
    ($($to:ty),+) => {$(
        impl Read<$to> for Same {
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
            fn read_n<P: Pack>(n: usize, cur: &mut Cursor<'_, P>, values: &mut Values<$to>) -> Result<(), Stop> {
                if cfg!(target_endian = "little") {
                    let bytes = n.checked_mul(size_of::<$to>()).ok_or(Stop::Invalid)?;
                    values.extend_from_wire(cur.bytes(bytes)?);
                    return Ok(());
                }
                for _ in 0..n {
                    values.push(<Self as Read<$to>>::read(cur)?);
                }
                Ok(())
            }
        }
    )+};
}

same!(f32, f64);

/// A column of numbers of type `T`, which `W` reads.
#[derive(Debug)]
pub(crate) struct Numbers<W, T> {
    values: Values<T>,
    data_type: DataType,
    wire: PhantomData<W>,
}

impl<W, T: ArrowNativeType> Numbers<W, T> {
    pub(crate) fn new(data_type: DataType) -> Self {
        Self { values: Values::new(), data_type, wire: PhantomData }
    }
}

impl<W: Read<T>, T: ArrowNativeType> Leaf for Numbers<W, T> {
    #[inline(always)]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.push(W::read(cur)?);
        Ok(())
    }

    #[inline(always)]
    fn read_n<P: Pack>(&mut self, n: usize, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        W::read_n(n, cur, &mut self.values)
    }

    #[inline(always)]
    fn read_optional<P: Pack>(&mut self, null: u8, cur: &mut Cursor<'_, P>) -> Result<bool, Stop> {
        let (present, value) = W::read_optional(null, cur)?;
        self.values.push(value);
        Ok(present)
    }

    #[inline(always)]
    fn push_null(&mut self) {
        self.values.push(T::default());
    }
}

impl<W, T: ArrowNativeType> Fill for Numbers<W, T> {
    fn prepare(&mut self) {
        self.values.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.values.push_zeros(n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.values.len());
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.values.truncate(marks.next());
    }

    fn finish(&mut self) -> ArrayRef {
        let len = self.values.len();
        fixed_width(&self.data_type, len, self.values.take())
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
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.push(cur.boolean()?);
        Ok(())
    }

    fn read_n<P: Pack>(&mut self, n: usize, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let bytes = cur.bytes(n)?;
        if bytes.iter().fold(0, |all, byte| all | byte) > 1 {
            return Err(Stop::Invalid);
        }
        self.values.extend(bytes);
        Ok(())
    }

    #[inline(always)]
    fn read_optional<P: Pack>(&mut self, null: u8, cur: &mut Cursor<'_, P>) -> Result<bool, Stop> {
        let (present, [byte]) = cur.optional_array(null)?;
        if byte > 1 {
            return Err(Stop::Invalid);
        }
        self.values.push(byte == 1);
        Ok(present)
    }

    #[inline(always)]
    fn push_null(&mut self) {
        self.values.push(false);
    }
}

impl Fill for Booleans {
    fn prepare(&mut self) {
        // Flags keep their memory.
    }

    fn pad(&mut self, n: usize) {
        self.values.push_n(false, n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.values.len());
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.values.truncate(marks.next());
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(BooleanArray::new(self.values.take_bits(), None))
    }
}
