//! The counts and times of one iteration.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::clock::{measured, nanoseconds};
use super::histogram::Histogram;
use super::stage::{SLOTS, StageTimes};
use super::summary::{FormatStats, Stats, Waits};
use crate::{Report, Requests, thread_count};

/// The counts and times of one iteration. Its threads add to them, and any thread reads them without waiting.
///
/// [`Stats`] has an example.
#[derive(Debug)]
pub struct Meter {
    threads: usize,
    shard: (u64, u64),
    created: Instant,
    /// Moments in nanoseconds after `created`; 0: not yet. The first request for a batch, its result, the start of the
    /// current wait, and the end of the iteration.
    start: AtomicU64,
    first: AtomicU64,
    waiting_since: AtomicU64,
    end: AtomicU64,
    /// Waits after the first batch.
    waited: AtomicU64,
    waits: Histogram,
    batches: AtomicU64,
    rows: AtomicU64,
    blocks: AtomicU64,
    bytes: AtomicU64,
    requests: [AtomicU64; 6],
    /// Times of work that is not for the files of one format.
    times: Times,
    formats: Vec<Format>,
    /// Decoded batches that wait for the caller, and their bytes.
    decoded: AtomicU64,
    decoded_bytes: AtomicU64,
    /// Batches that were started ahead of the caller, and their bytes.
    started: AtomicU64,
    started_bytes: AtomicU64,
    budget: usize,
}

/// The counts of the files of one format.
#[derive(Debug)]
struct Format {
    name: &'static str,
    rows: AtomicU64,
    blocks: AtomicU64,
    bytes: AtomicU64,
    times: Times,
}

#[derive(Debug, Default)]
struct Times([AtomicU64; SLOTS]);

impl Times {
    fn add(&self, nanoseconds: [u64; SLOTS]) {
        for (slot, time) in self.0.iter().zip(nanoseconds).filter(|(_, time)| *time > 0) {
            slot.fetch_add(time, Ordering::Relaxed);
        }
    }

    fn get(&self) -> StageTimes {
        StageTimes(std::array::from_fn(|slot| Duration::from_nanos(get(&self.0[slot]))))
    }
}

