//! The growing buffer of one block, with Avro's primitive encodings.

use super::leaf::Tag;
use crate::container::framing::SYNC;

/// Maximum number of bytes of a `long`.
const MAX_LONG: usize = 10;

/// Room for the largest fixed part that a leaf writes without reserving again: a branch, a `long`, and the 8 bytes that
/// [`BlockBuffer::long`] may write past the end of a short number.
const ROOM: usize = 32;

/// Number of bytes that are copied at once for a short string. Its length takes one byte.
const SHORT: usize = 32;

/// Initial size of the buffer.
const LEAST: usize = 64 << 10;

/// Room before the rows for the head of their block: two numbers, which are written once they are known.
const HEAD: usize = 2 * MAX_LONG;

/// The encoded rows of one block, after room for its head. Invariant: `len + ROOM <= bytes.len()`.
///
/// The buffer never grows past its limit. A row that needs more sets [`is_over`](Self::is_over) and its bytes are
/// dropped, so the hot path needs no `Result`.
#[derive(Debug)]
pub(crate) struct BlockBuffer {
    bytes: Vec<u8>,
    len: usize,
    limit: usize,
    over: bool,
}

impl BlockBuffer {
    /// An empty buffer for at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: vec![0; LEAST], len: HEAD, limit: limit.max(LEAST), over: false }
    }

    /// Size of the rows in bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len - HEAD
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[u8] {
        &self.bytes[HEAD..self.len]
    }

    pub(crate) fn clear(&mut self) {
        (self.len, self.over) = (HEAD, false);
    }

    /// The block with these `count` rows, as it is stored in a file without compression.
    pub(crate) fn block(&mut self, count: u64, sync: &[u8; SYNC]) -> &[u8] {
        let size = self.len();
        let start = write_head(&mut self.bytes, HEAD, count, size);
        // Fits in ROOM.
        self.bytes[self.len..][..sync.len()].copy_from_slice(sync);
        &self.bytes[start..self.len + sync.len()]
    }

    /// Writes a compressed block to `out`, replacing its content, and returns the start. `fill` appends the compressed rows.
    pub(crate) fn compressed_block<E>(
        out: &mut Vec<u8>,
        count: u64,
        sync: &[u8],
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<usize, E> {
        out.clear();
        out.resize(HEAD, 0);
        fill(out)?;
        let size = out.len() - HEAD;
        out.extend_from_slice(sync);
        Ok(write_head(out, HEAD, count, size))
    }

    /// Whether more bytes were written than the limit allows. If so, the content of the buffer must not be used.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Makes room for `n` more bytes and [`ROOM`]. Returns false if that exceeds the limit.
    #[inline(always)]
    fn reserve(&mut self, n: usize) -> bool {
        if n + ROOM <= self.bytes.len() - self.len { true } else { self.grow(n) }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, n: usize) -> bool {
        let needed = self.len.saturating_add(n);
        if needed - HEAD > self.limit {
            (self.len, self.over) = (HEAD, true);
            return n + ROOM <= self.bytes.len() - HEAD;
        }
        let doubled = self.bytes.len().saturating_mul(2).min(self.limit);
        self.bytes.resize(needed.max(doubled).saturating_add(ROOM), 0);
        true
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.reserve(1);
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.reserve(N);
        self.bytes[self.len..][..N].copy_from_slice(&bytes);
        self.len += N;
    }

    #[inline(always)]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        if self.reserve(bytes.len()) {
            self.bytes[self.len..][..bytes.len()].copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    /// Writes a length and the bytes: Avro's `bytes` and `string`.
    #[inline(always)]
    pub(crate) fn sized(&mut self, bytes: &[u8]) {
        self.long(bytes.len() as i64);
        self.extend(bytes);
    }

    /// Writes the bytes of `data` from `start` to `end`, after their length. Short values are copied as one block of `SHORT`
    /// bytes if `data` has that many, which needs no call and no branch for each length. Together with branchless nulls, this
    /// reduced the time for 500,000 rows of 30 nullable columns, 10 of them strings, from 133 to 104 ms.
    #[inline(always)]
    pub(crate) fn sized_in(&mut self, data: &[u8], start: usize, end: usize) {
        match short(data, start, end) {
            Some((block, len)) => {
                self.reserve(1 + SHORT);
                put_short(&mut self.bytes[self.len..], block, len);
                self.len += 1 + len;
            }
            None => self.sized(&data[start..end]),
        }
    }

    /// Like [`sized_in`](Self::sized_in), in a union with null. Nulls are branchless: the value is written too, but only the
    /// tag is kept.
    #[inline(always)]
    pub(super) fn optional_sized_in(&mut self, data: &[u8], start: usize, end: usize, tag: Tag) {
        self.reserve(2 + SHORT);
        self.bytes[self.len] = tag.byte;
        match short(data, start, end) {
            Some((block, len)) => {
                put_short(&mut self.bytes[self.len + 1..], block, len);
                self.len += 1 + if tag.valid { 1 + len } else { 0 };
            }
            None => {
                self.len += 1;
                if tag.valid {
                    self.sized(&data[start..end]);
                }
            }
        }
    }

    /// Writes a zigzag varint.
    #[inline(always)]
    pub(crate) fn long(&mut self, value: i64) {
        self.reserve(MAX_LONG);
        self.len += long_at(&mut self.bytes, self.len, value);
    }

    /// Writes a zigzag varint in a union with null. Nulls are branchless: the value is written too, but only the tag is kept.
    #[inline(always)]
    pub(super) fn optional_long(&mut self, value: i64, tag: Tag) {
        self.reserve(1 + MAX_LONG);
        self.bytes[self.len] = tag.byte;
        let len = long_at(&mut self.bytes, self.len + 1, value);
        self.len += 1 + if tag.valid { len } else { 0 };
    }

    /// Writes a fixed number of bytes in a union with null, like [`optional_long`](Self::optional_long).
    #[inline(always)]
    pub(super) fn optional_array<const N: usize>(&mut self, bytes: [u8; N], tag: Tag) {
        self.reserve(1 + N);
        self.bytes[self.len] = tag.byte;
        self.bytes[self.len + 1..][..N].copy_from_slice(&bytes);
        self.len += 1 + if tag.valid { N } else { 0 };
    }

    /// Writes zigzag varints, with one check for room for each [`RUN`](Self::longs) values.
    #[inline(always)]
    pub(crate) fn longs(&mut self, values: impl ExactSizeIterator<Item = i64>) {
        /// Number of values for which room is reserved at once.
        const RUN: usize = 128;
        let mut values = values;
        while values.len() > 0 {
            self.reserve(RUN * MAX_LONG);
            let (bytes, mut at) = (&mut self.bytes[..], self.len);
            for value in values.by_ref().take(RUN) {
                at += long_at(bytes, at, value);
            }
            self.len = at;
        }
    }
}

