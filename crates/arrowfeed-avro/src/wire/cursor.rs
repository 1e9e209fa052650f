//! A position in the bytes of a block, for the fast decoder.
//!
//! Every read loads first and compares with the end afterwards: the slack behind a block makes the load sound,
//! the comparison makes the value count. One comparison a value, none inside a varint.

#![allow(unsafe_code)]

use std::hint::select_unpredictable;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::Reads;
use super::padded::{Padded, SLACK};

/// Why the fast decoder stopped. It carries no text: the place and the reason are found by decoding the block
/// once more with [`locate`](crate::locate).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes are not a value of the schema.
    Invalid,
    /// The batch would grow past its limit.
    Full,
}

/// A read position. Invariant: `pos <= end`, both in one allocation, and at least [`SLACK`] bytes can be read
/// from `end` on, for the lifetime `'a`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pos: NonNull<u8>,
    end: *const u8,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(block: Padded<'a>) -> Self {
        // From the slice with its slack: the pointer must be allowed to read that too.
        let pos = NonNull::from(block.with_slack()).cast::<u8>();
        Self { pos, end: pos.as_ptr().wrapping_add(block.bytes().len()), bytes: PhantomData }
    }

    /// Bytes from here to the end of the block.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.end as usize - self.pos.as_ptr() as usize
    }

    /// Loads `N` bytes `AT` bytes ahead without moving; they may reach into the slack.
    #[inline(always)]
    fn load_at<const AT: usize, const N: usize>(&self) -> [u8; N] {
        const { assert!(AT + N <= SLACK) };
        // SAFETY: `pos <= end` and SLACK readable bytes follow `end`, so AT + N <= SLACK bytes can be read at `pos`.
        unsafe { self.pos.as_ptr().add(AT).cast::<[u8; N]>().read_unaligned() }
    }

    /// Loads `N` bytes at the position without moving; they may reach into the slack.
    #[inline(always)]
    fn load<const N: usize>(&self) -> [u8; N] {
        self.load_at::<0, N>()
    }

    /// Moves `n` bytes on; an error where that is past the end, and then the cursor is not moved.
    #[inline(always)]
    fn advance(&mut self, n: usize) -> Result<(), Stop> {
        if n > self.left() {
            return Err(Stop::Invalid);
        }
        // SAFETY: `n <= left()`, so the new position is at most `end`, in the same allocation.
        self.pos = unsafe { self.pos.add(n) };
        Ok(())
    }

    /// The next 64 bytes, of which some may be slack.
    #[inline(always)]
    pub(super) fn peek64(&self) -> [u8; 64] {
        self.load()
    }

    /// The eight bytes `at <= 64` bytes ahead, of which some may be slack.
    #[inline(always)]
    pub(super) fn peek_word(&self, at: usize) -> u64 {
        debug_assert!(at <= 64);
        const { assert!(64 + 8 <= SLACK) };
        // SAFETY: `pos <= end`, and SLACK >= 64 + 8 readable bytes follow `end`.
        let word = unsafe { self.pos.as_ptr().add(at).cast::<[u8; 8]>().read_unaligned() };
        u64::from_le_bytes(word)
    }

    /// The varint of nine or ten bytes `at <= 64` bytes ahead.
    #[cold]
    pub(super) fn peek_long_varint(mut self, at: usize) -> Result<u64, Stop> {
        self.advance(at)?;
        self.varint()
    }

    /// The next 8 bytes, of which some may be slack.
    #[inline(always)]
    pub(crate) fn peek8(&self) -> [u8; 8] {
        self.load()
    }

    /// The next 32 bytes, of which some may be slack.
    #[inline(always)]
    pub(crate) fn peek32(&self) -> [u8; 32] {
        self.load()
    }

    /// The next `n` bytes.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, n: usize) -> Result<&'a [u8], Stop> {
        let start = self.pos;
        self.advance(n)?;
        // SAFETY: `advance` has shown that n bytes lie between `start` and `end`; they live for 'a.
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), n) })
    }

    /// `n` bytes on, unread.
    #[inline(always)]
    pub(crate) fn skip(&mut self, n: usize) -> Result<(), Stop> {
        self.advance(n)
    }

    /// A varint, whatever it says.
    #[inline(always)]
    pub(crate) fn skip_varint(&mut self) -> Result<(), Stop> {
        let word = u64::from_le_bytes(self.load());
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.varint().map(|_| ());
        }
        self.advance(ends.trailing_zeros() as usize / 8 + 1)
    }

    /// A string or bytes.
    #[inline(always)]
    pub(crate) fn skip_string(&mut self) -> Result<(), Stop> {
        let length = self.length()?;
        // SAFETY: `length` has compared it with what is left.
        self.pos = unsafe { self.pos.add(length) };
        Ok(())
    }

    /// The next `N` bytes as an array.
    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let value = self.load();
        self.advance(N)?;
        Ok(value)
    }

    /// A byte that is 0 or 1.
    #[inline(always)]
    pub(crate) fn boolean(&mut self) -> Result<bool, Stop> {
        let [byte] = self.array()?;
        if byte > 1 { Err(Stop::Invalid) } else { Ok(byte == 1) }
    }

    /// A varint of at most ten bytes, as it stands: not yet unzigzagged.
    #[inline(always)]
    pub(crate) fn varint(&mut self) -> Result<u64, Stop> {
        let [byte] = self.load();
        if byte < 0x80 {
            self.advance(1)?;
            return Ok(u64::from(byte));
        }
        let word = u64::from_le_bytes(self.load());
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            let value = gather(word);
            let [ninth] = self.load_at::<8, 1>();
            if ninth < 0x80 {
                self.advance(9)?;
                return Ok(value | u64::from(ninth) << 56);
            }
            let [tenth] = self.load_at::<9, 1>();
            if tenth > 1 {
                return Err(Stop::Invalid);
            }
            self.advance(10)?;
            return Ok(value | u64::from(ninth & 0x7f) << 56 | u64::from(tenth) << 63);
        }
        // `ends - 1` has the bits below the last byte's top bit: with `ends` itself cleared, the value's bytes.
        let value = gather(word & (ends ^ (ends - 1)));
        self.advance(ends.trailing_zeros() as usize / 8 + 1)?;
        Ok(value)
    }

    /// A zigzag varint.
    #[inline(always)]
    pub(crate) fn long(&mut self) -> Result<i64, Stop> {
        Ok(unzigzag(self.varint()?))
    }

    /// A zigzag varint of 32 bits.
    #[inline(always)]
    pub(crate) fn int(&mut self) -> Result<i32, Stop> {
        unzigzag_int(self.varint()?)
    }

    /// The length of a string or bytes value, checked against what is left.
    #[inline(always)]
    pub(crate) fn length(&mut self) -> Result<usize, Stop> {
        let length = self.long()?;
        // A negative length is larger than any block as an unsigned number.
        if length as u64 > self.left() as u64 { Err(Stop::Invalid) } else { Ok(length as usize) }
    }

    /// An index below `count`: of a union's branch or an enum's symbol.
    #[inline(always)]
    pub(crate) fn index(&mut self, count: usize) -> Result<usize, Stop> {
        let index = self.long()?;
        if (index as u64) < count as u64 { Ok(index as usize) } else { Err(Stop::Invalid) }
    }

    /// The head of the next block of an array or map: its item count, and its byte size where it states one.
    /// A count of 0 ends the array.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> Result<(usize, Option<usize>), Stop> {
        let count = self.long()?;
        if count >= 0 {
            return Ok((count as usize, None));
        }
        let size = self.length()?;
        let count = usize::try_from(count.unsigned_abs()).map_err(|_| Stop::Invalid)?;
        Ok((count, Some(size)))
    }
}