fn get(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

fn set(count: &AtomicU64, value: u64) {
    count.store(value, Ordering::Relaxed);
}

impl Meter {
    /// Creates the meter of an iteration with `threads` threads over files of these formats. `shard`: index and number of the
    /// shards.
    pub fn new(threads: usize, shard: (u64, u64), formats: impl IntoIterator<Item = &'static str>) -> Self {
        let mut own: Vec<Format> = Vec::new();
        for name in formats {
            if own.iter().all(|format| format.name != name) {
                let (rows, blocks, bytes, times) = Default::default();
                own.push(Format { name, rows, blocks, bytes, times });
            }
        }
        Self {
            threads,
            shard,
            created: Instant::now(),
            start: AtomicU64::default(),
            first: AtomicU64::default(),
            waiting_since: AtomicU64::default(),
            end: AtomicU64::default(),
            waited: AtomicU64::default(),
            waits: Histogram::default(),
            batches: AtomicU64::default(),
            rows: AtomicU64::default(),
            blocks: AtomicU64::default(),
            bytes: AtomicU64::default(),
            requests: Default::default(),
            times: Times::default(),
            formats: own,
            decoded: AtomicU64::default(),
            decoded_bytes: AtomicU64::default(),
            started: AtomicU64::default(),
            started_bytes: AtomicU64::default(),
            budget: 0,
        }
    }

    /// Sets the memory budget, in bytes, for batches that wait for the caller.
    #[must_use]
    pub fn with_budget(self, bytes: usize) -> Self {
        Self { budget: bytes, ..self }
    }

    /// Measures a request for the next batch. `is_batch` tells whether a result is a batch; otherwise the iteration has ended.
    pub fn next<T>(self: &Arc<Self>, next: impl FnOnce() -> T, is_batch: impl FnOnce(&T) -> bool) -> T {
        let Some(start) = self.begin_wait() else { return next() };
        let result = measured(self, next);
        self.end_wait(start, is_batch(&result));
        result
    }

    /// Begins a wait of the caller for the next batch, and returns its start; `None` after the iteration has ended.
    pub(crate) fn begin_wait(&self) -> Option<u64> {
        if get(&self.end) > 0 {
            return None;
        }
        let start = self.now();
        if get(&self.start) == 0 {
            set(&self.start, start);
        }
        set(&self.waiting_since, start);
        Some(start)
    }

    /// Ends a wait that began at `start`, with a batch or with the end of the iteration.
    pub(crate) fn end_wait(&self, start: u64, is_batch: bool) {
        let now = self.now();
        match get(&self.first) {
            0 => set(&self.first, now),
            _ => {
                let waited = now - start;
                self.waited.fetch_add(waited, Ordering::Relaxed);
                if is_batch {
                    self.waits.add(waited);
                }
            }
        }
        set(&self.waiting_since, 0);
        if is_batch {
            self.batches.fetch_add(1, Ordering::Relaxed);
        } else {
            set(&self.end, now);
        }
    }

    /// Ends the iteration, which was closed.
    pub fn close(&self) {
        if get(&self.end) == 0 {
            set(&self.end, self.now());
        }
    }

    /// Starts again from zero, because the iteration continues elsewhere. No thread works for the meter.
    pub fn reset(&self) {
        let moments = [&self.start, &self.first, &self.waiting_since, &self.end, &self.waited];
        let counts =
            [&self.batches, &self.rows, &self.blocks, &self.bytes, &self.started, &self.started_bytes];
        moments.into_iter().chain(counts).chain(&self.requests).for_each(|count| set(count, 0));
        self.waits.clear();
        self.times.0.iter().for_each(|time| set(time, 0));
        for format in &self.formats {
            [&format.rows, &format.blocks, &format.bytes].into_iter().for_each(|count| set(count, 0));
            format.times.0.iter().for_each(|time| set(time, 0));
        }
    }

    /// Sets the counts of what was read up to the last batch.
    pub fn set_counts(&self, report: &Report) {
        set(&self.rows, report.rows);
        set(&self.blocks, report.blocks);
        set(&self.bytes, report.bytes);
        let Requests { requests, retries, bytes, cached_bytes, whole_downloads, slow } = report.requests;
        let counts = [requests, retries, bytes, cached_bytes, whole_downloads, slow];
        self.requests.iter().zip(counts).for_each(|(count, value)| set(count, value));
    }

    /// Sets the number of batches that were started ahead of the caller, and their bytes.
    pub fn set_started(&self, batches: usize, bytes: usize) {
        set(&self.started, batches as u64);
        set(&self.started_bytes, bytes as u64);
    }

    /// Counts a decoded batch that waits for the caller.
    pub(crate) fn add_decoded(&self, bytes: usize) {
        self.decoded.fetch_add(1, Ordering::Relaxed);
        self.decoded_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts batches that do not wait any more.
    pub(crate) fn remove_decoded(&self, batches: usize, bytes: usize) {
        self.decoded.fetch_sub(batches as u64, Ordering::Relaxed);
        self.decoded_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// Counts what was read of the files of a format.
    pub(crate) fn add_read(&self, format: &'static str, rows: u64, blocks: u64, bytes: u64) {
        let Some(number) = self.format_number(format) else { return };
        let format = &self.formats[number];
        for (count, more) in [(&format.rows, rows), (&format.blocks, blocks), (&format.bytes, bytes)] {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    pub(super) fn add_times(&self, format: Option<usize>, nanoseconds: [u64; SLOTS]) {
        format.map_or(&self.times, |number| &self.formats[number].times).add(nanoseconds);
    }

    pub(super) fn format_number(&self, name: &str) -> Option<usize> {
        self.formats.iter().position(|format| format.name == name)
    }

    fn now(&self) -> u64 {
        // 0 stands for a moment that has not come.
        nanoseconds(self.created.elapsed()).max(1)
    }

    /// The figures at this moment.
    pub fn stats(&self) -> Stats {
        let formats: Vec<FormatStats> = self
            .formats
            .iter()
            .map(|format| FormatStats {
                name: format.name,
                rows: get(&format.rows),
                blocks: get(&format.blocks),
                bytes: get(&format.bytes),
                stages: format.times.get(),
            })
            .collect();
        let mut stages = self.times.get();
        for format in &formats {
            stages.0.iter_mut().zip(format.stages.0).for_each(|(sum, time)| *sum += time);
        }
        let requests = std::array::from_fn(|number| get(&self.requests[number]));
        let [sent, retries, bytes, cached_bytes, whole_downloads, slow] = requests;
        let (first, waited, since) = (get(&self.first), get(&self.waited), get(&self.waiting_since));
        let (start, end) = (get(&self.start), get(&self.end));
        // The clock is read last, so that no duration is longer than the whole.
        let now = if end > 0 { end } else { self.now() };
        let seconds = |from: u64, to: u64| if from > 0 { to.saturating_sub(from) } else { 0 };
        let (after_first, waiting) = (seconds(first, now), if first > 0 { seconds(since, now) } else { 0 });
        let waited = (waited + waiting).min(after_first);
        let [p50, p95, p99] = self.waits.percentiles([0.5, 0.95, 0.99]);
        let share = if after_first > 0 { waited as f64 / after_first as f64 } else { 0.0 };
        Stats {
            threads: self.threads,
            cores: thread_count(None),
            shard: self.shard,
            time: Duration::from_nanos(seconds(start, now)),
            first_batch: (first > 0).then(|| Duration::from_nanos(seconds(start, first))),
            waits: Waits { time: Duration::from_nanos(waited), share, p50, p95, p99 },
            batches: get(&self.batches),
            rows: get(&self.rows),
            blocks: get(&self.blocks),
            bytes: get(&self.bytes),
            requests: Requests { requests: sent, retries, bytes, cached_bytes, whole_downloads, slow },
            stages,
            formats,
            batches_ready: get(&self.started) + get(&self.decoded),
            ready_bytes: get(&self.started_bytes) + get(&self.decoded_bytes),
            budget: self.budget as u64,
        }
    }
}
