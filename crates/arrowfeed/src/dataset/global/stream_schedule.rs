//! The parts of all streams of a process, in the order in which the batches need them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::run::Part;
use arrowfeed_source::{FeedError, FeedErrorKind, ForkLock};

use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::rows::window::{PlannedWindow, WindowPart};

/// Maximum file bytes of the parts that are decoded together.
const JOINED: u64 = 1 << 20;

/// File bytes of a part in file order, if parts are decoded together: one block of the usual size, so that 64 streams need
/// little memory.
pub(crate) const JOINED_PART: u64 = 32 << 10;

/// A part that a stream needs.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) part: WindowPart,
    /// Number of rows of the lap that are yielded before the first one of the part. All parts of a shuffle window are needed
    /// for its first row.
    pub(crate) start: u64,
    pub(crate) planned: Arc<PlannedWindow>,
    /// The number of its window in the lap.
    pub(crate) window: usize,
}

/// The parts of one lap of a stream that have not been taken.
#[derive(Debug)]
pub(crate) struct LapPlan {
    pub(crate) lap: u64,
    /// Number of rows of the stream in the laps before it.
    pub(crate) before: u64,
    /// Number of rows of the lap that are needed.
    pub(crate) quota: u64,
    pub(crate) segments: VecDeque<Segment>,
    /// Number of rows of parts that were taken and that could not be read.
    pub(crate) lost: u64,
}

/// Parts that were taken and that are decoded together.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Their number in the reader.
    pub(crate) number: u64,
    pub(crate) members: Vec<Member>,
    /// The blocks, in the order of the file, if there are several members.
    pub(crate) chunks: Vec<JoinedChunk>,
}

/// A part that was taken.
#[derive(Debug)]
pub(crate) struct Member {
    /// The stream, among those of this process, and its lap.
    pub(crate) stream: usize,
    pub(crate) lap: u64,
    pub(crate) segment: Segment,
    /// Number of rows that were decoded.
    pub(crate) received: u64,
}

/// A block of a member. Another member may have other rows of it.
#[derive(Debug)]
pub(crate) struct JoinedChunk {
    nth_chunk: usize,
    /// The number of the member, and the slot of its window.
    pub(crate) member: usize,
    pub(crate) slot: usize,
    /// The rows of the block that the member needs, without those that were decoded.
    pub(crate) rows: Range<u64>,
}

/// The parts of all streams of a process.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The laps of each stream that may need parts.
    pub(crate) streams: Vec<VecDeque<LapPlan>>,
    /// Parts that were taken and are not complete, in the order of the reader.
    pub(crate) taken: VecDeque<Taken>,
    /// Number of parts that the current reader has taken.
    count: u64,
    /// Rows of each stream in a batch.
    batch_rows: u64,
    /// The index, if parts of several streams may be decoded together.
    joins: Option<Arc<ChunkIndex>>,
}

/// The schedule, which the reader of the parts and the reader of the streams share. Only the thread of the caller uses it.
#[derive(Debug, Clone)]
pub(crate) struct SharedSchedule(Arc<ForkLock<Schedule>>);

impl SharedSchedule {
    pub(crate) fn new(streams: usize, batch_rows: u64, joins: Option<Arc<ChunkIndex>>) -> Self {
        let streams = (0..streams).map(|_| VecDeque::new()).collect();
        let taken = VecDeque::new();
        let schedule = Schedule { streams, taken, count: 0, batch_rows: batch_rows.max(1), joins };
        Self(Arc::new(ForkLock::new(schedule)))
    }

