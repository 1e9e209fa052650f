use std::io::Write;

use arrowfeed_source::{Check, Limits};

use super::*;
use crate::container::testing::{CODECS, compress};
use crate::wire::padded::{Padded, SLACK};

const COMPRESSED: [Codec; 5] = [Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

fn decompress_with(decompressor: &mut Decompressor, data: &[u8]) -> Result<Vec<u8>, FeedError> {
    let padded = [data, &[0xee; SLACK]].concat();
    let payload = decompressor.decompress(Padded::new(&padded, data.len()).unwrap(), &Check::never())?;
    assert!(payload.with_slack().len() >= payload.bytes().len() + SLACK);
    Ok(payload.bytes().to_vec())
}

fn decompress(codec: Codec, data: &[u8]) -> Result<Vec<u8>, FeedError> {
    decompress_with(&mut Decompressor::new(codec, &Limits::default()).unwrap(), data)
}

fn failure(codec: Codec, data: &[u8]) -> String {
    let error = decompress(codec, data).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Codec);
    error.to_string()
}

/// Generates pseudo-random hexadecimal digits, which compress to about half their size.
fn digits(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b"0123456789abcdef"[(state >> 60) as usize]
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn every_name_is_its_codec() {
    for codec in CODECS {
        assert_eq!(Codec::from_name(codec.name().as_bytes()).unwrap(), codec);
    }
}

#[test]
fn one_decompressor_takes_blocks_of_any_size_in_any_order() {
    for codec in CODECS {
        let mut decompressor = Decompressor::new(codec, &Limits::default()).unwrap();
        for len in [1, 3_000_000, 0, 100, 500_000] {
            let payload = digits(len);
            let data = compress(codec, &payload);
            assert!(decompress_with(&mut decompressor, &data).unwrap() == payload, "{codec:?} {len}");
            // An error does not affect the next block.
            if codec != Codec::Null {
                assert!(decompress_with(&mut decompressor, &data[..data.len() / 2]).is_err());
            }
        }
    }
}

#[test]
fn a_cut_stream_is_an_error() {
    for codec in COMPRESSED {
        let data = compress(codec, &digits(300));
        for len in 0..data.len() {
            failure(codec, &data[..len]);
        }
    }
    for (codec, found) in [
        (Codec::Deflate, "a deflate stream, found {} bytes of invalid or truncated data"),
        (Codec::Zstandard, "a zstandard stream, found {} bytes of invalid or truncated data"),
        (Codec::Bzip2, "a bzip2 stream, found one that is truncated after {} bytes"),
        (Codec::Xz, "an xz stream, found one that is truncated after {} bytes"),
    ] {
        let data = compress(codec, b"records");
        let len = data.len() - 1;
        assert_eq!(
            failure(codec, &data[..len]),
            format!("expected {}", found.replace("{}", &len.to_string()))
        );
    }
}

#[test]
fn no_bytes_are_no_stream() {
    for codec in [Codec::Deflate, Codec::Zstandard, Codec::Bzip2] {
        assert_eq!(failure(codec, b""), format!("expected a {} stream, found no bytes", codec.name()));
    }
    assert_eq!(failure(Codec::Xz, b""), "expected an xz stream, found no bytes");
    for len in 0..4 {
        let text =
            format!("expected a snappy stream, found {len} bytes, fewer than the 4 bytes of its CRC-32");
        assert_eq!(failure(Codec::Snappy, &b"abc"[..len]), text);
    }
    assert_eq!(failure(Codec::Snappy, &[0; 4]), "expected a snappy stream, found 0 bytes of invalid data");
}

#[test]
fn data_of_another_codec_is_an_error() {
    let payload = digits(1000);
    for codec in COMPRESSED {
        for other in CODECS.into_iter().filter(|&other| other != codec) {
            failure(codec, &compress(other, &payload));
        }
    }
    let text = "expected a bzip2 stream, found invalid data after byte 0 of the block";
    assert_eq!(failure(Codec::Bzip2, &payload), text);
    assert_eq!(failure(Codec::Xz, &payload), "expected an xz stream, found 1,000 bytes of invalid data");
    let text = "expected a zstandard stream, found no frame at byte 0 of the block";
    assert_eq!(failure(Codec::Zstandard, &payload), text);
}

#[test]
fn a_bomb_stops_at_the_limit_in_bounded_memory() {
    let limit = 1 << 20;
    let limits = Limits { decoded_block_bytes: limit, ..Limits::default() };
    let text = |found: &str| {
        format!("expected a block of at most 1,048,576 bytes after decompression, found {found}")
    };
    for (codec, found) in [
        (Codec::Deflate, "more"),
        (Codec::Snappy, "10,000,000 declared"),
        (Codec::Zstandard, "10,000,000 declared"),
        (Codec::Bzip2, "more"),
        (Codec::Xz, "more"),
    ] {
        let mut decompressor = Decompressor::new(codec, &limits).unwrap();
        let error = decompress_with(&mut decompressor, &compress(codec, &vec![0; 10_000_000])).unwrap_err();
        assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("decoded_block_bytes")));
        assert_eq!(error.to_string(), text(found));
        assert!(decompressor.capacity() <= limit + SLACK);

        let full = compress(codec, &vec![0; limit]);
        assert_eq!(decompress_with(&mut decompressor, &full).unwrap().len(), limit);
        let over = compress(codec, &vec![0; limit + 1]);
        assert_eq!(
            decompress_with(&mut decompressor, &over).unwrap_err().limit(),
            Some("decoded_block_bytes")
        );
        assert!(decompressor.capacity() <= limit + SLACK);
    }
    let stream = zstd::stream::encode_all(vec![0; 10_000_000].as_slice(), 1).unwrap();
    let mut decompressor = Decompressor::new(Codec::Zstandard, &limits).unwrap();
    assert_eq!(decompress_with(&mut decompressor, &stream).unwrap_err().to_string(), text("more"));
}

