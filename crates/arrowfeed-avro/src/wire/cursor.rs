//! A position in the bytes of a block, for the fast decoder.
//!
//! Every read loads first and compares with the end afterwards. The padding after a block makes the load sound,
//! and the comparison rejects a value that reaches into the padding. This takes one comparison per value, and
//! none inside a varint.

#![expect(
    unsafe_code,
    reason = "loads values before it compares the position with the end, inside the padding after a block"
)]

mod optional;
mod pack;

use std::marker::PhantomData;
use std::ptr::NonNull;

#[cfg(all(target_arch = "x86_64", not(miri)))]
use arrowfeed_source::has_fast_bit_extraction;

use super::Reads;
use super::padded::{Padded, SLACK};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use pack::Pext;
pub(crate) use pack::{Folds, Pack};

/// Reason why the fast decoder stopped. It carries no text: [`locate`](crate::locate) finds the position and
/// the reason by decoding the block again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes are not a value of the schema.
    Invalid,
    /// The batch would grow past its limit.
    Full,
    /// The caller cancelled the read.
    Cancelled,
}

/// A read position. Invariant: `pos <= end`, both are in one allocation, and at least [`SLACK`] bytes after
/// `end` are readable, for the lifetime `'a`.
///
/// `P` packs the bits of varints. It is a type, so that the hot loop is compiled for each way, and asks once which one the
/// processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a, P = Folds> {
    pos: NonNull<u8>,
    end: *const u8,
    bytes: PhantomData<(&'a [u8], P)>,
}

/// A string or bytes value of a block. Invariant: at least [`SLACK`] bytes after it are readable, for the lifetime `'a`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    start: NonNull<u8>,
    len: usize,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Text<'a> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        // SAFETY: the bytes of the value are readable for 'a.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Returns 32 bytes from the start of the value. They may include bytes after it.
    #[inline(always)]
    pub(crate) fn peek32(&self) -> [u8; 32] {
        const { assert!(32 <= SLACK) };
        // SAFETY: SLACK bytes after the value are readable, so 32 bytes from its start are, whatever its length.
        unsafe { self.start.cast::<[u8; 32]>().read_unaligned() }
    }
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(block: Padded<'a>) -> Self {
        // Made from the slice with its padding, so that the pointer may read the padding too.
        let pos = NonNull::from(block.with_slack()).cast::<u8>();
        Self { pos, end: pos.as_ptr().wrapping_add(block.bytes().len()), bytes: PhantomData }
    }
}

