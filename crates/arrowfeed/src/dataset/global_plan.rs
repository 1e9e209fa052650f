//! The division of epochs into global batches: numbers that follow from the options and the numbers of rows.

use arrowfeed_source::FeedError;

use super::global_draws::StreamDraws;
use super::options::{Even, GlobalBatches, IterationOptions};
use super::stream_lengths::StreamLengths;
use super::stream_reader::Quota;

/// The options that divide epochs into batches. `sizes`, an argument of the methods, has the number of rows of an epoch of each
/// dataset.
#[derive(Clone, Copy)]
pub(super) struct GlobalPlan<'a> {
    pub(super) options: &'a IterationOptions,
    pub(super) global: &'a GlobalBatches,
    /// The weights of the datasets of a mixture. `None`: one dataset.
    pub(super) weights: Option<&'a [f64]>,
    /// The epoch with which batches are counted that may have rows of several epochs.
    pub(super) first_epoch: u64,
}

impl GlobalPlan<'_> {
    /// Whether batches have rows of several epochs.
    pub(super) fn is_continuous(&self) -> bool {
        self.options.across_epochs || self.weights.is_some()
    }

    /// Number of epochs from the first one on. `None`: without end.
    fn epochs(&self) -> Option<u64> {
        self.options.end_epoch().map(|end| end.saturating_sub(self.first_epoch))
    }

    /// Number of batches of an epoch, or of all epochs if batches have rows of several ones. `None`: without end.
    pub(super) fn batches(&self, sizes: &[u64]) -> Option<u64> {
        let epochs = if self.is_continuous() { self.epochs()? } else { 1 };
        let rows = sizes.iter().fold(0_u64, |sum, rows| sum.saturating_add(*rows)).saturating_mul(epochs);
        Some(self.options.num_global_batches(self.global, rows))
    }

    /// Number of batches of which this process has rows, in an epoch, or in all epochs if batches have rows of several ones. `None`:
    /// without end.
    pub(super) fn own_batches(&self, sizes: &[u64]) -> Option<u64> {
        let limit = self.batches(sizes)?;
        if self.global.even.is_some() || self.options.drop_remainder {
            return Some(limit);
        }
        // A process may have no row of the last batch.
        let (lengths, laps) =
            (self.lengths(sizes), if self.is_continuous() { self.epochs().unwrap_or(0) } else { 1 });
        let rows_of = |stream| lengths.iter().map(|it| it.rows_of(stream, laps)).fold(0, u64::saturating_add);
        let most = self.global.streams_of(self.options.shard).map(rows_of).max().unwrap_or(0);
        Some(most.div_ceil(self.global.stream_rows()).min(limit))
    }

    /// Number of batches of this process in all epochs. `None`: without end.
    pub(super) fn num_batches(&self, sizes: &[u64]) -> Option<u64> {
        let Some(epochs) = self.options.epochs.map(u64::from) else {
            return sizes.iter().all(|rows| *rows == 0).then_some(0);
        };
        let own = self.own_batches(sizes)?;
        let all = if self.is_continuous() { own } else { own.saturating_mul(epochs) };
        let (first, every) = self.global.turn;
        Some(all.saturating_sub(first).div_ceil(every))
    }

    /// The epoch of the first row after a number of batches that may have rows of several epochs. The datasets of a mixture have
    /// epochs of their own; it is in the first one.
    pub(super) fn epoch_of(&self, batches: u64, sizes: &[u64]) -> u64 {
        let (Some(rows), None) = (sizes.first().filter(|rows| **rows > 0), self.weights) else {
            return self.first_epoch;
        };
        let epochs = u128::from(batches) * self.global.size as u128 / u128::from(*rows);
        let epoch = self.first_epoch.saturating_add(u64::try_from(epochs).unwrap_or(u64::MAX));
        self.options.end_epoch().map_or(epoch, |end| epoch.min(end))
    }

    /// The streams of each dataset.
    pub(super) fn lengths(&self, sizes: &[u64]) -> Vec<StreamLengths> {
        let mut before = 0_u64;
        let of_dataset = |rows: &u64| {
            let continuous = self.is_continuous().then_some(before);
            before = before.saturating_add(rows.saturating_mul(self.epochs().unwrap_or(0)));
            StreamLengths { streams: self.global.streams, rows: *rows, continuous }
        };
        sizes.iter().map(of_dataset).collect()
    }

    /// Number of rows that a stream yields in an epoch.
    pub(super) fn quota(&self, sizes: &[u64]) -> Quota {
        let batches = self.batches(sizes).unwrap_or(u64::MAX);
        let rows = batches.saturating_mul(self.global.stream_rows());
        match (self.is_continuous(), self.global.even) {
            (true, _) => Quota::All,
            (false, Some(_)) => Quota::Exactly(rows),
            (false, None) => Quota::AtMost(rows),
        }
    }

    /// Number of epochs that the streams read from an epoch on. `None`: without end. The rows of one more epoch fill the last
    /// batch, if batches have rows of several epochs.
    pub(super) fn laps(&self, first_epoch: u64) -> Option<u64> {
        let repeats = self.is_continuous() && self.global.even == Some(Even::Repeat);
        self.options.end_epoch().filter(|_| !repeats).map(|end| end.saturating_sub(first_epoch))
    }

    /// The choices of each stream after a number of batches, and for each dataset the number of rows of each stream before
    /// them.
    pub(super) fn draws(
        &self,
        seed: u64,
        sizes: &[u64],
        batches: u64,
    ) -> Result<(Vec<StreamDraws>, Vec<Vec<u64>>), FeedError> {
        let streams = self.global.streams_of(self.options.shard);
        let passed = batches.saturating_mul(self.global.stream_rows());
        let Some(weights) = self.weights else {
            return Ok((Vec::new(), vec![streams.map(|_| passed).collect()]));
        };
        let (lengths, repeats) = (self.lengths(sizes), self.global.even == Some(Even::Repeat));
        let weights: Vec<f64> =
            weights.iter().zip(sizes).map(|(weight, rows)| if *rows == 0 { 0.0 } else { *weight }).collect();
        let (mut draws, mut rows) = (Vec::new(), vec![Vec::new(); sizes.len()]);
        for stream in streams {
            let left = lengths.iter().map(|lengths| match self.epochs() {
                Some(epochs) => lengths.rows_of(stream, epochs),
                None if lengths.rows == 0 => 0,
                None => u64::MAX,
            });
            let key = (seed, self.first_epoch, stream, self.global.streams);
            let mut own = StreamDraws::new(key, weights.clone(), left.collect(), repeats);
            let mut counts = vec![0; sizes.len()];
            for row in 0..passed {
                if row.is_multiple_of(1 << 20) {
                    self.options.ask()?;
                }
                let Some(dataset) = own.next() else { break };
                counts[dataset] += 1;
            }
            for (rows, count) in rows.iter_mut().zip(counts) {
                rows.push(count);
            }
            draws.push(own);
        }
        Ok((draws, rows))
    }
}