#[test]
fn a_small_block_takes_little_memory() {
    for codec in COMPRESSED {
        let mut decompressor = Decompressor::new(codec, &Limits::default()).unwrap();
        decompress_with(&mut decompressor, &compress(codec, b"small")).unwrap();
        assert!(decompressor.capacity() < 100_000, "{codec:?}");
    }
}

#[test]
fn every_stream_and_frame_of_a_block_is_read() {
    for codec in [Codec::Zstandard, Codec::Bzip2, Codec::Xz] {
        let (first, second) = (digits(200_000), b"second".to_vec());
        let data = [compress(codec, &first), compress(codec, b""), compress(codec, &second)].concat();
        assert!(decompress(codec, &data).unwrap() == [first, second].concat(), "{codec:?}");
        let garbage = [data, b"garbage".to_vec()].concat();
        failure(codec, &garbage);
    }
}

#[test]
fn bytes_after_the_end_of_a_deflate_stream_are_accepted() {
    let data = [compress(Codec::Deflate, b"records"), vec![0x0a, 0x0b, 0x0c]].concat();
    assert_eq!(decompress(Codec::Deflate, &data).unwrap(), b"records");
}

#[test]
fn deflate_in_a_zlib_wrapper_is_an_error_with_a_hint() {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut data = [0; 100];
    let len = compressor.zlib_compress(b"records", &mut data).unwrap();
    let found = format!("{len} bytes of invalid or truncated data (they start like a zlib stream)");
    assert_eq!(failure(Codec::Deflate, &data[..len]), format!("expected a deflate stream, found {found}"));
    // A stored block whose length and complement disagree.
    failure(Codec::Deflate, &[0x01, 0x05, 0x00, 0x00, 0x00, b'a', b'b', b'c', b'd', b'e']);
}

#[test]
fn a_snappy_checksum_is_always_verified() {
    let data = compress(Codec::Snappy, b"records");
    let crc = crc32fast::hash(b"records");
    for wrong in [crc ^ 1, crc.swap_bytes(), 0] {
        let bytes = [&data[..data.len() - 4], &wrong.to_be_bytes()].concat();
        let text = format!("expected bytes with the CRC-32 {wrong:08x}, found {crc:08x}");
        assert_eq!(failure(Codec::Snappy, &bytes), text);
    }
}

#[test]
fn a_snappy_stream_without_a_checksum_is_named() {
    let text = "expected a snappy stream, found one without the 4 bytes of its CRC-32, which Avro requires";
    for content in [b"r".to_vec(), b"records".to_vec(), digits(1000), vec![0; 100_000]] {
        let data = compress(Codec::Snappy, &content);
        assert_eq!(failure(Codec::Snappy, &data[..data.len() - 4]), text);
    }
}

#[test]
fn a_zstandard_frame_with_a_dictionary_is_named() {
    let text =
        "expected a zstandard stream, found one that needs the dictionary 77, which is not in the file";
    assert_eq!(failure(Codec::Zstandard, &frame(&[0x21, 77, 1])), text);
}

