//! Reads and skips runs of unions of null and a varint: neighbouring columns of nullable ints or longs.
//!
//! When such unions are read one after another, each waits for the length of the one before it. This code finds the
//! ends of all unions in 64 bytes at once, as the bits of one word.

#![allow(unsafe_code, reason = "reads and skips runs of nullable varints with vector instructions")]

#[cfg(target_arch = "x86_64")]
use arrowfeed_source::has_fast_bit_extraction;

use super::cursor::{Cursor, Pack, Stop};
#[cfg(target_arch = "x86_64")]
use super::varints::last_bytes;

/// Minimum length of a run for which it is worth loading 64 bytes.
pub(crate) const MIN_RUN: usize = 4;

/// Maximum length of a run that is skipped at once.
pub(crate) const MAX_SKIPPED: usize = 64;

/// Reads the next `n` unions of null, which has the encoded index `null`, and a varint. Calls `put` for
/// each union: whether it has a value, and the converted value. For null, it passes the converted 0. Returns the cursor after
/// the run: a copy, because passing the address of the cursor would keep it out of registers.
#[inline]
pub(crate) fn optional_varints<'a, T, P: Pack>(
    cur: Cursor<'a, P>,
    null: u8,
    n: usize,
    convert: impl Fn(u64) -> Result<T, Stop>,
    put: impl FnMut(bool, T),
) -> Result<Cursor<'a, P>, Stop> {
    #[cfg(target_arch = "x86_64")]
    if n >= MIN_RUN && has_fast_bit_extraction() {
        // SAFETY: the processor has the features.
        return unsafe { read_avx2(cur, null, n, convert, put) };
    }
    one_by_one(cur, null, n, convert, put)
}

/// Skips the next `n` unions of null, which has the encoded index `null`, and a number. Union number `i` has an int if bit `i`
/// of `ints` is set, otherwise a long. `n` is at most [`MAX_SKIPPED`].
#[inline]
pub(crate) fn skip_optional_varints<'a, P: Pack>(
    cur: Cursor<'a, P>,
    null: u8,
    n: usize,
    ints: u64,
) -> Result<Cursor<'a, P>, Stop> {
    debug_assert!(n <= MAX_SKIPPED);
    #[cfg(target_arch = "x86_64")]
    if n >= MIN_RUN && has_fast_bit_extraction() {
        // SAFETY: the processor has the features.
        return unsafe { skip_avx2(cur, null, n, ints) };
    }
    (0..n).try_fold(cur, |cur, number| skip_one(cur, null, ints >> number))
}

#[inline(always)]
fn one_by_one<'a, T, P: Pack>(
    mut cur: Cursor<'a, P>,
    null: u8,
    n: usize,
    convert: impl Fn(u64) -> Result<T, Stop>,
    mut put: impl FnMut(bool, T),
) -> Result<Cursor<'a, P>, Stop> {
    for _ in 0..n {
        let (present, varint) = cur.optional_varint(null)?;
        put(present, convert(varint)?);
    }
    Ok(cur)
}

