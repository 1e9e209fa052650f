//! Memory that one reader leaves for the next.
//!
//! A process that reads file after file, or epoch after epoch, would otherwise get and return the same memory each
//! time, and pay for fresh pages: with several threads, whose page faults wait for each other, more than for the
//! decoding (`linkedin` on two threads: 92 ms a run, 75 with the depot).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::piece::Piece;

/// Smaller memory the allocator keeps itself.
pub(super) const LEAST: usize = 64 << 10;

/// All that is kept for later.
const MOST: usize = 64 << 20;

/// A piece that is this many times larger than what is asked for is left for somebody else.
const SLACK: usize = 4;

/// Pieces that wait, the oldest first, and their bytes.
struct Depot {
    waiting: VecDeque<Piece>,
    bytes: usize,
}

static DEPOT: Mutex<Depot> = Mutex::new(Depot { waiting: VecDeque::new(), bytes: 0 });

/// None where it is in use: nobody waits for it, and in the child of a fork it may be in use for ever.
fn depot() -> Option<MutexGuard<'static, Depot>> {
    match DEPOT.try_lock() {
        Ok(depot) => Some(depot),
        Err(TryLockError::Poisoned(depot)) => Some(depot.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A piece of at least `capacity` bytes: a large one, so that what grows needs fewer.
pub(super) fn take(capacity: usize) -> Option<Piece> {
    if capacity < LEAST {
        return None;
    }
    let mut depot = depot()?;
    let fits = |piece: &Piece| (capacity..=capacity.saturating_mul(SLACK)).contains(&piece.capacity());
    let fitting = depot.waiting.iter().enumerate().filter(|(_, piece)| fits(piece));
    let (largest, _) = fitting.max_by_key(|(_, piece)| piece.capacity())?;
    let piece = depot.waiting.remove(largest)?;
    depot.bytes -= piece.capacity();
    Some(piece)
}

/// Keeps the piece if it is worth it, and frees the oldest where there are too many.
pub(super) fn keep(piece: Piece) {
    if !(LEAST..=MOST).contains(&piece.capacity()) {
        return piece.free();
    }
    let Some(mut depot) = depot() else { return piece.free() };
    depot.bytes += piece.capacity();
    depot.waiting.push_back(piece);
    while depot.bytes > MOST
        && let Some(oldest) = depot.waiting.pop_front()
    {
        depot.bytes -= oldest.capacity();
        oldest.free();
    }
}
