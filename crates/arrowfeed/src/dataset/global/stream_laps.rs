//! The laps of streams: the windows of a stream in one epoch.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::FeedError;

use super::stream_lengths::StreamLengths;
use crate::dataset::files::chosen_rows::ChosenRows;
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::options::IterationOptions;
use crate::dataset::rows::order::{Slot, in_file_order, shuffled, window};
use crate::dataset::rows::window::PlannedWindow;

/// File bytes of the windows in file order. If streams are decoded apart, each one has at least one window in memory: with
/// less, reading and decoding cost more; with more, 64 streams need more memory than `prefetch_bytes`.
const PART: Range<u64> = 64 << 10..512 << 10;

/// Orders of epochs that are kept: streams are in one epoch, or in two neighbouring ones.
const ORDERS: usize = 3;

/// The windows of each stream in each epoch. In file order, a window is a part of the stream.
pub(crate) struct StreamLaps {
    pub(crate) index: Arc<ChunkIndex>,
    /// The numbers of rows are those of the files.
    options: IterationOptions,
    pub(crate) lengths: StreamLengths,
    /// Bytes of a part in file order.
    part_bytes: u64,
    /// Rows of a shuffle window of a stream.
    window_rows: usize,
    seed: u64,
    /// The epoch of lap 0.
    first_epoch: u64,
    orders: VecDeque<(u64, Arc<Order>)>,
    chosen: Option<ChosenRows>,
}

/// The selected chunks in the order of an epoch.
struct Order {
    slots: Vec<Slot>,
    /// Number of rows up to each chunk, without those after it.
    ends: Vec<u64>,
}

impl Order {
    fn new(slots: Vec<Slot>) -> Self {
        let mut end = 0;
        let ends = slots.iter().map(|slot| {
            end += slot.rows;
            end
        });
        Self { ends: ends.collect(), slots }
    }

    /// The chunks with a range of the rows.
    fn chunks_of(&self, rows: &Range<u64>) -> Vec<Slot> {
        let first = self.ends.partition_point(|end| *end <= rows.start);
        let mut before = if first == 0 { 0 } else { self.ends[first - 1] };
        let mut slots = Vec::new();
        for slot in &self.slots[first..] {
            if before >= rows.end {
                break;
            }
            let (from, to) = (before.max(rows.start), (before + slot.rows).min(rows.end));
            slots.push(Slot { dropped: slot.dropped + from - before, rows: to - from, ..*slot });
            before += slot.rows;
        }
        slots
    }
}

impl StreamLaps {
    /// `streams` is the number of streams of this process.
    pub(crate) fn new(
        index: Arc<ChunkIndex>,
        options: IterationOptions,
        lengths: StreamLengths,
        (seed, first_epoch): (u64, u64),
        streams: u64,
    ) -> Self {
        let bytes = options.prefetch_bytes as u64 / (4 * streams.max(1));
        let part_bytes = bytes.clamp(PART.start, PART.end);
        let window_rows = (options.shuffle_buffer_size as u64).div_ceil(lengths.streams);
        let window_rows = usize::try_from(window_rows).unwrap_or(usize::MAX);
        let chosen = ChosenRows::new(&index);
        let orders = VecDeque::new();
        Self { index, options, lengths, part_bytes, window_rows, seed, first_epoch, orders, chosen }
    }

    /// What determines the order of the rows of a window of a stream.
    pub(crate) fn part(&self, stream: u64, lap: u64) -> (u64, u64, u64) {
        (self.seed, self.first_epoch.saturating_add(lap), stream)
    }

    /// The windows of a lap of a stream. A stream without rows has the row that follows it if `is_never_empty`.
    ///
    /// # Errors
    /// There is not enough memory, or the interrupt of the options returned true.
    pub(crate) fn windows(
        &mut self,
        stream: u64,
        lap: u64,
        is_never_empty: bool,
    ) -> Result<Vec<Arc<PlannedWindow>>, FeedError> {
        self.options.ask()?;
        let mut range = self.lengths.range(stream, lap);
        if range.is_empty() && is_never_empty && self.lengths.rows > 0 {
            let start = range.start.min(self.lengths.rows - 1);
            range = start..start + 1;
        }
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let selected = self.options.selected_rows(self.index.rows());
        let slots = match self.options.shuffles() {
            true => self.order(lap, &selected).chunks_of(&range),
            false => in_file_order(&self.index, selected.start + range.start..selected.start + range.end),
        };
        let (mut slots, mut windows) = (slots.as_slice(), Vec::new());
        while !slots.is_empty() {
            let count = match self.options.shuffles() {
                true => window(slots, self.window_rows),
                false => self.part_in_file_order(slots),
            };
            let (own, rest) = slots.split_at(count);
            let number = windows.len() as u64;
            windows.push(Arc::new(PlannedWindow::new(number, own, &self.index, &mut self.chosen)?));
            slots = rest;
        }
        Ok(windows)
    }

    /// All selected chunks in the order of an epoch.
    fn order(&mut self, lap: u64, selected: &Range<u64>) -> Arc<Order> {
        if let Some((_, order)) = self.orders.iter().find(|(known, _)| *known == lap) {
            return order.clone();
        }
        let (seed, epoch, _) = self.part(0, lap);
        let order = Arc::new(Order::new(shuffled(&self.index, selected, (seed, epoch))));
        if self.orders.len() == ORDERS {
            self.orders.pop_front();
        }
        self.orders.push_back((lap, order.clone()));
        order
    }

    /// Number of leading slots that are one part: chunks of one file.
    fn part_in_file_order(&self, slots: &[Slot]) -> usize {
        let mut bytes = 0;
        for (count, slot) in slots.iter().enumerate() {
            if slot.file != slots[0].file || bytes >= self.part_bytes {
                return count;
            }
            let chunk = self.index.chunks(slot.file)[slot.nth_chunk];
            bytes += chunk.end - chunk.offset;
        }
        slots.len()
    }
}
