//! The rows of each stream: equal parts of the order of an epoch.

use std::ops::Range;

use crate::dataset::options::shard_rows;

/// The division of the rows of epochs into streams.
///
/// With one epoch at a time, stream `s` of `n` has the same range of the order in each epoch, as shard `s` of `n` shards
/// has. Continuous streams have the rows of one epoch after another: their ranges move from epoch to epoch, so that after
/// any number of epochs the streams have equally many rows, up to one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamLengths {
    pub(crate) streams: u64,
    /// Rows of an epoch.
    pub(crate) rows: u64,
    /// For continuous streams: the number of rows before their first epoch, such as those of other datasets of a mixture.
    /// It determines which streams have a row more than the others.
    pub(crate) continuous: Option<u64>,
}

impl StreamLengths {
    /// The rows of a stream in the order of an epoch. `lap` is the number of epochs before it.
    pub(crate) fn range(&self, stream: u64, lap: u64) -> Range<u64> {
        match self.continuous {
            None => shard_rows(self.rows, (stream, self.streams)),
            Some(before) => {
                let start = u128::from(before) + u128::from(self.rows) * u128::from(lap);
                let end = start + u128::from(self.rows);
                let border = |stream| (self.first_rows(end, stream) - self.first_rows(start, stream)) as u64;
                border(stream)..border(stream + 1)
            }
        }
    }

    /// Number of rows of a stream in `laps` epochs. The largest number stands for all larger ones.
    pub(crate) fn rows_of(&self, stream: u64, laps: u64) -> u64 {
        let rows = match self.continuous {
            None => {
                let Range { start, end } = self.range(stream, 0);
                u128::from(end - start) * u128::from(laps)
            }
            Some(before) => {
                let start = u128::from(before);
                let end = start + u128::from(self.rows) * u128::from(laps);
                self.share(end, stream) - self.share(start, stream)
            }
        };
        u64::try_from(rows).unwrap_or(u64::MAX)
    }

    /// The lap in which row number `row` of a stream lies, and the number of rows of the stream before this lap. `None`:
    /// streams have no rows.
    pub(crate) fn lap_of(&self, stream: u64, row: u64) -> Option<(u64, u64)> {
        if self.rows == 0 {
            return None;
        }
        // The first lap after which the stream has more than `row` rows.
        let (mut low, mut high) = (0, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.rows_of(stream, middle.saturating_add(1)) > row {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some((low, self.rows_of(stream, low)))
    }

    /// Number of rows of a stream among the first `rows` ones.
    fn share(&self, rows: u128, stream: u64) -> u128 {
        (rows + u128::from(stream)) / u128::from(self.streams)
    }

    /// Number of rows of the streams before `stream` among the first `rows` ones: the sum of their shares.
    fn first_rows(&self, rows: u128, stream: u64) -> u128 {
        let (streams, stream) = (u128::from(self.streams), u128::from(stream));
        let (each, more) = (rows / streams, rows % streams);
        each * stream + (stream + more).saturating_sub(streams)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_row_of_an_epoch_is_in_one_stream_and_the_lengths_differ_by_one_row_at_most(
            streams in 1_u64..50,
            rows in 0_u64..500,
            continuous in proptest::option::of(0_u64..200),
            laps in 1_u64..8,
        ) {
            let lengths = StreamLengths { streams, rows, continuous };
            for lap in 0..laps {
                let ranges: Vec<Range<u64>> = (0..streams).map(|stream| lengths.range(stream, lap)).collect();
                prop_assert_eq!(ranges[0].start, 0);
                prop_assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
                prop_assert_eq!(ranges[ranges.len() - 1].end, rows);
            }
            let sums: Vec<u64> = (0..streams)
                .map(|stream| (0..laps).map(|lap| lengths.range(stream, lap)).map(|rows| rows.end - rows.start).sum())
                .collect();
            for (stream, sum) in sums.iter().enumerate() {
                prop_assert_eq!(lengths.rows_of(stream as u64, laps), *sum);
            }
            if continuous.is_some() {
                let (least, most) = (sums.iter().min().unwrap(), sums.iter().max().unwrap());
                prop_assert!(most - least <= 1, "{sums:?}");
            }
        }

        #[test]
        fn the_lap_of_a_row_has_this_row(
            streams in 1_u64..20,
            rows in 1_u64..100,
            continuous in proptest::option::of(0_u64..50),
            stream in 0_u64..20,
            row in 0_u64..400,
        ) {
            let lengths = StreamLengths { streams, rows, continuous };
            let stream = stream % streams;
            if lengths.rows_of(stream, 1000) > row {
                let (lap, before) = lengths.lap_of(stream, row).unwrap();
                prop_assert!(before <= row && row < lengths.rows_of(stream, lap + 1));
            }
        }
    }
}
