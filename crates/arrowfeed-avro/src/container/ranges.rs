//! A file cut into even byte ranges, without a look at its blocks.

use std::ops::Range;

/// The most ranges that a file is cut into: a sparse file may claim any length.
const MAX_RANGES: u64 = 1 << 16;

/// Even ranges of about `target_bytes` that cover `header_len..file_len`; none where that is empty. A block
/// belongs to the range that contains its offset: see [`align`](arrowfeed_source::run::align).
pub(crate) fn plan_ranges(header_len: u64, file_len: u64, target_bytes: u64) -> Vec<Range<u64>> {
    let body = file_len.saturating_sub(header_len);
    let ranges = body.div_ceil(target_bytes.max(1)).min(MAX_RANGES);
    let cut = |i: u64| {
        let part = u128::from(body) * u128::from(i) / u128::from(ranges);
        // No more than `body`, which is a u64.
        header_len + u64::try_from(part).unwrap_or(body)
    };
    (0..ranges).map(|i| cut(i)..cut(i + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_even_and_cover_the_body() {
        assert_eq!(plan_ranges(10, 40, 10), [10..20, 20..30, 30..40]);
        assert_eq!(plan_ranges(10, 41, 10), [10..17, 17..25, 25..33, 33..41]);
        assert_eq!(plan_ranges(10, 12, 1000), std::slice::from_ref(&(10..12)));
    }

    #[test]
    fn a_file_without_a_body_has_no_ranges() {
        assert!(plan_ranges(10, 10, 10).is_empty());
        assert!(plan_ranges(10, 3, 10).is_empty());
    }

    #[test]
    fn any_length_makes_a_bounded_number_of_ranges() {
        let ranges = plan_ranges(100, u64::MAX, 0);
        assert_eq!(ranges.len(), 65_536);
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].start < pair[0].end));
        assert_eq!((ranges[0].start, ranges[65_535].end), (100, u64::MAX));
    }
}