/// Unions of null and one other type, read without a branch on which of the two it is: nulls come at random, and a
/// branch that is guessed wrong costs more than the few steps here that a null would not need. On `wide_flat` (30
/// nullable columns, 18 % of the guesses wrong) this took the decoder from 4.3 to BRANCHLESS ns a value.
impl<'a> Cursor<'a> {
    /// Whether a value follows the union's index, if that has its shortest form: one byte, 0 or 2.
    #[inline(always)]
    fn present(&self, null: u8) -> Option<bool> {
        let [tag] = self.load();
        (tag & !2 == 0).then_some(tag != null)
    }

    /// Reads the union's index in any form.
    #[inline(always)]
    pub(crate) fn optional(&mut self, null: u8) -> Result<bool, Stop> {
        if let Some(present) = self.present(null) {
            self.advance(1)?;
            return Ok(present);
        }
        let (index, after) = long_index(*self)?;
        *self = after;
        Ok(index * 2 != usize::from(null))
    }

    /// The union of null and a number of `N` bytes; zeros for null.
    #[inline(always)]
    pub(crate) fn optional_array<const N: usize>(&mut self, null: u8) -> Result<(bool, [u8; N]), Stop> {
        let Some(present) = self.present(null) else {
            let present = self.optional(null)?;
            return Ok((present, if present { self.array()? } else { [0; N] }));
        };
        let value = select_unpredictable(present, self.load_at::<1, N>(), [0; N]);
        self.advance(select_unpredictable(present, 1 + N, 1))?;
        Ok((present, value))
    }

