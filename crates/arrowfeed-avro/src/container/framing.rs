//! Framing around a block's data: record count and byte size before it, sync marker after it.
//!
//! All code that walks over blocks checks them here, so that the same fault always gives the same error.

use arrowfeed_source::{Check, FeedError, FeedErrorKind, counted, hex, thousands};

use super::input::Input;
use super::magic::MAGIC;
use super::varint::{Long, MAX_LONG, long};

/// Size of a sync marker.
pub(crate) const SYNC: usize = 16;

/// Size of the longest [`Head`].
pub(super) const MAX_HEAD: usize = 2 * MAX_LONG;

/// The two numbers before a block's data. `size` is within the limit, so `len + size + SYNC` does not overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// Number of records in the block.
    pub(super) count: u64,
    /// Size of the data in the file.
    pub(super) size: usize,
    /// Size of the two numbers themselves.
    pub(super) len: usize,
}

impl Head {
    /// Parses and checks the head at the start of `bytes`, which holds at least [`MAX_HEAD`] bytes, or all
    /// bytes up to the end of the input. `limit` is the maximum of `size`.
    pub(super) fn parse(bytes: &[u8], limit: usize) -> Result<Self, FeedError> {
        if bytes.starts_with(&MAGIC) {
            let message =
                "expected a block, found the magic bytes of another Avro file (files that were joined?)";
            return Err(corrupt(message));
        }
        let (count, count_len) = number(bytes, 0, "record count")?;
        let (size, size_len) = number(bytes, count_len, "byte size")?;
        // A block may declare more than a usize can hold; the limit leaves room for the head and the marker.
        let limit = limit.min(usize::MAX / 4);
        match usize::try_from(size) {
            Ok(size) if size <= limit => Ok(Self { count, size, len: count_len + size_len }),
            _ => {
                let (most, found) = (thousands(limit as u64), thousands(size));
                let message = format!("expected a block of at most {most} bytes, found {found}");
                Err(FeedError::limit_reached("decoded_block_bytes", message))
            }
        }
    }

    /// Size of the whole block.
    pub(super) fn frame(&self) -> usize {
        self.len + self.size + SYNC
    }

    /// Checks that the data and the marker fit in the `left` bytes from the start of the block to the end of the input.
    pub(super) fn fits(&self, left: u64) -> Result<(), FeedError> {
        if self.frame() as u64 <= left {
            return Ok(());
        }
        let need = thousands((self.size + SYNC) as u64);
        let left = thousands(left.saturating_sub(self.len as u64));
        let message =
            format!("expected {need} bytes of data and sync marker, found the end of the file after {left}");
        Err(FeedError::new(FeedErrorKind::Truncated, message))
    }

    /// Checks the marker after the data.
    pub(super) fn ends_with(&self, found: &[u8], sync: &[u8; SYNC]) -> Result<(), FeedError> {
        if found == sync {
            return Ok(());
        }
        let size = counted(self.size as u64, "byte");
        let (expected, shown) = (hex(sync), hex(found));
        let zeros = self.count == 0 && self.size == 0 && found.iter().all(|&byte| byte == 0);
        let hint = if zeros { " (is the rest of the file filled with zeros?)" } else { "" };
        Err(corrupt(format!("expected the sync marker {expected} after {size} of data, found {shown}{hint}")))
    }
}

/// Returns the average size of a record of the next block, as it is stored: compressed, if the codec compresses. Reads no
/// further than the head of the block needs. `None`: there is no valid head, or the block has no record.
pub(crate) fn stored_record_bytes(input: &mut Input, check: &Check<'_>) -> Option<u64> {
    // The reader of the block reports what is wrong.
    input.ensure(MAX_HEAD, check).ok()?;
    let head = Head::parse(input.available(), usize::MAX).ok()?;
    (head.size as u64).checked_div(head.count)
}

/// Parses one number of the head, and returns it with the offset of the next one.
fn number(bytes: &[u8], start: usize, what: &str) -> Result<(u64, usize), FeedError> {
    match long(bytes.get(start..).unwrap_or(&[])) {
        Long::Value(value, len) => match u64::try_from(value) {
            Ok(value) => Ok((value, len)),
            Err(_) => Err(corrupt(format!("expected a {what} of 0 or more, found {value}"))),
        },
        Long::Cut => {
            let found = counted(bytes.len() as u64, "byte");
            let message = format!("expected the {what} of a block, found the end of the file after {found}");
            Err(FeedError::new(FeedErrorKind::Truncated, message))
        }
        Long::Overlong => Err(corrupt(format!("expected a {what}, found a number of more than 64 bits"))),
    }
}

fn corrupt(message: impl Into<String>) -> FeedError {
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}

/// Checks whether a block or the end of the input is at `offset`, and therefore whether the sync marker before
/// `offset` is a real one. A payload can contain the bytes of the marker by chance, but not a size that leads
/// from there to another marker. `read_at` fills as much of its buffer as it can, like
/// [`ByteSource::read_at`](arrowfeed_source::io::ByteSource::read_at).
pub(super) fn block_or_end(
    mut read_at: impl FnMut(u64, &mut [u8]) -> Result<usize, FeedError>,
    offset: u64,
    limit: usize,
    sync: &[u8; SYNC],
) -> Result<bool, FeedError> {
    let mut head = [0; MAX_HEAD];
    let found = read_at(offset, &mut head)?;
    if found == 0 {
        return Ok(true);
    }
    let Ok(head) = Head::parse(&head[..found], limit) else { return Ok(false) };
    let mut marker = [0; SYNC];
    let found = read_at(offset + (head.len + head.size) as u64, &mut marker)?;
    Ok(found == SYNC && marker == *sync)
}
