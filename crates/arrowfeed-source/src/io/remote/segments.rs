//! Byte ranges of one object that were requested or have arrived.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;

use super::object::RequestGuard;
use crate::FeedError;

/// Segments that do not overlap, by their start.
#[derive(Default)]
pub(super) struct Segments(BTreeMap<u64, Segment>);

/// A range that one request fetches.
pub(super) struct Segment {
    pub(super) end: u64,
    /// Announced bytes that no reader has read yet. Zero for a range that was not announced.
    pub(super) unread: u64,
    pub(super) content: SegmentContent,
}

pub(super) enum SegmentContent {
    /// The request with this number is in flight. The guard cancels it when it is dropped.
    Requested { request: u64, _guard: Option<RequestGuard> },
    /// Pieces, each with the offset of its first byte.
    Arrived(Vec<(u64, Bytes)>),
    /// The request failed. The next reader takes the error.
    Failed(FeedError),
}

/// The state of an offset.
pub(super) enum OffsetState {
    /// Bytes from the offset on, and the start of their segment if this read completed it.
    Bytes(Vec<Bytes>, Option<u64>),
    Requested,
    /// The request failed. Its segment has been removed.
    Failed(FeedError),
    /// No request covers the offset. The next segment starts at the contained offset.
    Missing(u64),
}

impl Segments {
    /// Finds up to `most` bytes from `offset` on, and counts them as read.
    pub(super) fn read(&mut self, offset: u64, most: usize) -> OffsetState {
        let Some(start) = self.start_at(offset) else {
            let next = self.0.range(offset..).next().map_or(u64::MAX, |(start, _)| *start);
            return OffsetState::Missing(next);
        };
        let Some(segment) = self.0.get_mut(&start) else { return OffsetState::Missing(u64::MAX) };
        match &segment.content {
            SegmentContent::Requested { .. } => OffsetState::Requested,
            SegmentContent::Arrived(pieces) => {
                let bytes = slices(pieces, offset, most);
                let read: usize = bytes.iter().map(Bytes::len).sum();
                let was_unread = segment.unread > 0;
                segment.unread = segment.unread.saturating_sub(read as u64);
                OffsetState::Bytes(bytes, (was_unread && segment.unread == 0).then_some(start))
            }
            SegmentContent::Failed(_) => match self.0.remove(&start) {
                Some(Segment { content: SegmentContent::Failed(error), .. }) => OffsetState::Failed(error),
                _ => OffsetState::Missing(u64::MAX),
            },
        }
    }

    /// Returns the start of the segment that contains the offset.
    fn start_at(&self, offset: u64) -> Option<u64> {
        let (start, segment) = self.0.range(..=offset).next_back()?;
        (segment.end > offset).then_some(*start)
    }

    /// Whether all bytes of the range have arrived, or a request for one of them failed.
    pub(super) fn has(&self, range: &Range<u64>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let segment = self.start_at(at).and_then(|start| self.0.get(&start));
            match segment.map(|segment| (&segment.content, segment.end)) {
                Some((SegmentContent::Arrived(_), end)) => at = end,
                Some((SegmentContent::Failed(_), _)) => return true,
                _ => return false,
            }
        }
        true
    }

    /// Returns the parts of a range that no segment covers.
    pub(super) fn missing(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut at = range.start;
        if let Some((_, segment)) = self.0.range(..=at).next_back() {
            at = at.max(segment.end);
        }
        for (start, segment) in self.0.range(range.start..range.end.max(range.start)) {
            if *start > at {
                missing.push(at..*start);
            }
            at = at.max(segment.end);
        }
        if at < range.end {
            missing.push(at..range.end);
        }
        missing
    }

    /// Adds a requested segment, which must not overlap another one.
    pub(super) fn insert_requested(&mut self, range: Range<u64>, unread: u64, request: u64) {
        let content = SegmentContent::Requested { request, _guard: None };
        self.0.insert(range.start, Segment { end: range.end, unread, content });
    }

    /// Adds a segment, which must not overlap another one.
    pub(super) fn insert(&mut self, start: u64, segment: Segment) {
        self.0.insert(start, segment);
    }

    pub(super) fn get_mut(&mut self, start: u64) -> Option<&mut Segment> {
        self.0.get_mut(&start)
    }

    pub(super) fn remove(&mut self, start: u64) -> Option<Segment> {
        self.0.remove(&start)
    }

    /// Removes and returns all segments, each with its start.
    pub(super) fn take_all(&mut self) -> Vec<(u64, Segment)> {
        std::mem::take(&mut self.0).into_iter().collect()
    }

    /// Removes a failed segment and returns its error.
    pub(super) fn take_failure(&mut self) -> Option<FeedError> {
        let failed = |(_, segment): &(&u64, &Segment)| matches!(segment.content, SegmentContent::Failed(_));
        let start = *self.0.iter().find(failed)?.0;
        match self.0.remove(&start)?.content {
            SegmentContent::Failed(error) => Some(error),
            SegmentContent::Requested { .. } | SegmentContent::Arrived(_) => None,
        }
    }

    /// Whether a request is in flight.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.values().any(Segment::is_requested)
    }

    /// Whether a request in flight fetches a byte of the range.
    pub(super) fn is_arriving(&self, range: &Range<u64>) -> bool {
        let first = self.start_at(range.start).unwrap_or(range.start);
        self.0.range(first..range.end.max(first)).any(|(_, segment)| segment.is_requested())
    }
}