    /// # Errors
    /// This is a forked child, and the parent held the lock.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Schedule) -> T) -> Result<T, FeedError> {
        self.0.with(work).ok_or_else(forked)
    }

    /// The parts for a new reader.
    pub(crate) fn parts(&self) -> Result<impl Iterator<Item = Part> + Send + 'static, FeedError> {
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
    pub(crate) fn leave_out(&mut self, left_out: &[(u64, usize)]) -> Vec<usize> {
        let mut windows = Vec::new();
        self.segments.retain(|segment| {
            let part = &segment.part.part;
            let stays = !left_out.contains(&(part.group(), part.file()));
            if !stays {
                self.lost += segment.part.rows;
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

    /// Number of rows of the stream before the next part.
    fn next_position(&self) -> Option<u64> {
        Some(self.before.saturating_add(self.next_start()?))
    }

    /// Takes the next part of the next window that lies in a file, if it is needed before row number `end` of the stream and
    /// lies after a block.
    fn take_in(&mut self, file: usize, end: u64, most_bytes: u64, after: Option<usize>) -> Option<Segment> {
        self.next_position().filter(|start| *start < end)?;
        let window = self.segments.front()?.window;
        let own = self.segments.iter().take_while(|segment| segment.window == window);
        let at = own.map(|segment| segment.part.part.file()).position(|other| other == file)?;
        let Segment { part, planned, .. } = &self.segments[at];
        let fits = part.bytes <= most_bytes && Some(planned.nth_chunk(part.slots.start)) > after;
        if fits { self.segments.remove(at) } else { None }
    }
}

impl Member {
    fn new(stream: usize, lap: u64, segment: Segment) -> Self {
        Self { stream, lap, segment, received: 0 }
    }

    /// The number of its last block in the file.
    fn last_chunk(&self) -> Option<usize> {
        let Segment { part, planned, .. } = &self.segment;
        Some(planned.nth_chunk(part.slots.end.checked_sub(1)?))
    }

    /// Number of rows that could not be read, if all were decoded.
    pub(crate) fn lost(&self) -> u64 {
        self.segment.part.rows.saturating_sub(self.received)
    }
}

impl Taken {
    /// Whether several parts are decoded together.
    pub(crate) fn is_joined(&self) -> bool {
        self.members.len() > 1
    }
}

impl JoinedChunk {
    /// The block to which decoded rows belong, from row number `row` of block number `nth_chunk` on.
    pub(crate) fn with_row(chunks: &mut [Self], nth_chunk: usize, row: u64) -> Option<&mut Self> {
        let first = chunks.partition_point(|chunk| chunk.nth_chunk < nth_chunk);
        let own = chunks[first..].iter_mut().take_while(|chunk| chunk.nth_chunk == nth_chunk);
        own.into_iter().find(|chunk| chunk.rows.start == row && !chunk.rows.is_empty())
    }
}

impl Schedule {
    /// Whether a stream needs a part that was not taken.
    pub(crate) fn is_needed(&self) -> bool {
        self.streams.iter().flatten().any(|lap| lap.next_start().is_some())
    }

    /// Whether a lap of a stream needs no part that was not taken, and all parts that were taken are complete.
    pub(crate) fn is_complete(&self, stream: usize, lap: u64) -> bool {
        let mut members = self.taken.iter().flat_map(|taken| &taken.members);
        let is_taken = members.any(|member| (member.stream, member.lap) == (stream, lap));
        let is_needed = self.lap(stream, lap).is_some_and(|plan| plan.next_start().is_some());
        !is_taken && !is_needed
    }

    fn lap(&self, stream: usize, lap: u64) -> Option<&LapPlan> {
        self.streams[stream].iter().find(|plan| plan.lap == lap)
    }

    pub(crate) fn lap_mut(&mut self, stream: usize, lap: u64) -> Option<&mut LapPlan> {
        self.streams[stream].iter_mut().find(|plan| plan.lap == lap)
    }

    /// Takes the part that is needed first, and with it parts of other streams in the same file that are needed soon.
    fn next(&mut self) -> Option<Part> {
        let mut first: Option<(u64, usize, usize)> = None;
        for (stream, laps) in self.streams.iter().enumerate() {
            let next = laps.iter().enumerate().find_map(|(nth, lap)| Some((nth, lap.next_position()?)));
            let Some((nth, start)) = next else { continue };
            let batch = start / self.batch_rows;
            if first.is_none_or(|(other, ..)| batch < other) {
                first = Some((batch, stream, nth));
            }
        }
        let (_, stream, nth) = first?;
        let lap = &mut self.streams[stream][nth];
        let start = lap.next_position()?;
        let member = Member::new(stream, lap.lap, lap.segments.pop_front()?);
        let mut taken = Taken { number: self.count, members: vec![member], chunks: Vec::new() };
        self.count += 1;
        // A file with one chunk may have to be read from its start for each part.
        let file = taken.members[0].segment.part.part.file();
        if self.joins.as_ref().is_some_and(|index| index.chunks(file).len() > 1) {
            self.join(&mut taken, start);
        }
        let mut parts = taken.members.iter().map(|member| member.segment.part.part.clone());
        let part = parts.next()?;
        let part = if taken.is_joined() { part.joined_with(parts) } else { part };
        self.taken.push_back(taken);
        Some(part)
    }

    /// Adds parts of the same file to the first one, which starts at row number `start` of its stream. To decode the parts of
    /// 64 streams one by one took 1.5 times as long (`linkedin`, with the conversion to tensors).
    fn join(&mut self, taken: &mut Taken, start: u64) {
        let Member { stream: first, segment: Segment { part: own, .. }, .. } = &taken.members[0];
        let (first, lap_number, file, mut bytes) = (*first, taken.members[0].lap, own.part.file(), own.bytes);
        let step = own.rows.max(self.batch_rows);
        let count = self.streams.len();
        // The block after which the next part of a stream in file order must lie. Otherwise it repeats rows.
        let mut last = vec![None; count];
        last[first] = taken.members[0].last_chunk();
        for ahead in [1, 2, 4] {
            if bytes >= JOINED / 2 {
                break;
            }
            let end = start.saturating_add(step.saturating_mul(ahead));
            for stream in (first..count).chain(0..first) {
                let laps = &mut self.streams[stream];
                // In one epoch, no row is in two streams.
                while let Some(lap) = laps.iter_mut().find(|lap| lap.next_start().is_some())
                    && lap.lap == lap_number
                    && let Some(segment) = lap.take_in(file, end, JOINED.saturating_sub(bytes), last[stream])
                {
                    let member = Member::new(stream, lap.lap, segment);
                    bytes += member.segment.part.bytes;
                    last[stream] = member.last_chunk();
                    taken.members.push(member);
                }
            }
        }
        if taken.is_joined() {
            for (member, Member { segment, .. }) in taken.members.iter().enumerate() {
                let Segment { part, planned, .. } = segment;
                taken.chunks.extend(part.slots.clone().map(|slot| {
                    let (nth_chunk, rows) = (planned.nth_chunk(slot), planned.rows_of(slot));
                    JoinedChunk { nth_chunk, member, slot, rows }
                }));
            }
            taken.chunks.sort_by_key(|chunk| chunk.nth_chunk);
        }
    }
}
