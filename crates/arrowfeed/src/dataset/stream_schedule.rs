//! The parts of all streams of a process, in the order in which the batches need them.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::run::Part;
use arrowfeed_source::{FeedError, FeedErrorKind, ForkLock};

/// A part that a stream needs.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) part: Part,
    /// Number of its rows.
    pub(super) rows: u64,
    /// Number of rows of the lap that are yielded before the first one of the part. All parts of a shuffle window are needed
    /// for its first row.
    pub(super) start: u64,
    /// The number of its window in the lap.
    pub(super) window: usize,
}

/// The parts of one lap of a stream that have not been taken.
#[derive(Debug)]
pub(super) struct LapPlan {
    pub(super) lap: u64,
    /// Number of rows of the stream in the laps before it.
    pub(super) before: u64,
    /// Number of rows of the lap that are needed.
    pub(super) quota: u64,
    pub(super) segments: VecDeque<Segment>,
    /// Number of rows of parts that were taken and that could not be read.
    pub(super) lost: u64,
}

/// A part that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// Its number in the reader.
    pub(super) number: u64,
    /// The stream, among those of this process, its lap, and the window.
    pub(super) stream: usize,
    pub(super) lap: u64,
    pub(super) window: usize,
    pub(super) rows: u64,
    pub(super) received: u64,
}

/// The parts of all streams of a process.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The laps of each stream that may need parts.
    pub(super) streams: Vec<VecDeque<LapPlan>>,
    /// Parts that were taken and are not complete, in the order of the reader.
    pub(super) taken: VecDeque<Taken>,
    /// Number of parts that the current reader has taken.
    count: u64,
    /// Rows of each stream in a batch.
    batch_rows: u64,
}

/// The schedule, which the reader of the parts and the reader of the streams share. Only the thread of the caller uses it.
#[derive(Debug, Clone)]
pub(super) struct SharedSchedule(Arc<ForkLock<Schedule>>);

impl SharedSchedule {
    pub(super) fn new(streams: usize, batch_rows: u64) -> Self {
        let streams = (0..streams).map(|_| VecDeque::new()).collect();
        let schedule = Schedule { streams, taken: VecDeque::new(), count: 0, batch_rows: batch_rows.max(1) };
        Self(Arc::new(ForkLock::new(schedule)))
    }

    /// # Errors
    /// This is a forked child, and the parent held the lock.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Schedule) -> T) -> Result<T, FeedError> {
        self.0.with(work).ok_or_else(forked)
    }

    /// The parts for a new reader.
    pub(super) fn parts(&self) -> Result<impl Iterator<Item = Part> + Send + 'static, FeedError> {
        self.with(|schedule| schedule.count = 0)?;
        let shared = self.0.clone();
        Ok(std::iter::from_fn(move || shared.with(Schedule::next).flatten()))
    }
}

#[cold]
fn forked() -> FeedError {
    let message =
        "expected the process that started the iteration, found a forked child: start it in the child";
    FeedError::new(FeedErrorKind::Internal, message)
}

impl LapPlan {
    /// Removes the parts of files in groups that skip them. Returns the windows of these parts.
    pub(super) fn leave_out(&mut self, left_out: &[(u64, usize)]) -> Vec<usize> {
        let mut windows = Vec::new();
        self.segments.retain(|segment| {
            let stays = !left_out.contains(&(segment.part.group(), segment.part.file()));
            if !stays {
                self.lost += segment.rows;
                windows.push(segment.window);
            }
            stays
        });
        windows
    }

    /// The number of rows of the lap before the next part; `None` if the lap needs no more parts.
    fn next_start(&self) -> Option<u64> {
        let start = self.segments.front()?.start.saturating_sub(self.lost);
        (start < self.quota).then_some(start)
    }
}

impl Schedule {
    /// Whether a stream needs a part that was not taken.
    pub(super) fn is_needed(&self) -> bool {
        self.streams.iter().flatten().any(|lap| lap.next_start().is_some())
    }

    /// Whether a lap of a stream needs no part that was not taken, and all parts that were taken are complete.
    pub(super) fn is_complete(&self, stream: usize, lap: u64) -> bool {
        let is_taken = self.taken.iter().any(|taken| (taken.stream, taken.lap) == (stream, lap));
        let is_needed = self.lap(stream, lap).is_some_and(|plan| plan.next_start().is_some());
        !is_taken && !is_needed
    }

    fn lap(&self, stream: usize, lap: u64) -> Option<&LapPlan> {
        self.streams[stream].iter().find(|plan| plan.lap == lap)
    }

    pub(super) fn lap_mut(&mut self, stream: usize, lap: u64) -> Option<&mut LapPlan> {
        self.streams[stream].iter_mut().find(|plan| plan.lap == lap)
    }

    /// Takes the part that is needed first.
    fn next(&mut self) -> Option<Part> {
        let mut first: Option<(u64, usize, usize)> = None;
        for (stream, laps) in self.streams.iter().enumerate() {
            let next = laps
                .iter()
                .enumerate()
                .find_map(|(nth, lap)| Some((nth, lap.before.saturating_add(lap.next_start()?))));
            let Some((nth, start)) = next else { continue };
            let batch = start / self.batch_rows;
            if first.is_none_or(|(other, ..)| batch < other) {
                first = Some((batch, stream, nth));
            }
        }
        let (_, stream, nth) = first?;
        let lap = &mut self.streams[stream][nth];
        let Segment { part, rows, window, .. } = lap.segments.pop_front()?;
        let (number, lap) = (self.count, lap.lap);
        self.count += 1;
        self.taken.push_back(Taken { number, stream, lap, window, rows, received: 0 });
        Some(part)
    }
}