/// Skips a union of null and an int, if the lowest bit of `ints` is set, or a long.
#[inline(always)]
fn skip_one<'a, P: Pack>(mut cur: Cursor<'a, P>, null: u8, ints: u64) -> Result<Cursor<'a, P>, Stop> {
    match ints & 1 {
        1 => cur.skip_optional_int(null)?,
        _ => cur.optional_varint(null).map(|_| ())?,
    }
    Ok(cur)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn read_avx2<'a, T, P: Pack>(
    mut cur: Cursor<'a, P>,
    null: u8,
    n: usize,
    convert: impl Fn(u64) -> Result<T, Stop>,
    mut put: impl FnMut(bool, T),
) -> Result<Cursor<'a, P>, Stop> {
    use std::arch::x86_64::{_bzhi_u64, _pext_u64};

    const SEVEN_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut left = n;
    while left > 0 {
        let bytes = cur.peek64();
        let mut ends = union_ends(&bytes, last_bytes(&bytes), null, left);
        if ends == 0 {
            let (present, varint) = cur.optional_varint(null)?;
            put(present, convert(varint)?);
            left -= 1;
            continue;
        }
        let mut start = 0;
        while ends != 0 {
            let end = ends.trailing_zeros() as usize;
            ends &= ends - 1;
            // Bytes of the varint after the tag; 0 for null.
            let len = end - start;
            let varint = if len <= 8 {
                _pext_u64(_bzhi_u64(cur.peek_word(start + 1), 8 * len as u32), SEVEN_BITS)
            } else {
                cur.peek_long_varint(start + 1)?
            };
            put(len > 0, convert(varint)?);
            left -= 1;
            start = end + 1;
        }
        cur.skip(start)?;
    }
    Ok(cur)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn skip_avx2<'a, P: Pack>(
    mut cur: Cursor<'a, P>,
    null: u8,
    mut n: usize,
    mut ints: u64,
) -> Result<Cursor<'a, P>, Stop> {
    while n > 0 {
        let bytes = cur.peek64();
        let last = last_bytes(&bytes);
        let ends = union_ends(&bytes, last, null, n);
        if ends == 0 {
            cur = skip_one(cur, null, ints)?;
            (n, ints) = (n - 1, ints >> 1);
            continue;
        }
        let len = 64 - ends.leading_zeros();
        // Bit i: each of the four bytes from i on is followed by another byte of its varint.
        let pairs = !last & !last >> 1;
        let fours = pairs & pairs >> 2;
        let count = ends.count_ones();
        if fours << (64 - len) != 0 && has_long_varint(&bytes, last, fours, ends, ints) {
            cur = (0..count).try_fold(cur, |cur, number| skip_one(cur, null, ints >> number))?;
        } else {
            cur.skip(len as usize)?;
        }
        n -= count as usize;
        ints = ints.checked_shr(count).unwrap_or(0);
    }
    Ok(cur)
}

/// Whether a varint up to the last of `ends` has more bytes or bits than the longest int or long needs. Such a varint may be
/// invalid.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn has_long_varint(bytes: &[u8; 64], last: u64, fours: u64, ends: u64, ints: u64) -> bool {
    use std::arch::x86_64::_pdep_u64;

    let before = |bytes| !last >> bytes;
    let fives = fours & before(4);
    let nines = fours & fours >> 4 & before(8);
    // The fifth byte of an int has four bits, and the tenth byte of a long has one.
    let long_ints = fours << 4 & !at_most(bytes, 0x0f) | fives << 5;
    let long_longs = nines << 9 & !at_most(bytes, 0x01);
    let up_to_the_end = u64::MAX >> ends.leading_zeros();
    let long: u64 = long_ints & _pdep_u64(ints, ends) | long_longs & up_to_the_end;
    long != 0
}

/// Returns one bit per byte, which is set for the last byte of each of the first `n` unions. The unions start at the first
/// byte. The result ends before a union that does not fit in the bytes, or whose tag is not one byte, 0 or 2. `last` has
/// the bits of the bytes without a top bit.
///
/// The ends of numbers are adjacent bits after `pext`. A number after the tag of a value is the value, and any other number
/// is a tag. This is the same as finding characters after a backslash in JSON, so the bits are computed by the same
/// addition, whose carries run through consecutive tags. Source: Langdale and Lemire, "Parsing Gigabytes of JSON per
/// Second", section 3.1.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn union_ends(bytes: &[u8; 64], last: u64, null: u8, n: usize) -> u64 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    const EVEN: u64 = 0x5555_5555_5555_5555;
    let present = _pext_u64(equal(bytes, 2 - null), last);
    let nulls = _pext_u64(equal(bytes, null), last);
    let long = _pext_u64(last & !last << 1, last);
    let follows = present << 1;
    let odd_starts = present & !EVEN & !follows;
    let values = (EVEN ^ odd_starts.wrapping_add(present) << 1) & follows;
    let bad_tags = !values & (long | !(present | nulls));
    let mut fields = (values | !present) & !bad_tags & bad_tags.wrapping_sub(1);
    if n < 64 {
        // Keeps the bits below the bit number `n`, if there is one.
        fields &= _pdep_u64(1 << n, fields).wrapping_sub(1);
    }
    _pdep_u64(fields, last)
}

