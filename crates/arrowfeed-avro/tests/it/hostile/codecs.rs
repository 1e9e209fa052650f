//! Class C: compressed data. The memory that bombs take is measured in `memory.rs`.

use arrowfeed_avro::{AvroOptions, Codec, FeedErrorKind, Limits};

use super::{accepted, refused, refused_within};
use crate::support_hostile::compress::{CODECS, compress, deflate, snappy};
use crate::support_hostile::container::Container;
use crate::support_hostile::ways::read_every_way;
use crate::support_hostile::wire::{long, longs};

fn of(codec: Codec) -> Container {
    Container::new("\"long\"", codec).block(2, &longs([1, 2]))
}

fn ten() -> Vec<u8> {
    longs(0..10)
}

#[test]
fn c1_a_block_grows_up_to_the_limit_in_every_codec() {
    let limits = Limits { decoded_block_bytes: 100_000, ..Limits::default() };
    for codec in CODECS.into_iter().filter(|codec| *codec != Codec::Null) {
        let fits = of(codec).block(100_000, &[0; 100_000]);
        let options = AvroOptions { limits: limits.clone(), ..AvroOptions::default() };
        assert_eq!(read_every_way(&fits.bytes, &options).verdict(), "ok");
        let offset = of(codec).bytes.len();
        let declared = matches!(codec, Codec::Snappy | Codec::Zstandard);
        let found = if declared { "100,001 declared" } else { "more" };
        let message = format!("expected a block of at most 100,000 bytes after decompression, found {found}");
        let fault = format!("Limit decoded_block_bytes: block 1 at byte {offset}: {message}");
        refused_within(&limits, &of(codec).block(100_001, &[0; 100_001]).bytes, 2, &fault);
    }
}

#[test]
fn c2_the_length_that_snappy_declares_is_not_believed() {
    let with_length = |length: &[u8]| [length, &snappy(&ten())[1..]].concat();
    let file = of(Codec::Snappy);
    refused(
        &file.clone().data(10, &with_length(&[0xff, 0xff, 0xff, 0xff, 0x0f])).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 16 bytes that declare 4,294,967,295",
    );
    refused(
        &file.clone().data(10, &with_length(&[0])).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 12 bytes of invalid data",
    );
    refused(
        &file.clone().data(10, &with_length(&[9])).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 12 bytes of invalid data",
    );
    refused(
        &file.clone().data(10, &with_length(&[11])).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 12 bytes of invalid data",
    );
    refused(
        &file.clone().data(10, &[]).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 0 bytes, fewer than the 4 bytes of its CRC-32",
    );
    refused(
        &file.clone().data(10, &[0, 1]).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 2 bytes, fewer than the 4 bytes of its CRC-32",
    );
    refused(
        &file.clone().data(10, &[0, 1, 2, 3]).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 0 bytes of invalid data",
    );
}

#[test]
fn c3_the_checksum_of_snappy_is_always_checked() {
    let data = snappy(&ten());
    let (stream, checksum) = data.split_at(data.len() - 4);
    let with = |checksum: &[u8]| of(Codec::Snappy).data(10, &[stream, checksum].concat()).bytes;
    accepted(&with(checksum), 12);
    refused(
        &with(&[0; 4]),
        2,
        "Codec: block 1 at byte 85: expected bytes with the CRC-32 00000000, found 75361057",
    );
    let reversed: Vec<u8> = checksum.iter().rev().copied().collect();
    refused(
        &with(&reversed),
        2,
        "Codec: block 1 at byte 85: expected bytes with the CRC-32 57103675, found 75361057",
    );
    refused(
        &with(&[]),
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found one without the 4 bytes of its CRC-32, which Avro requires",
    );
}

#[test]
fn c4_a_deflate_stream_is_whole_and_may_be_followed_by_bytes() {
    let data = deflate(&ten());
    let with = |data: &[u8]| of(Codec::Deflate).data(10, data).bytes;
    accepted(&with(&[&data[..], b"\x01\x02\x03"].concat()), 12);
    refused(
        &with(&data[..data.len() - 1]),
        2,
        "Codec: block 1 at byte 85: expected a deflate stream, found 14 bytes of invalid or truncated data",
    );
    refused(&with(&[]), 2, "Codec: block 1 at byte 85: expected a deflate stream, found no bytes");
    refused(
        &with(&[&[0x78, 0x9c], &data[..], &[0; 4]].concat()),
        2,
        "Codec: block 1 at byte 85: expected a deflate stream, found 21 bytes of invalid or truncated data (they start like a zlib stream)",
    );
    // A stored block whose length and its complement differ.
    refused(
        &with(&[1, 10, 0, 0, 0, 0, 0]),
        2,
        "Codec: block 1 at byte 85: expected a deflate stream, found 7 bytes of invalid or truncated data",
    );
    // A copy from before the start of the data, which a preset dictionary would provide.
    refused(
        &with(&[0x63, 0x00, 0x82, 0xff, 0xff]),
        2,
        "Codec: block 1 at byte 85: expected a deflate stream, found 5 bytes of invalid or truncated data",
    );
}

