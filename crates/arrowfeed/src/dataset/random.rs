//! Random numbers of orders, splits and mixtures. They depend only on the seed and on numbers of the position.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random number generator with a separate stream for the chunk order (`window` is `None`) and for each window of an
/// epoch.
pub(super) fn random(seed: u64, epoch: u64, window: Option<u64>) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let stream = window.map_or(0, |window| window + 1);
    random.set_stream((epoch << 32) | (stream & u64::from(u32::MAX)));
    random
}

/// Random number generator for a window of part number `part`, a shard or a stream. Windows with one number have different
/// orders in different parts: otherwise rows of the same relative place would come at the same time in all parts.
pub(super) fn random_of_window((seed, epoch, part): (u64, u64, u64), window: u64) -> ChaCha8Rng {
    // The multiplier of SplitMix64 distributes the numbers of parts over all seeds.
    random(seed ^ part.wrapping_mul(0x9E37_79B9_7F4A_7C15), epoch, Some(window))
}

/// Number of values of a [`draw`]. All of them are exact in `f64`.
pub(super) const DRAWS: f64 = (1_u64 << 53) as f64;

/// Random number generator whose numbers depend on four numbers alone.
pub(super) fn random_of(parts: [u64; 4]) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, part) in key.chunks_exact_mut(8).zip(parts) {
        bytes.copy_from_slice(&part.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A random number below [`DRAWS`].
pub(super) fn draw(random: &mut ChaCha8Rng) -> u64 {
    random.next_u64() >> 11
}

/// Moves to the draw after the first `draws` ones.
pub(super) fn skip_draws(random: &mut ChaCha8Rng, draws: u64) {
    // A draw takes two words.
    random.set_word_pos(2 * u128::from(draws));
}
