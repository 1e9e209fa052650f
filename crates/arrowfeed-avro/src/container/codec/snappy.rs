//! Raw snappy followed by a checksum.

use arrowfeed_source::{Check, FeedError, FeedErrorKind, thousands};
use snap::raw::{Decoder, decompress_len};

use super::Codec;
use super::decompressor::Method;
use super::output::Output;

/// Maximum output per byte of input, rounded up: a copy of 64 bytes takes 3 bytes.
const MAX_RATIO: u64 = 22;

/// Decompresses blocks and verifies their last four bytes, the big-endian CRC-32 of the uncompressed bytes.
pub(super) struct Snappy;

impl Method for Snappy {
    fn decompress(
        &mut self,
        data: &[u8],
        output: &mut Output,
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        let found = decompress(data, output, check);
        if found.as_ref().is_err_and(|error| error.kind() == FeedErrorKind::Codec) && is_stream(data, output)
        {
            return Err(Codec::Snappy.mismatch("one without the 4 bytes of its CRC-32, which Avro requires"));
        }
        found
    }
}

/// Whether the data are a stream without a checksum.
#[cold]
fn is_stream(data: &[u8], output: &Output) -> bool {
    let mut room = Vec::new();
    let len = decompress_len(data).ok();
    let len = len.filter(|len| is_possible(data, *len) && output.check_declared(*len as u64).is_ok());
    // A stream has bytes for its length, so its content is not empty.
    let Some(len) = len.filter(|len| *len > 0 && room.try_reserve_exact(*len).is_ok()) else { return false };
    room.resize(len, 0);
    Decoder::new().decompress(data, &mut room) == Ok(len)
}

/// Whether a stream can have as much content as it declares.
fn is_possible(stream: &[u8], declared: usize) -> bool {
    declared as u64 <= (stream.len() as u64).saturating_mul(MAX_RATIO).saturating_add(64)
}

fn decompress(data: &[u8], output: &mut Output, check: &Check<'_>) -> Result<usize, FeedError> {
    let Some((stream, checksum)) = data.split_last_chunk::<4>() else {
        return Err(Codec::Snappy
            .mismatch(format_args!("{} bytes, fewer than the 4 bytes of its CRC-32", data.len())));
    };
    let bad = |error: snap::Error| {
        let found = thousands(stream.len() as u64);
        Codec::Snappy.mismatch(format_args!("{found} bytes of invalid data")).with_source(error)
    };
    let declared = decompress_len(stream).map_err(bad)?;
    if !is_possible(stream, declared) {
        let (len, declared) = (thousands(stream.len() as u64), thousands(declared as u64));
        return Err(Codec::Snappy.mismatch(format_args!("{len} bytes that declare {declared}")));
    }
    output.check_declared(declared as u64)?;
    let mut crc = 0;
    let len = output.fit(declared, check, |room| {
        let len = Decoder::new().decompress(stream, room).map_err(bad)?;
        crc = crc32fast::hash(&room[..len]);
        Ok(Some(len))
    })?;
    let expected = u32::from_be_bytes(*checksum);
    if crc != expected {
        let message = format!("expected bytes with the CRC-32 {expected:08x}, found {crc:08x}");
        return Err(FeedError::new(FeedErrorKind::Codec, message));
    }
    Ok(len)
}
