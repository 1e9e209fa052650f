//! The batches of a window of rows, by the lengths of the rows.

use arrowfeed_tensor::FirstFit;
use rand::seq::SliceRandom;

use crate::dataset::options::LengthBatches;
use crate::dataset::random::random_of;

/// Divides the rows of a window into batches of rows of similar length. Returns the numbers of the rows of each batch.
///
/// The rows are sorted by length, or by bucket if there are boundaries; rows of one length or bucket keep their order. A batch
/// ends before the row with which it would have more than `batch_size` rows or exceed the budget, and at the end of a bucket.
/// Batches are in the order of their first rows, and the rows of a batch in the order of the window.
pub(crate) fn batches(lengths: &[u64], options: &LengthBatches, batch_size: usize) -> Vec<Vec<usize>> {
    if let Some(pack_to) = options.pack_to {
        return packed(lengths, pack_to.get(), batch_size);
    }
    let bucket = |row: &usize| options.boundaries.partition_point(|boundary| *boundary <= lengths[*row]);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    match options.boundaries.is_empty() {
        true => order.sort_by_key(|row| lengths[*row]),
        false => order.sort_by_key(bucket),
    }
    let most = options.max_tokens.map_or(u64::MAX, Into::into);
    let mut batches = Vec::new();
    for rows in order.chunk_by(|one, next| bucket(one) == bucket(next)) {
        let (mut batch, mut longest) = (Vec::new(), 0);
        for &row in rows {
            let with_row = lengths[row].max(longest);
            if batch.len() == batch_size || tokens(batch.len() + 1, with_row) > most && !batch.is_empty() {
                batches.push(std::mem::take(&mut batch));
                longest = 0;
            }
            longest = lengths[row].max(longest);
            batch.push(row);
        }
        batches.push(batch);
    }
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches.sort_unstable_by_key(|batch| batch.first().copied());
    batches
}

/// Divides the rows of a window, in their order, into batches that can be packed into at most `batch_size` sequences. A row that
/// is longer than a sequence takes a whole one.
fn packed(lengths: &[u64], pack_to: usize, batch_size: usize) -> Vec<Vec<usize>> {
    let (mut batches, mut batch, mut sequences) = (Vec::new(), Vec::new(), FirstFit::new(pack_to));
    for (row, length) in lengths.iter().enumerate() {
        let length = usize::try_from(*length).unwrap_or(usize::MAX);
        // An empty row is in no sequence.
        if length > 0 && sequences.place(length, batch_size).is_none() {
            batches.push(std::mem::take(&mut batch));
            sequences = FirstFit::new(pack_to);
            sequences.place(length, batch_size);
        }
        batch.push(row);
    }
    batches.push(batch);
    batches
}

/// The tokens of a padded batch. An empty row counts as one token.
fn tokens(rows: usize, longest: u64) -> u64 {
    longest.max(1).saturating_mul(rows as u64)
}

/// Shuffles the batches of a window. Their order depends only on the seed and on the lengths of the rows, whose order the seed
/// and the epoch determine.
pub(crate) fn shuffle(batches: &mut [Vec<usize>], lengths: &[u64], seed: u64) {
    let mut mixed = [0_u64; 3];
    for (row, length) in lengths.iter().enumerate() {
        let part = &mut mixed[row % 3];
        // The multiplier of SplitMix64.
        *part = (*part ^ length).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    batches.shuffle(&mut random_of([seed, mixed[0], mixed[1], mixed[2]]));
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU64, NonZeroUsize};

    use super::*;

    fn options(boundaries: &[u64], max_tokens: u64) -> LengthBatches {
        LengthBatches {
            boundaries: boundaries.to_vec(),
            max_tokens: NonZeroU64::new(max_tokens),
            ..LengthBatches::new("x", 100)
        }
    }

    #[test]
    fn rows_of_similar_length_are_in_one_batch() {
        let lengths = [5, 1, 4, 1, 5, 9, 2, 6];
        let found = batches(&lengths, &options(&[], 0), 3);
        assert_eq!(found, [vec![0, 2, 4], vec![1, 3, 6], vec![5, 7]]);
        let found = batches(&lengths, &options(&[2, 6], 0), 3);
        assert_eq!(found, [vec![0, 2, 4], vec![1, 3], vec![5, 7], vec![6]]);
    }

    #[test]
    fn a_batch_keeps_its_budget() {
        let lengths = [5, 1, 4, 1, 5, 9, 2, 6, 0, 0];
        let found = batches(&lengths, &options(&[], 10), usize::MAX);
        assert_eq!(found, [vec![0, 2], vec![1, 3, 6, 8, 9], vec![4], vec![5], vec![7]]);
        for batch in &found {
            let longest = batch.iter().map(|row| lengths[*row]).max().unwrap();
            assert!(longest * batch.len() as u64 <= 10);
        }
    }

    #[test]
    fn packed_rows_fit_into_the_sequences_of_a_batch() {
        let options = LengthBatches { pack_to: NonZeroUsize::new(8), ..options(&[], 0) };
        let lengths = [5, 6, 3, 2, 0, 1, 9, 8];
        assert_eq!(batches(&lengths, &options, 2), [vec![0, 1, 2, 3, 4], vec![5, 6], vec![7]]);
        assert_eq!(batches(&lengths, &options, 4), [(0..7).collect::<Vec<_>>(), vec![7]]);
        assert_eq!(batches(&[0, 0], &options, 1), [vec![0, 1]]);
    }

    #[test]
    fn empty_rows_count_as_one_token() {
        let found = batches(&[0; 5], &options(&[], 2), usize::MAX);
        assert_eq!(found, [vec![0, 1], vec![2, 3], vec![4]]);
        assert!(batches(&[], &options(&[], 2), 4).is_empty());
    }

    #[test]
    fn a_shuffle_depends_on_the_seed_and_the_lengths() {
        let shuffled = |seed, lengths: &[u64]| {
            let mut found = batches(lengths, &options(&[], 0), 1);
            shuffle(&mut found, lengths, seed);
            found
        };
        let lengths: Vec<u64> = (0..50).map(|row| row * row % 17).collect();
        assert_eq!(shuffled(7, &lengths), shuffled(7, &lengths));
        assert_ne!(shuffled(7, &lengths), shuffled(8, &lengths));
        let other: Vec<u64> = lengths.iter().rev().copied().collect();
        assert_ne!(shuffled(7, &lengths), shuffled(7, &other));
    }
}