impl Segment {
    pub(super) fn len(&self, start: u64) -> u64 {
        self.end - start
    }

    fn is_requested(&self) -> bool {
        matches!(self.content, SegmentContent::Requested { .. })
    }
}

/// Returns up to `most` bytes from `offset` on, out of contiguous pieces.
fn slices(pieces: &[(u64, Bytes)], offset: u64, most: usize) -> Vec<Bytes> {
    let first = pieces.partition_point(|(start, bytes)| start + bytes.len() as u64 <= offset);
    let (mut found, mut left, mut at) = (Vec::new(), most, offset);
    for (start, bytes) in &pieces[first..] {
        if left == 0 {
            break;
        }
        let skipped = usize::try_from(at - start).unwrap_or(usize::MAX).min(bytes.len());
        let slice = bytes.slice(skipped..bytes.len().min(skipped.saturating_add(left)));
        left -= slice.len();
        at += slice.len() as u64;
        found.push(slice);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeedErrorKind;

    fn arrived(segments: &mut Segments, range: Range<u64>, piece: usize) {
        segments.insert_requested(range.clone(), range.end - range.start, 0);
        let bytes: Vec<u8> = range.clone().map(|at| at as u8).collect();
        let starts = (range.start..).step_by(piece);
        let pieces = bytes.chunks(piece).map(Bytes::copy_from_slice);
        segments.get_mut(range.start).unwrap().content =
            SegmentContent::Arrived(starts.zip(pieces).collect());
    }

    #[test]
    fn bytes_come_from_the_segment_that_has_them() {
        let mut segments = Segments::default();
        arrived(&mut segments, 10..30, 7);
        segments.insert_requested(30..40, 10, 1);
        for offset in 10..30 {
            let OffsetState::Bytes(bytes, _) = segments.read(offset, 8) else { panic!("{offset}") };
            let expected: Vec<u8> = (offset..30).take(8).map(|at| at as u8).collect();
            assert_eq!(bytes.concat(), expected);
        }
        assert!(matches!(segments.read(35, 8), OffsetState::Requested));
        assert!(matches!(segments.read(3, 8), OffsetState::Missing(10)));
        assert!(matches!(segments.read(40, 8), OffsetState::Missing(u64::MAX)));
    }

    #[test]
    fn a_segment_is_reported_once_all_of_it_was_read() {
        let mut segments = Segments::default();
        arrived(&mut segments, 10..30, 7);
        let read = |segments: &mut Segments, offset| match segments.read(offset, 15) {
            OffsetState::Bytes(_, whole) => whole,
            _ => panic!("{offset}"),
        };
        assert_eq!(read(&mut segments, 10), None);
        assert_eq!(read(&mut segments, 25), Some(10));
        assert_eq!(read(&mut segments, 25), None);
    }

    #[test]
    fn missing_ranges_are_those_without_a_segment() {
        let mut segments = Segments::default();
        arrived(&mut segments, 10..30, 7);
        segments.insert_requested(40..50, 10, 1);
        assert_eq!(segments.missing(0..60), [0..10, 30..40, 50..60]);
        assert_eq!(segments.missing(12..45), std::slice::from_ref(&(30..40)));
        assert!(segments.missing(12..30).is_empty());
        assert!(segments.has(&(12..30)) && !segments.has(&(12..31)) && segments.has(&(5..5)));
    }

    #[test]
    fn an_error_is_taken_by_one_reader() {
        let mut segments = Segments::default();
        segments.insert_requested(0..10, 10, 1);
        let error = FeedError::new(FeedErrorKind::Io, "expected a response");
        segments.get_mut(0).unwrap().content = SegmentContent::Failed(error);
        assert!(segments.has(&(3..20)));
        assert!(matches!(segments.read(3, 1), OffsetState::Failed(..)));
        assert!(matches!(segments.read(3, 1), OffsetState::Missing(_)));
    }
}
