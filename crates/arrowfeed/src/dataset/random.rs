//! Random numbers of orders, splits and mixtures. They depend only on the seed and on numbers of the position.

use std::io;

use arrowfeed_source::FeedError;
use rand::rngs::SysRng;
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;

/// A random seed from the system.
pub(crate) fn random_seed() -> Result<u64, FeedError> {
    SysRng.try_next_u64().map_err(|error| FeedError::io(io::Error::other(error)))
}

/// Random number generator with a separate stream for the chunk order (`window` is `None`) and for each window of an
/// epoch.
pub(crate) fn random(seed: u64, epoch: u64, window: Option<u64>) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let stream = window.map_or(0, |window| window + 1);
    random.set_stream((epoch << 32) | (stream & u64::from(u32::MAX)));
    random
}

/// Random number generator for a window of part number `part`, a shard or a stream. Windows with one number have different
/// orders in different parts: otherwise rows of the same relative place would come at the same time in all parts.
pub(crate) fn random_of_window((seed, epoch, part): (u64, u64, u64), window: u64) -> ChaCha8Rng {
    // The multiplier of SplitMix64 distributes the numbers of parts over all seeds.
    random(seed ^ part.wrapping_mul(0x9E37_79B9_7F4A_7C15), epoch, Some(window))
}

/// Number of values of a [`draw`]. All of them are exact in `f64`.
pub(crate) const DRAWS: f64 = (1_u64 << 53) as f64;

/// Random number generator whose numbers depend on four numbers alone.
pub(crate) fn random_of(parts: [u64; 4]) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, part) in key.chunks_exact_mut(8).zip(parts) {
        bytes.copy_from_slice(&part.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A random number below [`DRAWS`].
pub(crate) fn draw(random: &mut ChaCha8Rng) -> u64 {
    random.next_u64() >> 11
}

/// Moves to the draw after the first `draws` ones.
pub(crate) fn skip_draws(random: &mut ChaCha8Rng, draws: u64) {
    // A draw takes two words.
    random.set_word_pos(2 * u128::from(draws));
}

/// Sums of weights, up to each of them.
pub(crate) fn weight_sums(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let weights: Vec<f64> = weights.collect();
    // Weights whose sum is not finite are divided by the largest one.
    let largest = match weights.iter().sum::<f64>().is_finite() {
        true => 1.0,
        false => weights.iter().copied().fold(1.0, f64::max),
    };
    let sums = weights.iter().scan(0.0, |sum, weight| {
        *sum += weight / largest;
        Some(*sum)
    });
    sums.collect()
}

/// Chooses one of the weights with these sums, with a probability proportional to it. `None`: all weights are 0.
pub(crate) fn choose(random: &mut ChaCha8Rng, sums: &[f64]) -> Option<usize> {
    let total = sums.last().copied().filter(|total| *total > 0.0)?;
    let place = draw(random) as f64 / DRAWS * total;
    let chosen = sums.partition_point(|sum| *sum <= place);
    // Rounding may give the total itself.
    Some(chosen.min(sums.partition_point(|sum| *sum < total)))
}
