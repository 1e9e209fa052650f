//! The datasets from which the rows of the streams of a mixture come.

use rand_chacha::ChaCha8Rng;

use crate::dataset::random::{choose, random_of, weight_sums};

/// The random choices of one stream: for each row, the dataset that has it.
///
/// The choices depend on the numbers of rows in the index alone, so that any process can repeat them.
#[derive(Debug, Clone)]
pub(crate) struct StreamDraws {
    random: ChaCha8Rng,
    weights: Vec<f64>,
    /// Number of rows of each dataset that were not drawn. The largest number: without end.
    left: Vec<u64>,
    /// Whether the datasets start again after their last rows.
    repeats: bool,
    /// Sums of the weights of the datasets that have rows, up to each dataset.
    sums: Vec<f64>,
}

impl StreamDraws {
    /// `weights`: 0 for a dataset without rows. `left`: the number of rows of each dataset in this stream; the largest
    /// number stands for no end. `repeats`: after the last row of all, the datasets start again.
    pub(crate) fn new(
        (seed, first_epoch, stream, streams): (u64, u64, u64, u64),
        weights: Vec<f64>,
        left: Vec<u64>,
        repeats: bool,
    ) -> Self {
        let random = random_of([seed, first_epoch, stream, streams]);
        let mut draws = Self { random, weights, left, repeats, sums: Vec::new() };
        draws.sum_weights();
        draws
    }

    /// The dataset of the next row; `None` after the last row.
    pub(crate) fn next(&mut self) -> Option<usize> {
        let drawn = choose(&mut self.random, &self.sums)?;
        if self.left[drawn] < u64::MAX {
            self.left[drawn] -= 1;
            if self.left[drawn] == 0 {
                self.sum_weights();
            }
        }
        Some(drawn)
    }

    fn sum_weights(&mut self) {
        if self.repeats && self.left.iter().all(|left| *left == 0) {
            self.left.fill(u64::MAX);
        }
        let weights = self.weights.iter().zip(&self.left);
        self.sums = weight_sums(weights.map(|(weight, left)| if *left == 0 { 0.0 } else { *weight }));
    }
}
