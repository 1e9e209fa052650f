//! State of one file in the read-ahead: its version, its segments, and the ranges of its next requests.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::object::{ObjectBody, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard};
use super::segments::Segments;
use crate::{FeedError, FeedErrorKind, thousands};

/// Minimum size in bytes of a request that was not announced. Block headers are read a few bytes at a time.
const WINDOW: u64 = 1 << 20;

/// At most 1 / `SEQUENTIAL` of the read-ahead bytes is announced ahead of sequential reads.
const SEQUENTIAL: u64 = 2;

pub(super) struct FileState {
    pub(super) object: Arc<dyn RemoteObject>,
    pub(super) version: Option<ObjectVersion>,
    pub(super) segments: Segments,
    /// The number and the guard of a request for the version only.
    pub(super) asked: Option<(u64, RequestGuard)>,
    /// The error of that request.
    pub(super) failure: Option<FeedError>,
    /// Whether a request for a range failed and no reader has taken its error yet. Until then, announced
    /// ranges are not requested.
    pub(super) has_failed: bool,
    /// All bytes, if the server does not support ranges.
    pub(super) whole: Option<Arc<File>>,
    /// The next offset if unannounced reads are sequential, and the current number of bytes to announce after it.
    expected: Option<(u64, u64)>,
}

/// The ranges for an unannounced read.
pub(super) struct ReadRanges {
    /// The range to request now.
    pub(super) range: Range<u64>,
    /// The range to announce.
    pub(super) next: Option<Range<u64>>,
}

impl FileState {
    pub(super) fn new(object: Arc<dyn RemoteObject>) -> Self {
        Self {
            object,
            version: None,
            segments: Segments::default(),
            asked: None,
            failure: None,
            has_failed: false,
            whole: None,
            expected: None,
        }
    }

    /// Length, if known. A version takes precedence over a listing, which may be older than the object.
    pub(super) fn len(&self) -> Option<u64> {
        self.version.as_ref().map(|version| version.len).or_else(|| self.object.known_len())
    }

    /// Whether the version is known and all bytes of the ranges have arrived, or reading them is an error.
    pub(super) fn has(&self, ranges: &[Range<u64>]) -> bool {
        if self.failure.is_some() || self.has_failed || self.whole.is_some() {
            return true;
        }
        let Some(version) = &self.version else { return false };
        ranges.iter().all(|range| self.segments.has(&(range.start..range.end.min(version.len))))
    }

    /// Returns the next range to request from an announced one, and how many of its bytes were announced.
    pub(super) fn next_piece(&self, range: &Range<u64>) -> Option<(Range<u64>, u64)> {
        let end = self.len().map_or(range.end, |len| range.end.min(len));
        if range.start >= end {
            return None;
        }
        let missing = self.segments.missing(range.start..end).into_iter().next()?;
        let limits = self.object.limits();
        let (len, most) = (missing.end - missing.start, limits.request_bytes.max(1));
        // Pieces of even size: a short last one would take as long as the others.
        let piece = if missing.end == u64::MAX { most } else { len.div_ceil(len.div_ceil(most)) };
        let wanted = missing.start..missing.end.min(missing.start.saturating_add(piece));
        let unread = wanted.end - wanted.start;
        Some((self.aligned(wanted, limits), unread))
    }

    /// Returns the part of an announced range that a request from `start` to `end` can fetch too. At most `gap` bytes
    /// lie between them.
    pub(super) fn joined(&self, start: u64, end: u64, range: &Range<u64>) -> Option<Range<u64>> {
        let limits = self.object.limits();
        let close = range.start >= end && range.start - end <= limits.gap;
        let last = range.end.min(start.saturating_add(limits.request_bytes)).min(self.len()?);
        let free = || self.segments.missing(end..last) == std::slice::from_ref(&(end..last));
        (close && last > range.start && free()).then_some(range.start..last)
    }

    /// Returns the ranges for an unannounced read of up to `most` bytes, where the next segment starts at `next`.
    pub(super) fn demanded(&mut self, offset: u64, most: usize, next: u64) -> ReadRanges {
        let limits = self.object.limits();
        let end = next.min(self.len().filter(|len| *len > offset).unwrap_or(u64::MAX));
        let needed = offset.saturating_add(most as u64).min(end);
        let ahead = match self.expected {
            Some((expected, ahead)) if expected == offset => {
                (2 * ahead).min(limits.bytes / SEQUENTIAL).max(WINDOW)
            }
            _ => 0,
        };
        let window = WINDOW.max(most as u64).min(limits.request_bytes.max(1));
        let range = self.aligned(offset..end.min(offset.saturating_add(window)), limits);
        let last = needed.max(range.end.saturating_add(ahead)).min(end);
        let next = (last > range.end).then_some(range.end..last);
        self.expected = Some((last.max(range.end), ahead.max(WINDOW / 2)));
        ReadRanges { range, next }
    }

    /// Extends the range to multiples of the alignment, unless a segment is in the way.
    fn aligned(&self, range: Range<u64>, limits: ReadAheadLimits) -> Range<u64> {
        let unit = limits.alignment.max(1);
        let start = range.start / unit * unit;
        let end = range.end.div_ceil(unit).saturating_mul(unit);
        let end = end.min(self.len().unwrap_or(u64::MAX)).max(range.end);
        let around = self.segments.missing(start..end);
        around.into_iter().find(|free| free.start <= range.start && free.end >= range.end).unwrap_or(range)
    }

    /// Checks the response to a range request and returns its body.
    pub(super) fn check_response(
        &mut self,
        range: Range<u64>,
        response: ObjectResponse,
    ) -> Result<ObjectBody, FeedError> {
        let len = response.version.len;
        self.check_version(response.version)?;
        if let ObjectBody::Range(pieces) = &response.body {
            let expected = range.end.min(len).saturating_sub(range.start);
            let found: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
            if found != expected {
                let (expected, found) = (thousands(expected), thousands(found));
                let message = format!("expected {expected} bytes from the store, found {found}");
                return Err(FeedError::io(io::Error::other(message)));
            }
        }
        Ok(response.body)
    }

    /// Stores the first version, and checks later ones against it.
    pub(super) fn check_version(&mut self, found: ObjectVersion) -> Result<(), FeedError> {
        let Some(known) = &self.version else {
            self.version = Some(found);
            return Ok(());
        };
        match known.difference(&found) {
            None => Ok(()),
            Some(difference) => Err(FeedError::new(FeedErrorKind::Changed, difference)),
        }
    }
}