    /// The union of null and `size` bytes, unread.
    #[inline(always)]
    pub(crate) fn skip_optional(&mut self, null: u8, size: usize) -> Result<(), Stop> {
        match self.present(null) {
            Some(present) => self.advance(select_unpredictable(present, 1 + size, 1)),
            None => {
                let present = self.optional(null)?;
                self.advance(if present { size } else { 0 })
            }
        }
    }

    /// The union of null and a varint; 0 for null.
    #[inline(always)]
    pub(crate) fn optional_varint(&mut self, null: u8) -> Result<(bool, u64), Stop> {
        let word = u64::from_le_bytes(self.load_at::<1, 8>());
        let ends = !word & 0x8080_8080_8080_8080;
        let present = match self.present(null) {
            // Behind a null stands another field, which may have no end in sight.
            Some(present) if (ends != 0) | !present => present,
            _ => {
                let present = self.optional(null)?;
                return Ok((present, if present { self.varint()? } else { 0 }));
            }
        };
        let value = gather(word & (ends ^ ends.wrapping_sub(1)));
        let len = ends.trailing_zeros() as usize / 8 + 1;
        self.advance(select_unpredictable(present, 1 + len, 1))?;
        Ok((present, select_unpredictable(present, value, 0)))
    }

    /// The union of null and a string, up to its length; 0 for null.
    #[inline(always)]
    pub(crate) fn optional_length(&mut self, null: u8) -> Result<(bool, usize), Stop> {
        let [first] = self.load_at::<1, 1>();
        let present = match self.present(null) {
            // One byte, and even: not negative.
            Some(present) if (first & 0x81 == 0) | !present => present,
            _ => {
                let present = self.optional(null)?;
                return Ok((present, if present { self.length()? } else { 0 }));
            }
        };
        let length = select_unpredictable(present, usize::from(first >> 1), 0);
        self.advance(1 + usize::from(present))?;
        if length > self.left() {
            return Err(Stop::Invalid);
        }
        Ok((present, length))
    }
}

#[cold]
#[inline(never)]
fn long_index(mut cur: Cursor<'_>) -> Result<(usize, Cursor<'_>), Stop> {
    Ok((cur.index(2)?, cur))
}

impl Reads for Cursor<'_> {
    type Error = Stop;

    #[inline(always)]
    fn boolean(&mut self) -> Result<bool, Stop> {
        Cursor::boolean(self)
    }

    #[inline(always)]
    fn int(&mut self) -> Result<i32, Stop> {
        Cursor::int(self)
    }

    #[inline(always)]
    fn long(&mut self) -> Result<i64, Stop> {
        Cursor::long(self)
    }

    #[inline(always)]
    fn skip(&mut self, n: usize) -> Result<(), Stop> {
        Cursor::skip(self, n)
    }

    #[inline(always)]
    fn length(&mut self) -> Result<usize, Stop> {
        Cursor::length(self)
    }

    #[inline(always)]
    fn symbol(&mut self, count: usize) -> Result<usize, Stop> {
        self.index(count)
    }

    #[inline(always)]
    fn branch(&mut self, count: usize) -> Result<usize, Stop> {
        self.index(count)
    }

    #[inline(always)]
    fn items(&mut self) -> Result<(usize, Option<usize>), Stop> {
        Cursor::items(self)
    }

    #[inline(always)]
    fn room_for(&self, count: usize, min: usize) -> Result<(), Stop> {
        match count.checked_mul(min) {
            Some(bytes) if bytes <= self.left() => Ok(()),
            _ => Err(Stop::Invalid),
        }
    }

    #[inline(always)]
    fn stated_size(&self, stated: usize, real: usize) -> Result<(), Stop> {
        if stated == real { Ok(()) } else { Err(Stop::Invalid) }
    }

    #[cold]
    fn limit(&self, _name: &'static str, _limit: u64) -> Stop {
        Stop::Invalid
    }
}