/// A block of bytes that begins with those from `start` to `end`, and their number. `None` if there are more, or if
/// `data` ends before the block does.
#[inline(always)]
fn short(data: &[u8], start: usize, end: usize) -> Option<(&[u8; SHORT], usize)> {
    let len = end.wrapping_sub(start);
    let block = data.get(start..)?.first_chunk()?;
    (len <= SHORT).then_some((block, len))
}

/// Writes a length and a block, of which the first `len` bytes count.
#[inline(always)]
fn put_short(out: &mut [u8], block: &[u8; SHORT], len: usize) {
    out[0] = (len as u8) << 1;
    out[1..=SHORT].copy_from_slice(block);
}

/// Writes the head of a block so that it ends at `end`, and returns its start.
fn write_head(bytes: &mut [u8], end: usize, count: u64, size: usize) -> usize {
    let mut head = [0; 32];
    let len = long_at(&mut head, 0, count as i64);
    let len = len + long_at(&mut head, len, size as i64);
    bytes[end - len..end].copy_from_slice(&head[..len]);
    end - len
}

/// Writes a zigzag varint at `at` and returns its length. Later bytes may change, up to 16 from `at` on.
#[inline(always)]
fn long_at(bytes: &mut [u8], at: usize, value: i64) -> usize {
    let zigzag = ((value << 1) ^ (value >> 63)) as u64;
    let slots: &mut [u8; 16] = (&mut bytes[at..at + 16]).try_into().expect("a slice of 16 bytes");
    if zigzag < 1 << 56 {
        let len = (70 - (zigzag | 1).leading_zeros() as usize) / 7;
        let more = 0x8080_8080_8080_8080 & ((1 << (8 * (len - 1))) - 1);
        slots[..8].copy_from_slice(&(spread(zigzag) | more).to_le_bytes());
        return len;
    }
    slots[..8].copy_from_slice(&(spread(zigzag) | 0x8080_8080_8080_8080).to_le_bytes());
    let rest = zigzag >> 56;
    slots[8] = rest as u8 & 0x7f;
    if rest < 0x80 {
        return 9;
    }
    (slots[8], slots[9]) = (slots[8] | 0x80, (rest >> 7) as u8);
    10
}

