//! The division of epochs into global batches: numbers that follow from the options and the numbers of rows.

use arrowfeed_source::FeedError;

use super::draws::StreamDraws;
use super::stream_lengths::StreamLengths;
use super::stream_reader::Quota;
use crate::dataset::options::{Even, GlobalBatches, IterationOptions};
use crate::dataset::state::checkpoint::{check_epoch, other_epochs, within_epochs};
use crate::error::{StateError, StateErrorKind};

/// The options that divide epochs into batches. `sizes`, an argument of the methods, has the number of rows of an epoch of each
/// dataset.
#[derive(Clone, Copy)]
pub(crate) struct GlobalPlan<'a> {
    pub(crate) options: &'a IterationOptions,
    pub(crate) global: &'a GlobalBatches,
    /// The weights of the datasets of a mixture. `None`: one dataset.
    pub(crate) weights: Option<&'a [f64]>,
    /// The epoch with which batches are counted that may have rows of several epochs.
    pub(crate) first_epoch: u64,
}

impl GlobalPlan<'_> {
    /// Whether batches have rows of several epochs.
    pub(crate) fn is_continuous(&self) -> bool {
        self.options.across_epochs || self.weights.is_some()
    }

    /// Number of epochs from the first one on. `None`: without end.
    fn epochs(&self) -> Option<u64> {
        self.options.end_epoch().map(|end| end.saturating_sub(self.first_epoch))
    }

    /// Number of batches of an epoch, or of all epochs if batches have rows of several ones. `None`: without end.
    pub(crate) fn batches(&self, sizes: &[u64]) -> Option<u64> {
        let epochs = if self.is_continuous() { self.epochs()? } else { 1 };
        let rows = sizes.iter().fold(0_u64, |sum, rows| sum.saturating_add(*rows)).saturating_mul(epochs);
        Some(self.options.num_global_batches(self.global, rows))
    }

    /// Number of batches of which this process has rows, in an epoch, or in all epochs if batches have rows of several ones. `None`:
    /// without end.
    pub(crate) fn own_batches(&self, sizes: &[u64]) -> Option<u64> {
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
    pub(crate) fn num_batches(&self, sizes: &[u64]) -> Option<u64> {
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
    pub(crate) fn epoch_of(&self, batches: u64, sizes: &[u64]) -> u64 {
        let (Some(rows), None) = (sizes.first().filter(|rows| **rows > 0), self.weights) else {
            return self.first_epoch;
        };
        let epochs = u128::from(batches) * self.global.size as u128 / u128::from(*rows);
        let epoch = self.first_epoch.saturating_add(u64::try_from(epochs).unwrap_or(u64::MAX));
        self.options.end_epoch().map_or(epoch, |end| epoch.min(end))
    }

    /// Checks that a position of a checkpoint is not after the end, and that the batches before it are those of this plan. Returns
    /// the epoch in which an iteration resumes there. `epoch`: that of the position; `batch`: the number of batches before it;
    /// `saved_epochs`: the number of epochs of the iteration that saved it.
    pub(crate) fn resumed_epoch(
        &self,
        (epoch, batch): (u64, u64),
        saved_epochs: Option<u64>,
        sizes: &[u64],
    ) -> Result<u64, StateError> {
        self.check_epochs((epoch, batch), saved_epochs, sizes)?;
        check_epoch(epoch, self.options)?;
        check_epoch(self.first_epoch, self.options)?;
        let invalid =
            |expected: String, found: String| Err(StateError::new(StateErrorKind::Invalid, expected, found));
        let most = match self.options.end_epoch() {
            // After the last epoch there is no batch.
            Some(end) if !self.is_continuous() && epoch == end => Some(0),
            _ => self.batches(sizes),
        };
        if let Some(most) = most.filter(|most| batch > *most) {
            return invalid(format!("a global batch up to {most}"), batch.to_string());
        }
        if !self.is_continuous() {
            return Ok(epoch);
        }
        match self.epoch_of(batch, sizes) {
            expected if expected == epoch => Ok(self.first_epoch),
            expected => {
                let expected = format!("epoch {expected}, in which global batch {batch} lies");
                invalid(expected, format!("epoch {epoch}"))
            }
        }
    }

    /// Checks that the batches before the position are the same for the requested number of epochs, which may differ.
    fn check_epochs(
        &self,
        (epoch, batch): (u64, u64),
        saved: Option<u64>,
        sizes: &[u64],
    ) -> Result<(), StateError> {
        let own = self.options.epochs.map(u64::from);
        if own == saved {
            return Ok(());
        }
        if self.weights.is_some() {
            // The datasets that have rows left depend on it, and so do the choices.
            return Err(other_epochs(own, saved, |saved| {
                format!(
                    "epochs {saved} in the state of a mixture with global batches: load it with epochs {saved}"
                )
            }));
        }
        let before = |epoch: u64| epoch.saturating_sub(self.options.start_epoch);
        if !self.is_continuous() {
            return within_epochs(own, before(epoch).saturating_add(u64::from(batch > 0)), epoch);
        }
        let passed = u128::from(batch) * self.global.size as u128;
        let rows = sizes.iter().sum::<u64>().max(1);
        let needed = u64::try_from(passed.div_ceil(u128::from(rows))).unwrap_or(u64::MAX);
        let needed = needed.saturating_add(before(self.first_epoch));
        if saved.is_some_and(|saved| saved < needed) {
            return Err(other_epochs(own, saved, |saved| {
                format!(
                    "a position after the last batch of epochs {saved}, which has too few rows: load it with epochs {saved}"
                )
            }));
        }
        within_epochs(own, needed, epoch)
    }

    /// The streams of each dataset.
    pub(crate) fn lengths(&self, sizes: &[u64]) -> Vec<StreamLengths> {
        let mut before = 0_u64;
        let of_dataset = |rows: &u64| {
            let continuous = self.is_continuous().then_some(before);
            before = before.saturating_add(rows.saturating_mul(self.epochs().unwrap_or(0)));
            StreamLengths { streams: self.global.streams, rows: *rows, continuous }
        };
        sizes.iter().map(of_dataset).collect()
    }

    /// Number of rows that a stream yields in an epoch.
    pub(crate) fn quota(&self, sizes: &[u64]) -> Quota {
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
    pub(crate) fn laps(&self, first_epoch: u64) -> Option<u64> {
        let repeats = self.is_continuous() && self.global.even == Some(Even::Repeat);
        self.options.end_epoch().filter(|_| !repeats).map(|end| end.saturating_sub(first_epoch))
    }

    /// The choices of each stream after a number of batches, and for each dataset the number of rows of each stream before
    /// them.
    pub(crate) fn draws(
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
