//! State that all columns of a decoder share while they read rows.

use std::sync::Arc;

use arrowfeed_source::Limits;

use crate::plan::skip::{Budget, Skips};
use crate::wire::Reads;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// The position after a read by a function that is not inlined. `None` if it stopped; the context then has the
/// reason. The type fits in two registers. A `Result` would go through memory, and take the position of the hot
/// loop with it (5 % of the time on `wide_flat`).
pub(crate) type Moved<'a, P> = Option<Cursor<'a, P>>;

/// Budgets of the batch and of the record.
#[derive(Debug)]
pub(crate) struct Context {
    /// Reason of the last read that stopped.
    stop: Stop,
    /// Number of bytes by which the batch may still grow.
    room: i64,
    pub(crate) budget: Budget,
    pub(crate) skips: Arc<Skips>,
}

impl Context {
    pub(crate) fn new(limits: &Limits, skips: Arc<Skips>) -> Self {
        Self { stop: Stop::Invalid, room: 0, budget: Budget::new(limits), skips }
    }

    #[inline(always)]
    pub(crate) fn moved<'a, P: Pack>(&mut self, result: Result<Cursor<'a, P>, Stop>) -> Moved<'a, P> {
        match result {
            Ok(cur) => Some(cur),
            Err(stop) => {
                self.stop = stop;
                None
            }
        }
    }

    #[inline(always)]
    pub(crate) fn result<'a, P: Pack>(&self, moved: Moved<'a, P>) -> Result<Cursor<'a, P>, Stop> {
        moved.ok_or(self.stop)
    }

    /// Sets the number of bytes by which the batch may grow.
    pub(crate) fn set_room(&mut self, bytes: i64) {
        self.room = bytes;
    }

    pub(crate) fn room(&self) -> i64 {
        self.room
    }

    /// Counts bytes by which the batch grows, and fails if they exceed the room.
    #[inline(always)]
    pub(crate) fn take_bytes(&mut self, bytes: usize) -> Result<(), Stop> {
        self.room = self.room.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
        if self.room < 0 { Err(Stop::Full) } else { Ok(()) }
    }

    /// Counts `count` items before they are read. Fails if the block has too few bytes for them, or the batch
    /// too little room.
    #[inline(always)]
    pub(crate) fn take_items<P: Pack>(
        &mut self,
        count: usize,
        min_bytes: usize,
        slot_bytes: usize,
        cur: &Cursor<'_, P>,
    ) -> Result<(), Stop> {
        if min_bytes == 0 {
            self.budget.zero_byte_elements(count, cur)?;
        }
        if (count | min_bytes | slot_bytes) >> 31 != 0 {
            cur.room_for(count, min_bytes)?;
            return self.take_bytes(count.saturating_mul(slot_bytes));
        }
        // Numbers of 31 bits, whose products do not overflow.
        let of_items = |bytes: usize| count as u64 * bytes as u64;
        if of_items(min_bytes) > cur.left() as u64 {
            return Err(Stop::Invalid);
        }
        self.room -= of_items(slot_bytes) as i64;
        if self.room < 0 { Err(Stop::Full) } else { Ok(()) }
    }
}
