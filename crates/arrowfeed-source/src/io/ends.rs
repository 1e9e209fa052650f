//! First and last bytes of a file, as a fingerprint for formats without a marker.

use std::ops::Range;

use super::{Fingerprint, OpenFile, checked_read_at};
use crate::{FeedError, crc32c};

/// Number of bytes at each end of a file.
const END: usize = 4 << 10;

/// The first 4 KiB and the last 4 KiB of a file, or all of its bytes if it is shorter.
#[derive(Debug)]
pub struct FileEnds {
    /// The first bytes.
    pub start: Vec<u8>,
    /// The last bytes. In a short file, some of them are also in `start`.
    pub end: Vec<u8>,
}

impl FileEnds {
    /// Reads both ends.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn read(file: &OpenFile) -> Result<Self, FeedError> {
        Ok(Self { start: read(file, 0)?, end: read(file, file.len().saturating_sub(END as u64))? })
    }

    /// The ranges that a format reads when it opens a file of `len` bytes and uses both ends, see
    /// [`FileFormat::opening_ranges`](crate::format::FileFormat::opening_ranges).
    pub fn opening_ranges(len: Option<u64>) -> Vec<Range<u64>> {
        let end = len.map(|len| len.saturating_sub(END as u64)..len);
        end.into_iter().chain(std::iter::once(0..16 * END as u64)).collect()
    }

    /// Computes the checksums of both halves of each end.
    pub fn fingerprint(&self) -> Fingerprint {
        let halves = [&self.start, &self.end].map(|bytes| bytes.split_at(bytes.len() / 2));
        let halves = halves.iter().flat_map(|(first, second)| [first, second]);
        let mut bytes = [0; 16];
        for (sum, half) in bytes.chunks_mut(4).zip(halves) {
            sum.copy_from_slice(&crc32c(half).to_le_bytes());
        }
        Fingerprint { bytes, name: "checksum of start and end" }
    }
}

/// Reads up to [`END`] bytes from an offset.
fn read(file: &OpenFile, offset: u64) -> Result<Vec<u8>, FeedError> {
    let mut bytes = vec![0; END];
    let found = checked_read_at(&**file.source(), offset, &mut bytes).map_err(FeedError::io)?;
    bytes.truncate(found);
    Ok(bytes)
}
