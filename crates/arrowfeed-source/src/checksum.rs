//! CRC-32C, the checksum of TFRecord and of the ends of files.

use crc_fast::{CrcAlgorithm, checksum};

/// The CRC-32C of some bytes. Of 3 kB it takes 140 ns by the crate `crc-fast`, and 230 by `crc32c`.
///
/// ```
/// assert_eq!(arrowfeed_source::crc32c(b"123456789"), 0xe306_9283);
/// ```
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The algorithm has 32 bits; others of the crate have 64.
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}
