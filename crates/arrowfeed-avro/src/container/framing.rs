//! What stands around a block's data: record count and byte size before it, the sync marker after it.
//!
//! Everyone who walks blocks checks them here, so that the same fault is the same error everywhere.

use arrowfeed_source::{FeedError, FeedErrorKind, counted, hex, thousands};

use super::magic::MAGIC;
use super::varint::{Long, MAX_LONG, long};

/// Bytes of a sync marker.
pub(crate) const SYNC: usize = 16;

/// Bytes of the longest [`Head`].
pub(super) const MAX_HEAD: usize = 2 * MAX_LONG;

/// The two numbers before a block's data. `size` is within the limit; so `len + size + SYNC` does not overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// Records in the block.
    pub(super) count: u64,
    /// Bytes of data, as they are in the file.
    pub(super) size: usize,
    /// Bytes of the head itself.
    pub(super) len: usize,
}

impl Head {
    /// Parses and checks the head that `bytes` start with: at least [`MAX_HEAD`] bytes, or all up to the end of
    /// the input. `limit` is the most that `size` may be.
    pub(super) fn parse(bytes: &[u8], limit: usize) -> Result<Self, FeedError> {
        if bytes.starts_with(&MAGIC) {
            let message =
                "expected a block, found the magic bytes of another Avro file (files that were joined?)";
            return Err(corrupt(message));
        }
        let (count, count_len) = number(bytes, 0, "record count")?;
        let (size, size_len) = number(bytes, count_len, "byte size")?;
        // A usize cannot hold everything that a block may declare; the limit leaves room for head and marker.
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

    /// Bytes of the whole block.
    pub(super) fn frame(&self) -> usize {
        self.len + self.size + SYNC
    }

    /// Checks that data and marker fit in the `left` bytes from the start of the block to the end of the input.
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

/// One number of the head, and where the next one starts.
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

/// Whether a block, or the end of the input, is at `offset`: does what follows a sync marker make it a real one?
/// A payload can hold the marker's bytes by chance; that a size leads from there to the marker once more, only
/// by intent. `read_at` fills as much as there is, like [`ByteSource::read_at`](arrowfeed_source::io::ByteSource::read_at).
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
