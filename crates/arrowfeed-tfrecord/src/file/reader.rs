//! Reads the records of a file in order.

use std::io::BufReader;
use std::ops::Range;

use arrowfeed_source::format::records::{Record, RecordReader};
use arrowfeed_source::io::SequentialReader;
use arrowfeed_source::{Check, FeedError, Limits};

use super::frames::Frames;
use crate::Records;

/// The records of a file.
#[derive(Debug)]
pub enum FrameReader {
    Plain {
        frames: Frames,
        /// Byte range of the current record with its frame; empty before the first one.
        frame: Range<u64>,
        limits: Limits,
    },
    Compressed(Box<Records<BufReader<SequentialReader>>>),
}

impl FrameReader {
    pub(super) fn plain(frames: Frames, limits: Limits) -> Self {
        Self::Plain { frames, frame: 0..0, limits }
    }
}

impl RecordReader for FrameReader {
    const FINDS_AFTER_DAMAGE: bool = true;

    #[inline]
    fn offset(&self) -> u64 {
        match self {
            Self::Plain { frame, .. } => frame.end,
            Self::Compressed(_) => 0,
        }
    }

    fn begin(&mut self, run: Range<u64>) {
        if let Self::Plain { frames, frame, .. } = self {
            frames.set_read_ahead_end(run.end);
            *frame = run.start..run.start;
        }
    }

    #[inline]
    fn advance(&mut self, _check: &Check<'_>) -> Result<Option<Record>, FeedError> {
        let bytes = match self {
            Self::Plain { frames, frame, .. } => {
                let start = frame.end;
                let end = frames.end(start).map_err(|error| error.at_offset(start))?;
                *frame = start..end;
                (end - start) as usize
            }
            Self::Compressed(records) => match records.advance()? {
                true => records.len(),
                false => return Ok(None),
            },
        };
        Ok(Some(Record { bytes, is_row: true }))
    }

    #[inline]
    fn record(&mut self) -> Result<&[u8], FeedError> {
        match self {
            Self::Plain { frames, frame, limits } => frames.record(frame.start, frame.end, limits),
            Self::Compressed(records) => records.current(),
        }
    }

    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        match self {
            Self::Plain { frames, .. } => frames.find(from, check),
            Self::Compressed(_) => Ok(None),
        }
    }
}
