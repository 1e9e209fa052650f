//! Times of day: numbers that Arrow accepts only from midnight up to the last unit before the next midnight.

use std::marker::PhantomData;

use arrow_buffer::ArrowNativeType;

use super::number::{Read, ReadVarint};
use crate::memory::{SlotRange, Slots};
use crate::plan::node::Time;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A number that `W` reads, checked to be a time of day.
#[derive(Debug)]
pub(crate) struct TimeWire<W>(PhantomData<W>);

/// A number in the unit of a time of day.
pub(crate) trait OfDay: ArrowNativeType {
    fn is_of_day(self) -> bool;
}

/// Milliseconds.
impl OfDay for i32 {
    #[inline(always)]
    fn is_of_day(self) -> bool {
        Time::Millis.contains(self.into())
    }
}

/// Microseconds.
impl OfDay for i64 {
    #[inline(always)]
    fn is_of_day(self) -> bool {
        Time::Micros.contains(self)
    }
}

/// Reads single values through a call, so that the loop over all kinds of columns does not become longer.
impl<W: ReadVarint<T>, T: OfDay> Read<T> for TimeWire<W> {
    #[inline(never)]
    fn read<P: Pack>(cur: &mut Cursor<'_, P>) -> Result<T, Stop> {
        let time = W::read(cur)?;
        if time.is_of_day() { Ok(time) } else { Err(Stop::Invalid) }
    }

    #[inline(never)]
    fn read_optional<P: Pack>(null: u8, cur: &mut Cursor<'_, P>) -> Result<(bool, T), Stop> {
        // A null is 0, which is a time of day.
        let (present, time) = W::read_optional(null, cur)?;
        if time.is_of_day() { Ok((present, time)) } else { Err(Stop::Invalid) }
    }

    #[inline(always)]
    fn read_n<P: Pack>(slots: SlotRange, cur: &mut Cursor<'_, P>, values: &mut Slots<T>) -> Result<(), Stop> {
        W::read_accepted(slots, cur, values, OfDay::is_of_day)
    }
}
