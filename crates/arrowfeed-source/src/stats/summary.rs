//! The figures of an iteration at one moment.

use std::time::Duration;

use super::stage::StageTimes;
use crate::Requests;

/// The figures of an iteration at one moment: where its time went, and how long its caller waited. [`Display`](std::fmt::Display)
/// shows them as a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// The number of threads that decode and convert. With more than one, the thread of the caller also works.
    pub threads: usize,
    /// The number of cores that the process may use.
    pub cores: usize,
    /// Index of the shard, and the number of shards.
    pub shard: (u64, u64),
    /// The time from the first request for a batch until now, or until the end of the iteration.
    pub time: Duration,
    /// The time from the first request for a batch to its result.
    pub first_batch: Option<Duration>,
    /// The waits of the caller after the first batch.
    pub waits: Waits,
    /// Batches that were returned.
    pub batches: u64,
    /// Rows of these batches, as in the [`Report`](crate::Report).
    pub rows: u64,
    /// Decoded blocks, as in the [`Report`](crate::Report).
    pub blocks: u64,
    /// Size of these blocks in the files, as in the [`Report`](crate::Report).
    pub bytes: u64,
    /// Requests to stores.
    pub requests: Requests,
    /// The time of all threads in each stage.
    pub stages: StageTimes,
    /// What was read of the files of each format. It may run ahead of the batches that were returned.
    pub formats: Vec<FormatStats>,
    /// Batches that are decoded or converted ahead of the caller.
    pub batches_ready: u64,
    /// The bytes of these batches.
    pub ready_bytes: u64,
    /// The memory budget for these batches in bytes.
    pub budget: u64,
}

/// How long the caller waited for batches after the first one.
///
/// [`Stats`] has an example.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Waits {
    /// The sum of all waits.
    pub time: Duration,
    /// The share of the time since the first batch, from 0 to 1.
    pub share: f64,
    /// The wait that half of the batches did not exceed, within 4 %.
    pub p50: Duration,
    /// The wait that 95 % of the batches did not exceed.
    pub p95: Duration,
    /// The wait that 99 % of the batches did not exceed.
    pub p99: Duration,
}

/// What was read of the files of one format.
///
/// [`Stats`] has an example.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormatStats {
    /// The name of the format.
    pub name: &'static str,
    /// Decoded rows that passed the filters.
    pub rows: u64,
    /// Decoded blocks.
    pub blocks: u64,
    /// Size of these blocks in the files.
    pub bytes: u64,
    /// The time that threads spent with these files.
    pub stages: StageTimes,
}

impl Stats {
    /// Rows per second of the whole time.
    pub fn rows_per_second(&self) -> f64 {
        per_second(self.rows, self.time)
    }

    /// Bytes of files per second of the whole time.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.bytes, self.time)
    }

    /// The share of the time of the threads in which they worked, from 0 to 1.
    pub fn busy_share(&self) -> f64 {
        let available = self.time.as_secs_f64() * self.threads.max(1) as f64;
        if available > 0.0 { (self.stages.total().as_secs_f64() / available).min(1.0) } else { 0.0 }
    }
}

fn per_second(count: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { count as f64 / time.as_secs_f64() }
}
