//! Two ways to pack the bits of a varint: with shifts and masks, and with two instructions of newer processors.

#![allow(
    unsafe_code,
    reason = "packs the bits of a varint with the instructions pext and bzhi, if the processor has them"
)]

use std::fmt::Debug;

/// Packs the low seven bits of the eight bytes of a word together.
pub(crate) trait Pack: Copy + Debug {
    fn pack(word: u64) -> u64;

    /// Packs the first `bytes <= 8` bytes of the word.
    fn pack_first(word: u64, bytes: u32) -> u64;
}

/// Packs in three folds: 8 -> 4 -> 2 -> 1 lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folds;

impl Pack for Folds {
    #[inline(always)]
    fn pack(word: u64) -> u64 {
        let word = word & 0x7f7f_7f7f_7f7f_7f7f;
        let word = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
        let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x3fff_0000_3fff_0000) >> 2);
        (word & 0x0fff_ffff) | ((word & 0x0fff_ffff_0000_0000) >> 4)
    }

    #[inline(always)]
    fn pack_first(word: u64, bytes: u32) -> u64 {
        let end = 1_u64.checked_shl(8 * bytes).unwrap_or(0);
        Self::pack(word & end.wrapping_sub(1))
    }
}

/// Packs with the instruction `pext`. [`Cursor::with_pext`](super::Cursor::with_pext) asks whether the processor has it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pext;

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Pack for Pext {
    /// Inline assembly, because a function with the target feature is not inlined into a function without it, and a call
    /// for each varint costs as much as the folds.
    #[inline(always)]
    fn pack(word: u64) -> u64 {
        let packed: u64;
        // SAFETY: the processor has the instruction, because only `Cursor::with_pext` makes a cursor of this type. It reads and
        // writes these registers only.
        unsafe {
            std::arch::asm!(
                "pext {packed}, {word}, {mask}",
                packed = lateout(reg) packed,
                word = in(reg) word,
                mask = in(reg) 0x7f7f_7f7f_7f7f_7f7f_u64,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        packed
    }

    /// Assembly, because the compiler would replace it with a branch on a length of 0, which comes at random.
    #[inline(always)]
    fn pack_first(word: u64, bytes: u32) -> u64 {
        let first: u64;
        // SAFETY: processors with `pext` have this instruction too. It reads and writes these registers only.
        unsafe {
            std::arch::asm!(
                "bzhi {first}, {word}, {bits}",
                first = lateout(reg) first,
                word = in(reg) word,
                bits = in(reg) u64::from(8 * bytes),
                options(pure, nomem, nostack),
            );
        }
        Self::pack(first)
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::random_config::config(100))]

        #[test]
        fn both_ways_give_the_same(word in any::<u64>()) {
            if arrowfeed_source::has_fast_bit_extraction() {
                prop_assert_eq!(Pext::pack(word), Folds::pack(word));
                for bytes in 0..=8 {
                    prop_assert_eq!(Pext::pack_first(word, bytes), Folds::pack_first(word, bytes));
                }
            }
        }
    }
}
