//! The records of a run, one after the other.

use std::io::BufReader;
use std::ops::Range;

use arrowfeed_source::io::SequentialReader;
use arrowfeed_source::{Check, FeedError, Limits};

use super::frames::Frames;
use crate::Records;

/// Where records come from.
#[derive(Debug)]
pub(super) enum Input {
    Plain(Run),
    /// The only chunk of a file, which starts at its first byte.
    Compressed(Box<Records<BufReader<SequentialReader>>>),
    /// A run that has no chunk of a compressed file.
    Nothing,
}

/// Records of a file that is not compressed.
#[derive(Debug)]
pub(super) struct Run {
    frames: Frames,
    /// The last record with its frame.
    place: Range<u64>,
    /// Where the run ends.
    end: u64,
}

/// A record that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Where its frame starts. 0 in a compressed file.
    pub(super) offset: u64,
    /// Bytes of it, with its frame.
    pub(super) bytes: usize,
}

impl Input {
    pub(super) fn plain(frames: Frames) -> Self {
        Self::Plain(Run { frames, place: 0..0, end: 0 })
    }

    /// Begins a run.
    pub(super) fn begin(&mut self, range: Range<u64>) {
        match self {
            Self::Plain(run) => {
                run.frames.set_wanted(range.end);
                (run.place, run.end) = (range.start..range.start, range.end);
            }
            Self::Compressed(_) if range.contains(&0) => {}
            Self::Compressed(_) | Self::Nothing => *self = Self::Nothing,
        }
    }

    /// Goes to the next record. `None`: the run ends.
    ///
    /// # Errors
    /// No frame is where one should be; the system refuses.
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

    /// The record that was found last.
    ///
    /// # Errors
    /// It has another checksum, or is longer than a limit; the system refuses.
    #[inline]
    pub(super) fn record(&mut self, limits: &Limits) -> Result<&[u8], FeedError> {
        match self {
            Self::Plain(Run { frames, place, .. }) => frames.record(place.start, place.end, limits),
            Self::Compressed(records) => records.current(),
            Self::Nothing => Ok(&[]),
        }
    }

    /// Goes on behind what is no frame, where the next one is. In a compressed file there is none.
    ///
    /// # Errors
    /// The system refuses, or the caller wants to stop.
    pub(super) fn find_next(&mut self, check: &Check<'_>) -> Result<(), FeedError> {
        if let Self::Plain(run) = self {
            let next = run.frames.find(run.place.end + 1, check)?.unwrap_or(run.end).min(run.end);
            run.place = next..next;
        }
        Ok(())
    }

    /// Where the fault is that was found last. `None`: in a compressed file.
    pub(super) fn fault(&self) -> Option<u64> {
        match self {
            Self::Plain(run) => Some(run.place.end),
            Self::Compressed(_) | Self::Nothing => None,
        }
    }
}