/// Zigzag: 0, 1, 2, 3 are 0, -1, 1, -2.
#[inline(always)]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The same for 32 bits; an error where the number needs more.
#[inline(always)]
pub(crate) fn unzigzag_int(value: u64) -> Result<i32, Stop> {
    let value = u32::try_from(value).map_err(|_| Stop::Invalid)?;
    Ok((value >> 1) as i32 ^ -((value & 1) as i32))
}

/// Packs the low seven bits of each byte together: three folds, 8 -> 4 -> 2 -> 1 lanes.
#[inline(always)]
fn gather(word: u64) -> u64 {
    let word = word & 0x7f7f_7f7f_7f7f_7f7f;
    let word = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x3fff_0000_3fff_0000) >> 2);
    (word & 0x0fff_ffff) | ((word & 0x0fff_ffff_0000_0000) >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_slack(bytes: &[u8]) -> Vec<u8> {
        [bytes, &[0xff; SLACK]].concat()
    }

    #[test]
    fn skipping_ends_where_reading_ends() {
        let mut bytes: Vec<u8> = (0..=255).collect();
        bytes.extend((0..=255).rev());
        for start in 0..bytes.len() {
            let padded = with_slack(&bytes[start..]);
            let here = || Cursor::new(Padded::new(&padded, bytes.len() - start).unwrap());
            let after = |read: &dyn Fn(&mut Cursor<'_>) -> Result<(), Stop>| {
                let mut cur = here();
                read(&mut cur).map(|()| cur.left())
            };
            assert_eq!(after(&|cur| cur.skip_varint()), after(&|cur| cur.varint().map(|_| ())));
            let string = |cur: &mut Cursor<'_>| cur.length().and_then(|length| cur.skip(length));
            assert_eq!(after(&|cur| cur.skip_string()), after(&string));
            for null in [0, 2] {
                let array = |cur: &mut Cursor<'_>| cur.optional_array::<8>(null).map(|_| ());
                assert_eq!(after(&|cur| cur.skip_optional(null, 8)), after(&array));
            }
        }
    }

    fn varint_of(bytes: &[u8]) -> (Result<u64, Stop>, usize) {
        let padded = with_slack(bytes);
        let mut cursor = Cursor::new(Padded::new(&padded, bytes.len()).unwrap());
        let value = cursor.varint();
        (value, bytes.len() - cursor.left())
    }

    /// The specification's definition, byte by byte.
    fn plain_varint(bytes: &[u8]) -> Result<(u64, usize), Stop> {
        let mut value = 0_u128;
        for (i, byte) in bytes.iter().take(10).enumerate() {
            value |= u128::from(byte & 0x7f) << (7 * i);
            if *byte < 0x80 {
                return u64::try_from(value).map(|value| (value, i + 1)).map_err(|_| Stop::Invalid);
            }
        }
        Err(Stop::Invalid)
    }

    #[test]
    fn a_varint_of_any_length_is_read_like_the_plain_definition() {
        for len in 1..=12_usize {
            for last in [0_u8, 1, 2, 0x3f, 0x7f, 0x80, 0xff] {
                for fill in [0x80_u8, 0x81, 0xaa, 0xff] {
                    let mut bytes = vec![fill; len];
                    bytes[len - 1] = last;
                    let (value, read) = varint_of(&bytes);
                    match plain_varint(&bytes) {
                        Ok((expected, len)) => assert_eq!((value, read), (Ok(expected), len), "{bytes:x?}"),
                        Err(stop) => assert_eq!(value, Err(stop), "{bytes:x?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_that_reaches_into_the_slack_is_refused() {
        let padded = with_slack(&[1, 2, 3]);
        let block = Padded::new(&padded, 3).unwrap();
        assert_eq!(Cursor::new(block).array::<4>(), Err(Stop::Invalid));
        assert_eq!(Cursor::new(block).bytes(4), Err(Stop::Invalid));
        assert_eq!(Cursor::new(block).bytes(3), Ok(&[1, 2, 3][..]));
        assert_eq!(Cursor::new(Padded::new(&padded, 0).unwrap()).boolean(), Err(Stop::Invalid));
    }

    #[test]
    fn an_int_fits_32_bits() {
        let read = |bytes: &[u8]| {
            let padded = with_slack(bytes);
            Cursor::new(Padded::new(&padded, bytes.len()).unwrap()).int()
        };
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok(i32::MIN));
        assert_eq!(read(&[0xfe, 0xff, 0xff, 0xff, 0x0f]), Ok(i32::MAX));
        assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x10]), Err(Stop::Invalid));
    }
}
