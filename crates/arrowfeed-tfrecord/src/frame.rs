//! The framing of TFRecord: each record is between its length and its checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | length of the record, little-endian |
//! | 4 | masked CRC-32C of these 8 bytes |
//! | length | the record |
//! | 4 | masked CRC-32C of the record |
//!
//! The checksums are masked, because a CRC over data that contains CRCs is weak. Source:
//! `tensorflow/core/lib/io/record_writer.h`.

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, crc32c, thousands};

/// Size of the header before a record, in bytes.
pub(crate) const HEADER: usize = 12;

/// Size of the checksum after a record, in bytes.
pub(crate) const FOOTER: usize = 4;

fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Whether these bytes are a length and its checksum.
pub(crate) fn is_header(header: &[u8; HEADER]) -> bool {
    let (length, crc) = header.split_at(8);
    masked_crc(length) == number(crc)
}

/// Length of the record that follows, in bytes.
///
/// # Errors
/// The checksum does not match the length.
pub(crate) fn length(header: &[u8; HEADER]) -> Result<u64, FeedError> {
    if !is_header(header) {
        let message = "expected a record length that matches its checksum, found one that does not";
        return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
    }
    Ok(header[..8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// Checks the length of a record against a limit.
///
/// # Errors
/// The record exceeds the limit.
pub(crate) fn allowed(length: u64, limits: &Limits) -> Result<usize, FeedError> {
    match usize::try_from(length) {
        Ok(length) if length <= limits.decoded_block_bytes => Ok(length),
        _ => {
            let (most, found) = (thousands(limits.decoded_block_bytes as u64), thousands(length));
            let message = format!("expected a record of at most {most} bytes, found {found}");
            Err(FeedError::limit_reached("decoded_block_bytes", message))
        }
    }
}

/// The error of a file that ends inside a frame.
#[cold]
pub(crate) fn truncated(expected: u64, what: &str, found: u64) -> FeedError {
    let (expected, found) = (thousands(expected), thousands(found));
    let message = format!("expected the {expected} bytes {what}, found the end of the file after {found}");
    FeedError::new(FeedErrorKind::Truncated, message)
}

/// The parts of a frame in messages of [`truncated`]: the header, and the rest.
pub(crate) const BEFORE: &str = "before a record";
pub(crate) const REST: &str = "of a record and its checksum";

/// Verifies the checksum that follows a record.
///
/// # Errors
/// The checksum does not match the record.
pub(crate) fn check(record_and_crc: &[u8]) -> Result<(), FeedError> {
    let (record, crc) = record_and_crc.split_at(record_and_crc.len() - FOOTER);
    let (expected, found) = (number(crc), masked_crc(record));
    if expected == found {
        return Ok(());
    }
    let message = format!("expected a record with the checksum {expected:08x}, found one with {found:08x}");
    Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
}

fn number(crc: &[u8]) -> u32 {
    crc.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// The header before a record of this length.
pub(crate) fn header(length: u64) -> [u8; HEADER] {
    let (mut header, length) = ([0; HEADER], length.to_le_bytes());
    header[..8].copy_from_slice(&length);
    header[8..].copy_from_slice(&masked_crc(&length).to_le_bytes());
    header
}

/// Appends a record with its frame.
pub(crate) fn write(record: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&header(record.len() as u64));
    out.extend_from_slice(record);
    out.extend_from_slice(&masked_crc(record).to_le_bytes());
}