#[test]
fn c5_zstandard_frames_are_whole_and_within_the_window() {
    let data = compress(Codec::Zstandard, &ten());
    let with = |data: &[u8]| of(Codec::Zstandard).data(10, data).bytes;
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let [first, second] = [&ten()[..4], &ten()[4..]].map(|part| compress(Codec::Zstandard, part));
    accepted(&with(&[&first[..], &skippable, &second].concat()), 12);
    refused(
        &with(&data[..data.len() - 1]),
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found 18 bytes of invalid or truncated data",
    );
    refused(&with(&[]), 2, "Codec: block 1 at byte 91: expected a zstandard stream, found no bytes");
    refused(
        &with(&[&data[..], b"\0\0\0\0"].concat()),
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found no frame at byte 19 of the block",
    );
    // A frame with a window descriptor: 2 GiB, and an empty last block.
    refused(
        &with(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]),
        2,
        "Limit zstd_window_bytes: block 1 at byte 91: expected a zstandard window of at most 134,217,728 bytes, found 2,147,483,648",
    );
    // One that declares 4 GiB of content, and one of a single segment of 11 bytes that has 10.
    refused(
        &with(&[0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00, 0x00]),
        2,
        "Limit decoded_block_bytes: block 1 at byte 91: expected a block of at most 268,435,456 bytes after decompression, found 4,294,967,295 declared",
    );
    refused(
        &with(&[&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 11, 0x51, 0, 0][..], &ten()].concat()),
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found 19 bytes of invalid or truncated data",
    );
    // One that needs dictionary 7.
    refused(
        &with(&[&[0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 10, 0x51, 0, 0][..], &ten()].concat()),
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found one that needs the dictionary 7, which is not in the file",
    );
    // One with a checksum, which is wrong.
    refused(
        &with(&[&[0x28, 0xb5, 0x2f, 0xfd, 0x24, 10, 0x51, 0, 0][..], &ten(), &[1; 4]].concat()),
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found 23 bytes of invalid or truncated data",
    );
}

#[test]
fn c6_every_stream_of_bzip2_and_xz_is_read_and_checked() {
    for codec in [Codec::Bzip2, Codec::Xz] {
        let data = compress(codec, &ten());
        let [first, second] = [&ten()[..4], &ten()[4..]].map(|part| compress(codec, part));
        let right = accepted(&of(codec).data(10, &[first, second].concat()).bytes, 12);
        let mut refused = 0;
        for position in 0..data.len() {
            let mut wrong = data.clone();
            wrong[position] ^= 0x10;
            let outcome = read_every_way(&of(codec).data(10, &wrong).bytes, &AvroOptions::default());
            match &outcome.fault {
                Some(fault) => {
                    assert_eq!(fault.kind, FeedErrorKind::Codec, "{codec:?}, byte {position}: {fault}");
                    refused += 1;
                }
                // Some bits do not affect the data.
                None => assert_eq!(outcome.table(), right, "{codec:?}, byte {position}"),
            }
        }
        assert!(refused > data.len() * 9 / 10, "{codec:?}: {refused} of {} faults", data.len());
    }
    let bzip2 = compress(Codec::Bzip2, &ten());
    refused(
        &of(Codec::Bzip2).data(10, &bzip2[..bzip2.len() - 1]).bytes,
        2,
        "Codec: block 1 at byte 113: expected a bzip2 stream, found one that is truncated after 46 bytes",
    );
    refused(
        &of(Codec::Bzip2).data(10, &[&bzip2[..], b"garbage"].concat()).bytes,
        2,
        "Codec: block 1 at byte 113: expected a bzip2 stream, found invalid data after byte 47 of the block",
    );
    let xz = compress(Codec::Xz, &ten());
    refused(
        &of(Codec::Xz).data(10, &xz[..xz.len() - 1]).bytes,
        2,
        "Codec: block 1 at byte 133: expected an xz stream, found one that is truncated after 67 bytes",
    );
    refused(
        &of(Codec::Xz).data(10, &[&xz[..], b"garbage!"].concat()).bytes,
        2,
        "Codec: block 1 at byte 133: expected an xz stream, found one that is truncated after 76 bytes",
    );
}

#[test]
fn c6_the_memory_of_xz_is_limited() {
    let limits = Limits { xz_memory_bytes: 64 << 10, ..Limits::default() };
    let file = Container::new("\"long\"", Codec::Xz).block(10, &ten());
    refused_within(
        &limits,
        &file.bytes,
        0,
        "Limit xz_memory_bytes: block 0 at byte 55: expected an xz stream that takes at most 65,536 bytes of memory, found more",
    );
}

#[test]
fn c7_data_of_another_codec_is_refused() {
    let deflated = deflate(&ten());
    refused(
        &of(Codec::Null).data(10, &deflated).bytes,
        2,
        "CorruptBlock: block 1 at byte 91: expected the end of the block after its 10 records, found 3 more bytes",
    );
    refused(
        &of(Codec::Deflate).data(10, &ten()).bytes,
        2,
        "Codec: block 1 at byte 85: expected a deflate stream, found 10 bytes of invalid or truncated data",
    );
    refused(
        &of(Codec::Snappy).data(10, &ten()).bytes,
        2,
        "Codec: block 1 at byte 85: expected a snappy stream, found 6 bytes of invalid data",
    );
    refused(
        &of(Codec::Zstandard).data(10, &deflated).bytes,
        2,
        "Codec: block 1 at byte 91: expected a zstandard stream, found no frame at byte 0 of the block",
    );
    refused(
        &of(Codec::Bzip2).data(10, &deflated).bytes,
        2,
        "Codec: block 1 at byte 113: expected a bzip2 stream, found invalid data after byte 0 of the block",
    );
    refused(
        &of(Codec::Xz).data(10, &deflated).bytes,
        2,
        "Codec: block 1 at byte 133: expected an xz stream, found 15 bytes of invalid data",
    );
}

#[test]
fn a_fault_in_compressed_data_is_placed_in_its_block() {
    for codec in CODECS.into_iter().filter(|codec| *codec != Codec::Null) {
        let file = of(codec);
        let message = "record 1: value: expected a long, found a varint of more than 10 bytes";
        let fault = format!("CorruptBlock: block 1 at byte {}, {message}", file.bytes.len());
        refused(&file.block(2, &[long(5), vec![0xff; 20]].concat()).bytes, 2, &fault);
    }
}
