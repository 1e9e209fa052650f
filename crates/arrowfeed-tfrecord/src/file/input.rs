//! Reads the records of a run in order.

use std::io::BufReader;
use std::ops::Range;

use arrowfeed_source::io::SequentialReader;
use arrowfeed_source::{Check, FeedError, Limits};

use super::frames::Frames;
use crate::Records;

/// The source of the records of a run.
#[derive(Debug)]
pub(super) enum Input {
    Plain(Run),
    /// The only chunk of a compressed file, which starts at the first byte.
    Compressed(Box<Records<BufReader<SequentialReader>>>),
    /// A run that does not contain the chunk of a compressed file.
    Nothing,
}

/// The records of an uncompressed file.
#[derive(Debug)]
pub(super) struct Run {
    frames: Frames,
    /// Byte range of the last record with its frame; empty at the start of a run and after corrupt bytes.
    place: Range<u64>,
    /// End offset of the run.
    end: u64,
}

/// The location of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Offset of its frame; 0 in a compressed file.
    pub(super) offset: u64,
    /// Length of the record with its frame in bytes; without the header in a compressed file.
    pub(super) bytes: usize,
}

impl Input {
    pub(super) fn plain(frames: Frames) -> Self {
        Self::Plain(Run { frames, place: 0..0, end: 0 })
    }

    /// Starts a run.
    pub(super) fn begin(&mut self, range: Range<u64>) {
        match self {
            Self::Plain(run) => {
                run.frames.set_read_ahead_end(range.end);
                (run.place, run.end) = (range.start..range.start, range.end);
            }
            Self::Compressed(_) if range.contains(&0) => {}
            Self::Compressed(_) | Self::Nothing => *self = Self::Nothing,
        }
    }

    /// Advances to the next record. Returns `None` at the end of the run.
    ///
    /// # Errors
    /// No valid frame starts at the next offset; the system reports an error.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Found>, FeedError> {
        match self {
            Self::Plain(run) => {
                let offset = run.place.end;
                if offset >= run.end {
                    return Ok(None);
                }
                let end = run.frames.end(offset).map_err(|error| error.at_offset(offset))?;
                run.place = offset..end;
                Ok(Some(Found { offset, bytes: (end - offset) as usize }))
            }
            Self::Compressed(records) => {
                Ok(records.advance()?.then(|| Found { offset: 0, bytes: records.len() }))
            }
            Self::Nothing => Ok(None),
        }
    }

    /// The bytes of the current record.
    ///
    /// # Errors
    /// Its checksum does not match, or it exceeds a limit; the system reports an error.
    #[inline]
    pub(super) fn record(&mut self, limits: &Limits) -> Result<&[u8], FeedError> {
        match self {
            Self::Plain(Run { frames, place, .. }) => frames.record(place.start, place.end, limits),
            Self::Compressed(records) => records.current(),
            Self::Nothing => Ok(&[]),
        }
    }

    /// Skips corrupt bytes and continues at the next frame. Does nothing in a compressed file, which ends at a corrupt
    /// frame.
    ///
    /// # Errors
    /// The system reports an error, or the caller cancels.
    pub(super) fn find_next(&mut self, check: &Check<'_>) -> Result<(), FeedError> {
        if let Self::Plain(run) = self {
            let next = run.frames.find(run.place.end + 1, check)?.unwrap_or(run.end).min(run.end);
            run.place = next..next;
        }
        Ok(())
    }

    /// Offset of the corrupt frame that was found last; `None` in a compressed file.
    pub(super) fn fault(&self) -> Option<u64> {
        match self {
            Self::Plain(run) => Some(run.place.end),
            Self::Compressed(_) | Self::Nothing => None,
        }
    }
}