/// Returns one bit per byte, which is set if the byte is `byte`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn equal(bytes: &[u8; 64], byte: u8) -> u64 {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set1_epi8};

    let [low, high] = halves(bytes).map(|half| {
        u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8))) as u32)
    });
    low | high << 32
}

/// Returns one bit per byte, which is set if the byte is at most `most`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn at_most(bytes: &[u8; 64], most: u8) -> u64 {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set1_epi8};

    let most = _mm256_set1_epi8(most as i8);
    let [low, high] = halves(bytes).map(|half| {
        u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(half, most), half)) as u32)
    });
    low | high << 32
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn halves(bytes: &[u8; 64]) -> [std::arch::x86_64::__m256i; 2] {
    use std::arch::x86_64::{__m256i, _mm256_loadu_si256};

    let (low, high) = bytes.split_at(32);
    // SAFETY: both halves are 32 bytes long; the load needs no alignment.
    [low, high].map(|half| unsafe { _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()) })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::wire::cursor::unzigzag_int;
    use crate::wire::padded::{Padded, SLACK};

    /// One union: a tag in some form, and bytes of a number.
    fn union() -> impl Strategy<Value = Vec<u8>> {
        let tag = prop_oneof![
            8 => Just(vec![2]),
            3 => Just(vec![0]),
            1 => prop_oneof![Just(vec![0x82, 0]), Just(vec![0x80, 0]), Just(vec![1]), Just(vec![4]), Just(vec![0x84, 0])],
        ];
        let last = prop_oneof![4 => 0..0x80_u8, 2 => 0..4_u8, 1 => 0x0e..0x12_u8];
        let len = prop_oneof![8 => 1..5_usize, 4 => 5..7_usize, 2 => 7..11_usize, 1 => 11..14_usize];
        let number = (len, last, vec(0x80..=0xff_u8, 14)).prop_map(|(len, last, bytes)| {
            let mut number = bytes[..len - 1].to_vec();
            number.push(last);
            number
        });
        (tag, number).prop_map(|(tag, number)| match &tag[..] {
            [0] | [0x80, 0] => tag,
            _ => [tag, number].concat(),
        })
    }

    fn unions() -> impl Strategy<Value = Vec<u8>> {
        vec(union(), 0..80).prop_map(|unions| unions.concat())
    }

    /// Calls `read` at the start of the bytes. Behind them are bytes that could belong to a union.
    fn at_start<T>(bytes: &[u8], read: impl Fn(Cursor<'_>) -> T) -> T {
        let padded = [bytes, &[2; SLACK]].concat();
        read(Cursor::new(Padded::new(&padded, bytes.len()).unwrap()))
    }

    proptest! {
        #![proptest_config(crate::random_config::config(1000))]

        #[test]
        fn a_run_is_read_as_its_unions_one_after_the_other(
            bytes in unions(), n in 0..80_usize, null in prop_oneof![Just(0_u8), Just(2_u8)],
        ) {
            let run = |cur: Cursor<'_>, whole: bool| {
                let mut found = Vec::new();
                let put = |present, value| found.push((present, value));
                let after = match whole {
                    true => optional_varints(cur, null, n, unzigzag_int, put),
                    false => one_by_one(cur, null, n, unzigzag_int, put),
                };
                after.map(|after| (after.left(), found))
            };
            prop_assert_eq!(at_start(&bytes, |cur| run(cur, true)), at_start(&bytes, |cur| run(cur, false)));
        }

        #[test]
        fn a_run_is_skipped_as_its_unions_one_after_the_other(
            bytes in unions(), n in 0..=64_usize, ints in any::<u64>(), null in prop_oneof![Just(0_u8), Just(2_u8)],
        ) {
            for ints in [ints, 0, u64::MAX] {
                let whole = at_start(&bytes, |cur| skip_optional_varints(cur, null, n, ints).map(|cur| cur.left()));
                let each = at_start(&bytes, |cur| {
                    let after = (0..n).try_fold(cur, |cur, number| skip_one(cur, null, ints >> number));
                    after.map(|cur| cur.left())
                });
                prop_assert_eq!(whole, each);
            }
        }
    }
}