impl<'a, P: Pack> Cursor<'a, P> {
    /// Returns a cursor that packs with `pext`, if the processor has it. No other function makes one.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    pub(crate) fn with_pext(self) -> Option<Cursor<'a, Pext>> {
        has_fast_bit_extraction().then_some(Cursor { pos: self.pos, end: self.end, bytes: PhantomData })
    }

    /// Returns a cursor that packs with folds.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    pub(crate) fn with_folds(self) -> Cursor<'a> {
        Cursor { pos: self.pos, end: self.end, bytes: PhantomData }
    }

    /// Returns the number of bytes up to the end of the block.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.end as usize - self.pos.as_ptr() as usize
    }

    /// Loads `N` bytes at `AT` bytes after the position without moving; they may reach into the padding.
    #[inline(always)]
    fn load_at<const AT: usize, const N: usize>(&self) -> [u8; N] {
        const { assert!(AT + N <= SLACK) };
        // SAFETY: `pos <= end` and SLACK readable bytes follow `end`, so AT + N <= SLACK bytes can be read at `pos`.
        unsafe { self.pos.as_ptr().add(AT).cast::<[u8; N]>().read_unaligned() }
    }

    /// Loads `N` bytes at the position without moving; they may reach into the padding.
    #[inline(always)]
    fn load<const N: usize>(&self) -> [u8; N] {
        self.load_at::<0, N>()
    }

    /// Moves forward by `n` bytes. Returns an error, and does not move, if that is past the end.
    #[inline(always)]
    fn advance(&mut self, n: usize) -> Result<(), Stop> {
        if n > self.left() {
            return Err(Stop::Invalid);
        }
        // SAFETY: `n <= left()`, so the new position is at most `end`, in the same allocation.
        self.pos = unsafe { self.pos.add(n) };
        Ok(())
    }

    /// Returns the next 64 bytes, which may include padding.
    #[inline(always)]
    pub(super) fn peek64(&self) -> [u8; 64] {
        self.load()
    }

    /// Returns the next 64 bytes and the 64 bytes after them, which may include padding.
    #[inline(always)]
    pub(super) fn peek128(&self) -> [[u8; 64]; 2] {
        let bytes: [u8; 128] = self.load();
        let (halves, _) = bytes.as_chunks();
        [halves[0], halves[1]]
    }

    /// Returns the eight bytes at `at <= 64` bytes after the position, which may include padding.
    #[inline(always)]
    pub(super) fn peek_word(&self, at: usize) -> u64 {
        debug_assert!(at <= 64);
        const { assert!(64 + 8 <= SLACK) };
        // SAFETY: `pos <= end`, and SLACK >= 64 + 8 readable bytes follow `end`.
        let word = unsafe { self.pos.as_ptr().add(at).cast::<[u8; 8]>().read_unaligned() };
        u64::from_le_bytes(word)
    }

    /// Reads the varint of nine or ten bytes at `at <= 64` bytes after the position.
    #[cold]
    pub(super) fn peek_long_varint(mut self, at: usize) -> Result<u64, Stop> {
        self.advance(at)?;
        self.varint()
    }

    /// Returns the next 8 bytes, which may include padding.
    #[inline(always)]
    pub(crate) fn peek8(&self) -> [u8; 8] {
        self.load()
    }

    /// Reads the next `n` bytes as a value.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: usize) -> Result<Text<'a>, Stop> {
        if n > self.left() {
            return Err(Stop::Invalid);
        }
        // SAFETY: at least `n` bytes are left.
        Ok(unsafe { self.text(n) })
    }

    /// Reads the next `n` bytes.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, n: usize) -> Result<&'a [u8], Stop> {
        self.take(n).map(|text| text.bytes())
    }

    /// Skips `n` bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, n: usize) -> Result<(), Stop> {
        self.advance(n)
    }

    /// Skips a varint, whatever its value.
    #[inline(always)]
    pub(crate) fn skip_varint(&mut self) -> Result<(), Stop> {
        let word = u64::from_le_bytes(self.load());
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.varint().map(|_| ());
        }
        self.advance(ends.trailing_zeros() as usize / 8 + 1)
    }

    /// Skips an int, which must fit 32 bits.
    #[inline(always)]
    pub(crate) fn skip_int(&mut self) -> Result<(), Stop> {
        // Four bytes hold 28 bits, so a varint that ends in them is always a valid int.
        let ends = !u32::from_le_bytes(self.load()) & 0x8080_8080;
        if ends == 0 {
            return self.int().map(|_| ());
        }
        self.advance(ends.trailing_zeros() as usize / 8 + 1)
    }

    /// Moves past the next `len` bytes, and returns them.
    ///
    /// # Safety
    /// At least `len` bytes are left.
    #[inline(always)]
    unsafe fn text(&mut self, len: usize) -> Text<'a> {
        let text = Text { start: self.pos, len, bytes: PhantomData };
        // SAFETY: at least `len` bytes are left, so the new position is at most `end`.
        self.pos = unsafe { self.pos.add(len) };
        text
    }

    /// Reads a string or bytes value.
    #[inline(always)]
    pub(crate) fn string(&mut self) -> Result<Text<'a>, Stop> {
        let length = self.length()?;
        // SAFETY: `length` has checked that at least `length` bytes are left.
        Ok(unsafe { self.text(length) })
    }

    /// Skips a string or bytes value.
    #[inline(always)]
    pub(crate) fn skip_string(&mut self) -> Result<(), Stop> {
        self.string().map(|_| ())
    }

    /// Reads the next `N` bytes as an array.
    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let value = self.load();
        self.advance(N)?;
        Ok(value)
    }

    /// Reads a byte that must be 0 or 1.
    #[inline(always)]
    pub(crate) fn boolean(&mut self) -> Result<bool, Stop> {
        let [byte] = self.array()?;
        if byte > 1 { Err(Stop::Invalid) } else { Ok(byte == 1) }
    }

    /// Reads a varint of at most ten bytes, without zigzag decoding.
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
            let value = P::pack(word);
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
        // `ends ^ (ends - 1)` has all bits up to the top bit of the last byte, so it keeps the bytes of the value.
        let value = P::pack(word & (ends ^ (ends - 1)));
        self.advance(ends.trailing_zeros() as usize / 8 + 1)?;
        Ok(value)
    }

    /// Reads a zigzag varint.
    #[inline(always)]
    pub(crate) fn long(&mut self) -> Result<i64, Stop> {
        Ok(unzigzag(self.varint()?))
    }

    /// Reads a zigzag varint of 32 bits.
    #[inline(always)]
    pub(crate) fn int(&mut self) -> Result<i32, Stop> {
        unzigzag_int(self.varint()?)
    }

    /// Returns the next zigzag number if it has one byte and is not negative, as almost all lengths, indices and counts. This
    /// takes 9 % of the instructions from `nested`.
    #[inline(always)]
    fn short(&self) -> Option<usize> {
        let [byte] = self.load();
        (byte & 0x81 == 0).then_some(usize::from(byte >> 1))
    }

    /// Reads the length of a string or bytes value, which must not exceed the bytes that are left.
    #[inline(always)]
    pub(crate) fn length(&mut self) -> Result<usize, Stop> {
        let Some(length) = self.short() else {
            let (length, after) = self.any_length()?;
            *self = after;
            return Ok(length);
        };
        // The byte of the length is left too.
        if length >= self.left() {
            return Err(Stop::Invalid);
        }
        // SAFETY: at least one byte is left.
        self.pos = unsafe { self.pos.add(1) };
        Ok(length)
    }

    /// Reads the length in any form, and returns the cursor after it. A copy, because passing the address of the cursor
    /// would keep it out of registers.
    #[inline(never)]
    fn any_length(mut self) -> Result<(usize, Self), Stop> {
        let length = self.long()?;
        // As an unsigned number, a negative length is larger than any block.
        if length as u64 > self.left() as u64 { Err(Stop::Invalid) } else { Ok((length as usize, self)) }
    }

    /// Reads an index below `count`, of a union branch or an enum symbol.
    #[inline(always)]
    pub(crate) fn index(&mut self, count: usize) -> Result<usize, Stop> {
        let index = match self.short() {
            Some(index) => {
                self.advance(1)?;
                index
            }
            None => {
                let (index, after) = self.any_index()?;
                *self = after;
                index
            }
        };
        if index < count { Ok(index) } else { Err(Stop::Invalid) }
    }

    #[inline(never)]
    fn any_index(mut self) -> Result<(usize, Self), Stop> {
        let index = usize::try_from(self.long()?).map_err(|_| Stop::Invalid)?;
        Ok((index, self))
    }

    /// Reads the head of the next block of an array or map: its item count, and its byte size if the block
    /// states one. A count of 0 ends the array or map.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> Result<(usize, Option<usize>), Stop> {
        let Some(count) = self.short() else {
            let (count, size, after) = self.any_items()?;
            *self = after;
            return Ok((count, size));
        };
        self.advance(1)?;
        Ok((count, None))
    }

    /// Skips the end of an array or map, if it is the next byte. Returns whether it is.
    #[inline(always)]
    pub(crate) fn skip_end_of_items(&mut self) -> bool {
        let [byte] = self.load();
        byte == 0 && self.advance(1).is_ok()
    }

    #[inline(never)]
    fn any_items(mut self) -> Result<(usize, Option<usize>, Self), Stop> {
        let count = self.long()?;
        if count >= 0 {
            return Ok((count as usize, None, self));
        }
        let size = self.length()?;
        let count = usize::try_from(count.unsigned_abs()).map_err(|_| Stop::Invalid)?;
        Ok((count, Some(size), self))
    }
}

impl<P: Pack> Reads for Cursor<'_, P> {
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

/// Decodes a zigzag number: 0, 1, 2, 3 become 0, -1, 1, -2.
#[inline(always)]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Decodes a zigzag number of 32 bits. Returns an error if the number needs more.
#[inline(always)]
pub(crate) fn unzigzag_int(value: u64) -> Result<i32, Stop> {
    let value = u32::try_from(value).map_err(|_| Stop::Invalid)?;
    Ok((value >> 1) as i32 ^ -((value & 1) as i32))
}

#[cfg(test)]
mod tests;
