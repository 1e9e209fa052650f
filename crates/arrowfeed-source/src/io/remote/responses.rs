//! Response handling: updates the segment, the version and the queue.

use std::sync::{Arc, Weak};

use super::file_state::FileState;
use super::object::{ObjectBody, ObjectResponse};
use super::read_ahead::{OnArrival, Shared, State};
use super::segments::{Segment, SegmentContent};
use crate::FeedError;

impl Shared {
    /// Handles the response to a request. `start` is the start of its segment, or `None` for a request for the version only.
    pub(super) fn receive(
        self: &Arc<Self>,
        file: u64,
        start: Option<u64>,
        request: u64,
        response: Result<ObjectResponse, FeedError>,
    ) {
        let mut state = self.lock();
        let Some(mut found) = state.files.remove(&file) else { return };
        let dropped = match start {
            Some(start) => state.receive_range(file, &mut found, start, request, response),
            None => {
                state.receive_version(&mut found, request, response);
                Vec::new()
            }
        };
        state.files.insert(file, found);
        state.pump(self);
        let listeners: Vec<Arc<OnArrival>> = state.listeners.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        self.arrived.notify_all();
        for listener in listeners {
            listener();
        }
        drop(dropped);
    }
}

impl State {
    /// Returns the segments to drop after the lock is released.
    fn receive_range(
        &mut self,
        file: u64,
        found: &mut FileState,
        start: u64,
        request: u64,
        response: Result<ObjectResponse, FeedError>,
    ) -> Vec<(u64, Segment)> {
        let expected = |segment: &&mut Segment| matches!(segment.content, SegmentContent::Requested { request: id, .. } if id == request);
        let Some(segment) = found.segments.get_mut(start).filter(expected) else { return Vec::new() };
        let (requested, unread) = (segment.len(start), segment.unread);
        self.in_flight.remove(requested);
        let received = response.and_then(|response| found.check_response(start..start + requested, response));
        let Some(mut segment) = found.segments.remove(start) else { return Vec::new() };
        if unread > 0 {
            self.ahead -= requested;
        }
        match received {
            Ok(ObjectBody::Whole(whole)) => {
                found.whole = Some(whole);
                let mut dropped = found.segments.take_all();
                for (start, segment) in &dropped {
                    self.forget(*start, segment);
                }
                self.kept.retain(|(kept, _)| *kept != file);
                dropped.push((start, segment));
                dropped
            }
            Ok(ObjectBody::Range(bytes)) => {
                let mut pieces = Vec::with_capacity(bytes.len());
                let mut at = start;
                for piece in bytes.into_iter().filter(|piece| !piece.is_empty()) {
                    let end = at + piece.len() as u64;
                    pieces.push((at, piece));
                    at = end;
                }
                let guard = std::mem::replace(&mut segment.content, SegmentContent::Arrived(Vec::new()));
                if at > start {
                    let arrived = Segment {
                        end: at,
                        unread: unread.min(at - start),
                        content: SegmentContent::Arrived(pieces),
                    };
                    found.segments.insert(start, arrived);
                    if unread > 0 {
                        self.ahead += at - start;
                    } else {
                        self.push_kept(file, found, start);
                    }
                }
                segment.content = guard;
                vec![(start, segment)]
            }
            Err(error) => {
                found.has_failed = true;
                let content = SegmentContent::Failed(error);
                found.segments.insert(start, Segment { end: segment.end, unread: 0, content });
                vec![(start, segment)]
            }
        }
    }

    fn receive_version(
        &mut self,
        found: &mut FileState,
        request: u64,
        response: Result<ObjectResponse, FeedError>,
    ) {
        if !matches!(found.asked, Some((id, _)) if id == request) {
            return;
        }
        self.in_flight.remove(0);
        found.asked = None;
        if let Err(error) = response.and_then(|response| found.check_version(response.version)) {
            found.failure = Some(error);
        }
    }
}
