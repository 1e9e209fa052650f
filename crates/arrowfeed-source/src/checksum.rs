//! CRC-32C, the checksum of TFRecord and of [`FileEnds`](crate::io::FileEnds).

use crc_fast::{CrcAlgorithm, checksum};

/// Computes the CRC-32C of `bytes`. For 3 kB, the crate `crc-fast` takes 140 ns and `crc32c` 230 ns.
///
/// ```
/// assert_eq!(arrowfeed_source::crc32c(b"123456789"), 0xe306_9283);
/// ```
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The result has 32 bits; the return type is `u64` because other algorithms of the crate have 64.
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}