#[test]
fn a_snappy_length_is_not_believed() {
    let lie = |declared: &[u8]| [declared, b"\x18records\0\0\0\0"].concat();
    let found = "9 bytes of invalid data";
    assert_eq!(failure(Codec::Snappy, &lie(&[6])), format!("expected a snappy stream, found {found}"));
    assert_eq!(failure(Codec::Snappy, &lie(&[8])), format!("expected a snappy stream, found {found}"));
    assert_eq!(failure(Codec::Snappy, &lie(&[0])), format!("expected a snappy stream, found {found}"));
    let most = lie(&[0xff, 0xff, 0xff, 0xff, 0x0f]);
    let mut decompressor = Decompressor::new(Codec::Snappy, &Limits::default()).unwrap();
    let text = "expected a snappy stream, found 13 bytes that declare 4,294,967,295";
    assert_eq!(decompress_with(&mut decompressor, &most).unwrap_err().to_string(), text);
    assert_eq!(decompressor.capacity(), 0);
}

/// Builds a frame with this header and one raw block that holds `x`.
fn frame(header: &[u8]) -> Vec<u8> {
    [&[0x28, 0xb5, 0x2f, 0xfd], header, &[0x09, 0, 0, b'x']].concat()
}

#[test]
fn a_zstandard_content_size_is_not_believed() {
    assert_eq!(decompress(Codec::Zstandard, &frame(&[0x20, 1])).unwrap(), b"x");
    for wrong in [0, 2, 255] {
        let text = "expected a zstandard stream, found 10 bytes of invalid or truncated data";
        assert_eq!(failure(Codec::Zstandard, &frame(&[0x20, wrong])), text);
    }
    // The header declares 64 MiB in a frame of 17 bytes.
    let mut decompressor = Decompressor::new(Codec::Zstandard, &Limits::default()).unwrap();
    let lie = frame(&[&[0xe0], (64u64 << 20).to_le_bytes().as_slice()].concat());
    assert_eq!(decompress_with(&mut decompressor, &lie).unwrap_err().kind(), FeedErrorKind::Codec);
    assert!(decompressor.capacity() < 100_000);
    let most = frame(&[0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    assert_eq!(decompress_with(&mut decompressor, &most).unwrap_err().limit(), Some("decoded_block_bytes"));
}

#[test]
fn a_zstandard_window_never_passes_its_limit() {
    let with = |window_log: u8| decompress(Codec::Zstandard, &frame(&[0x00, (window_log - 10) << 3]));
    assert_eq!(with(27).unwrap(), b"x");
    let error = with(31).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("zstd_window_bytes")));
    let text = "expected a zstandard window of at most 134,217,728 bytes, found 2,147,483,648";
    assert_eq!(error.to_string(), text);
    // The largest window that the descriptor can express.
    let error = decompress(Codec::Zstandard, &frame(&[0x00, 0xff])).unwrap_err();
    assert_eq!(error.limit(), Some("zstd_window_bytes"));
}

#[test]
fn zstandard_frames_may_be_skippable_or_without_a_content_size() {
    let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let payload = digits(300_000);
    let stream = zstd::stream::encode_all(payload.as_slice(), 1).unwrap();
    let data = [&skippable, stream.as_slice(), &skippable, &frame(&[0x20, 1])].concat();
    assert!(decompress(Codec::Zstandard, &data).unwrap() == [payload, b"x".to_vec()].concat());
    assert!(decompress(Codec::Zstandard, &skippable).unwrap().is_empty());
    failure(Codec::Zstandard, &skippable[..10]);
}

#[test]
fn a_zstandard_checksum_or_dictionary_that_is_wrong_is_an_error() {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(b"records").unwrap();
    let mut data = encoder.finish().unwrap();
    assert_eq!(decompress(Codec::Zstandard, &data).unwrap(), b"records");
    *data.last_mut().unwrap() ^= 1;
    failure(Codec::Zstandard, &data);
    failure(Codec::Zstandard, &frame(&[0x21, 5, 1]));
}

#[test]
fn a_wrong_checksum_of_bzip2_or_xz_is_an_error() {
    let mut data = compress(Codec::Bzip2, b"records");
    data[10] ^= 1;
    failure(Codec::Bzip2, &data);
    // Some check covers each byte of an xz stream.
    let data = compress(Codec::Xz, b"records");
    for at in 0..data.len() {
        let mut data = data.clone();
        data[at] ^= 1;
        assert!(decompress(Codec::Xz, &data).is_err(), "byte {at}");
    }
}

#[test]
fn the_xz_decoder_never_passes_its_memory_limit() {
    let data = {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 9);
        encoder.write_all(b"records").unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(decompress(Codec::Xz, &data).unwrap(), b"records");
    let limits = Limits { xz_memory_bytes: 32 << 20, ..Limits::default() };
    let error = decompress_with(&mut Decompressor::new(Codec::Xz, &limits).unwrap(), &data).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("xz_memory_bytes")));
    let text = "expected an xz stream that takes at most 33,554,432 bytes of memory, found more";
    assert_eq!(error.to_string(), text);
}