/// Spreads the lowest 56 bits to seven in each byte, in three steps instead of eight.
#[inline(always)]
fn spread(x: u64) -> u64 {
    let x = (x & 0x0fff_ffff) | (x & 0x00ff_ffff_f000_0000) << 4;
    let x = (x & 0x0000_3fff_0000_3fff) | (x & 0x0fff_c000_0fff_c000) << 2;
    (x & 0x007f_007f_007f_007f) | (x & 0x3f80_3f80_3f80_3f80) << 1
}

#[cfg(test)]
mod tests {
    use super::super::leaf::Tags;
    use super::*;

    /// The encoding of the specification, one byte at a time.
    fn plain(value: i64) -> Vec<u8> {
        let mut rest = ((value as i128) << 1 ^ (value as i128) >> 127) as u64;
        let mut bytes = Vec::new();
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    }

    #[test]
    fn numbers_of_every_length_are_zigzag_varints() {
        let mut numbers = vec![0, -1, 1, i64::MIN, i64::MAX];
        for bit in 0..63 {
            let power = 1_i64 << bit;
            numbers.extend([power - 1, power, power + 1, -power, -power - 1, 1 - power]);
        }
        let expected: Vec<u8> = numbers.iter().flat_map(|value| plain(*value)).collect();
        let mut one_by_one = BlockBuffer::new(1 << 20);
        numbers.iter().for_each(|value| one_by_one.long(*value));
        assert_eq!(one_by_one.rows(), expected);
        let mut at_once = BlockBuffer::new(1 << 20);
        at_once.longs(numbers.iter().copied());
        assert_eq!(at_once.rows(), expected);
        let (mut optional, tags) = (BlockBuffer::new(1 << 20), Tags { null: 0, value: 2 });
        numbers.iter().for_each(|value| optional.optional_long(*value, tags.of(*value % 3 != 0)));
        let tagged = |value: i64| if value % 3 == 0 { vec![0] } else { [vec![2], plain(value)].concat() };
        let expected: Vec<u8> = numbers.iter().flat_map(|value| tagged(*value)).collect();
        assert_eq!(optional.rows(), expected);
    }

    #[test]
    fn strings_of_every_length_have_their_own_bytes_only() {
        let data: Vec<u8> = (0..200).collect();
        let (mut plain, mut optional) = (BlockBuffer::new(4 << 20), BlockBuffer::new(4 << 20));
        let (mut sized, mut tagged, tags) = (Vec::new(), Vec::new(), Tags { null: 2, value: 0 });
        for (start, end) in (0..=200).flat_map(|start| (start..=200).map(move |end| (start, end))) {
            let value = [self::plain((end - start) as i64), data[start..end].to_vec()].concat();
            plain.sized_in(&data, start, end);
            sized.extend_from_slice(&value);
            let valid = (start + end) % 3 > 0;
            optional.optional_sized_in(&data, start, end, tags.of(valid));
            tagged.extend(if valid { [vec![0], value].concat() } else { vec![2] });
        }
        assert_eq!(plain.rows(), sized);
        assert_eq!(optional.rows(), tagged);
    }

    #[test]
    fn a_buffer_grows_up_to_its_limit_and_no_further() {
        let (limit, piece) = (1 << 20, vec![7; 1000]);
        let mut buffer = BlockBuffer::new(limit);
        for n in 1..=limit / 1000 {
            buffer.extend(&piece);
            assert_eq!((buffer.len(), buffer.is_over()), (n * 1000, false));
        }
        buffer.extend(&piece);
        assert!(buffer.is_over());
        buffer.extend(&vec![1; 3 << 20]);
        buffer.longs((0..10_000_000).map(|_| i64::MIN));
        assert!(buffer.is_over() && buffer.bytes.len() <= limit + HEAD + ROOM);
        buffer.clear();
        buffer.sized(b"ab");
        assert_eq!((buffer.rows(), buffer.is_over()), (&b"\x04ab"[..], false));
    }
}
