//! Class B: counts, sizes and sync markers of blocks.

use std::time::{Duration, Instant};

use arrowfeed_avro::{AvroFormat, AvroOptions, Codec, Limits, RangeOptions, ReadOptions};

use super::{accepted, longs_file, refused, refused_within};
use crate::support::open::open;
use crate::support_hostile::compress::CODECS;
use crate::support_hostile::container::{Container, SYNC};
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::{TemporaryFile, read, read_every_way, read_every_way_with};
use crate::support_hostile::wire::{long, longs};

const TEN: std::ops::Range<i64> = 0..10;

fn ten() -> Vec<u8> {
    longs(TEN)
}

#[test]
fn b1_a_block_cut_in_its_count_size_data_or_marker_is_truncated() {
    let file = longs_file().block(10, &ten());
    let cut = |bytes: &[u8]| file.clone().raw(bytes).bytes;
    refused(
        &cut(&long(300)[..1]),
        10,
        "Truncated: block 1 at byte 85: expected the record count of a block, found the end of the file after 1 byte",
    );
    refused(
        &cut(&long(10)),
        10,
        "Truncated: block 1 at byte 85: expected the byte size of a block, found the end of the file after 1 byte",
    );
    refused(
        &cut(&[long(10), long(300)[..1].to_vec()].concat()),
        10,
        "Truncated: block 1 at byte 85: expected the byte size of a block, found the end of the file after 2 bytes",
    );
    refused(
        &cut(&longs([10, 10])),
        10,
        "Truncated: block 1 at byte 85: expected 26 bytes of data and sync marker, found the end of the file after 0",
    );
    refused(
        &cut(&[longs([10, 10]), ten()[..9].to_vec()].concat()),
        10,
        "Truncated: block 1 at byte 85: expected 26 bytes of data and sync marker, found the end of the file after 9",
    );
    refused(
        &cut(&[longs([10, 10]), ten()].concat()),
        10,
        "Truncated: block 1 at byte 85: expected 26 bytes of data and sync marker, found the end of the file after 10",
    );
    refused(
        &cut(&[longs([10, 10]), ten(), SYNC[..15].to_vec()].concat()),
        10,
        "Truncated: block 1 at byte 85: expected 26 bytes of data and sync marker, found the end of the file after 25",
    );
}

#[test]
fn b2_a_count_is_not_negative_nor_believed() {
    let file = longs_file().block(10, &ten());
    for (count, fault) in [
        (-10, "85: expected a record count of 0 or more, found -10"),
        (i64::MIN, "85: expected a record count of 0 or more, found -9223372036854775808"),
        (i64::MAX, "106, record 10: value: expected a long, 0 bytes left"),
    ] {
        let fault = format!("CorruptBlock: block 1 at byte {fault}");
        refused(&file.clone().framed(count, 10, &ten()).bytes, 10, &fault);
    }
}

#[test]
fn b3_a_size_is_not_negative() {
    refused(
        &longs_file().block(10, &ten()).framed(10, -10, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a byte size of 0 or more, found -10",
    );
    refused(
        &longs_file().framed(10, i64::MIN, &ten()).bytes,
        0,
        "CorruptBlock: block 0 at byte 57: expected a byte size of 0 or more, found -9223372036854775808",
    );
}

#[test]
fn b4_a_size_is_checked_before_the_allocation() {
    refused(
        &longs_file().block(10, &ten()).framed(10, 1000, &ten()).bytes,
        10,
        "Truncated: block 1 at byte 85: expected 1,016 bytes of data and sync marker, found the end of the file after 26",
    );
    refused(
        &longs_file().block(10, &ten()).framed(10, 256 << 20, &ten()).bytes,
        10,
        "Truncated: block 1 at byte 85: expected 268,435,472 bytes of data and sync marker, found the end of the file after 26",
    );
    refused(
        &longs_file().framed(10, (256 << 20) + 1, &ten()).bytes,
        0,
        "Limit decoded_block_bytes: block 0 at byte 57: expected a block of at most 268,435,456 bytes, found 268,435,457",
    );
    refused(
        &longs_file().framed(10, 1 << 40, &ten()).bytes,
        0,
        "Limit decoded_block_bytes: block 0 at byte 57: expected a block of at most 268,435,456 bytes, found 1,099,511,627,776",
    );
    refused(
        &longs_file().framed(10, i64::MAX, &ten()).bytes,
        0,
        "Limit decoded_block_bytes: block 0 at byte 57: expected a block of at most 268,435,456 bytes, found 9,223,372,036,854,775,807",
    );
}

#[test]
fn b5_a_size_that_is_off_misses_the_marker() {
    let file = longs_file().block(10, &ten());
    refused(
        &file.clone().framed(10, 9, &ten()).block(10, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 9 bytes of data, found 12 a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36",
    );
    refused(
        &file.clone().framed(10, 11, &ten()).block(10, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 11 bytes of data, found 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff 14",
    );
    refused(
        &file.clone().framed(10, 26, &ten()).block(10, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 26 bytes of data, found 14 14 00 02 04 06 08 0a 0c 0e 10 12 a1 73 79 6e",
    );
    refused(
        &file.framed(10, 4, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 4 bytes of data, found 08 0a 0c 0e 10 12 a1 73 79 6e 63 20 6d 61 72 6b",
    );
}

#[test]
fn b6_a_block_without_records_has_no_bytes() {
    refused(
        &longs_file().block(10, &ten()).block(0, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected no bytes in a block of 0 records, found 10",
    );
    accepted(&longs_file().data(0, &[]).block(10, &ten()).data(0, &[]).block(10, &ten()).bytes, 20);
    for codec in CODECS {
        let file = Container::new("\"long\"", codec).block(10, &ten());
        let fault = "expected no bytes in a block of 0 records, found 10";
        let offset = file.bytes.len();
        refused(
            &file.clone().block(0, &ten()).bytes,
            10,
            &format!("CorruptBlock: block 1 at byte {offset}: {fault}"),
        );
        // Compressed empty data is valid, and so is no data at all.
        accepted(&file.clone().block(0, &[]).data(0, &[]).block(10, &ten()).bytes, 20);
    }
}

#[test]
fn b7_a_block_ends_with_its_last_record() {
    refused(
        &longs_file().block(10, &ten()).block(9, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 96: expected the end of the block after its 9 records, found 1 more byte",
    );
    refused(
        &longs_file().block(1, &longs(0..2000)).bytes,
        0,
        "CorruptBlock: block 0 at byte 61: expected the end of the block after its 1 record, found 3,935 more bytes",
    );
    refused(
        &longs_file().block(10, &[ten(), vec![0]].concat()).bytes,
        0,
        "CorruptBlock: block 0 at byte 69: expected the end of the block after its 10 records, found 1 more byte",
    );
}

#[test]
fn b8_a_count_of_more_records_than_there_are_bytes_is_refused() {
    refused(
        &longs_file().block(10, &ten()).block(11, &ten()).bytes,
        10,
        "CorruptBlock: block 1 at byte 97, record 10: value: expected a long, 0 bytes left",
    );
    refused(
        &longs_file().block(1 << 40, &ten()).bytes,
        0,
        "CorruptBlock: block 0 at byte 74, record 10: value: expected a long, 0 bytes left",
    );
    refused(
        &longs_file().block(1, &[]).bytes,
        0,
        "CorruptBlock: block 0 at byte 59, record 0: value: expected a long, 0 bytes left",
    );
    let booleans = Container::new("\"boolean\"", Codec::Null);
    refused(
        &booleans.block(2, &[1]).bytes,
        0,
        "CorruptBlock: block 0 at byte 63, record 1: value: expected a boolean, 0 bytes left",
    );
    let optional = Container::new("[\"null\",\"string\"]", Codec::Null);
    refused(
        &optional.block(2, &[0]).bytes,
        0,
        "CorruptBlock: block 0 at byte 71, record 1: value: expected a union index, 0 bytes left",
    );
}

#[test]
fn b9_records_without_bytes_are_counted_up_to_a_limit() {
    for schema in
        ["\"null\"", r#"{"type":"record","name":"R","fields":[]}"#, r#"{"type":"fixed","name":"F","size":0}"#]
    {
        let file = Container::new(schema, Codec::Null);
        accepted(&file.clone().block(1000, &[]).block(1, &[]).bytes, 1001);
        let limit = "Limit zero_byte_rows: block 0 at byte";
        let offset = file.bytes.len();
        let fault = |found: &str| {
            format!(
                "{limit} {offset}: expected at most 100,000,000 records in a block without bytes, found {found}"
            )
        };
        refused(&file.clone().block(1_000_000_000_000, &[]).bytes, 0, &fault("1,000,000,000,000"));
        refused(&file.clone().block(i64::MAX, &[]).bytes, 0, &fault("9,223,372,036,854,775,807"));
        let limits = Limits { zero_byte_rows: 100, ..Limits::default() };
        let fault =
            format!("{limit} {offset}: expected at most 100 records in a block without bytes, found 101");
        refused_within(&limits, &file.block(101, &[]).bytes, 0, &fault);
    }
}

#[test]
fn b10_no_row_of_a_block_comes_before_its_marker_was_seen() {
    let three = longs_file().block(10, &ten()).block(10, &ten()).block(10, &ten()).bytes;
    let header = longs_file().bytes.len();
    let frame = (three.len() - header) / 3;
    for block in 0..3 {
        for bit in [0, 127] {
            let mut bytes = three.clone();
            let marker = header + (block + 1) * frame - 16;
            bytes[marker + bit / 8] ^= 1 << (bit % 8);
            let outcome = read_every_way(&bytes, &AvroOptions::default());
            assert_eq!(outcome.rows(), 10 * block);
            let [expected, found] = [&SYNC[..], &bytes[marker..marker + 16]]
                .map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "));
            let place = format!("block {block} at byte {}", header + block * frame);
            let message =
                format!("expected the sync marker {expected} after 10 bytes of data, found {found}");
            assert_eq!(outcome.verdict(), format!("CorruptBlock: {place}: {message}"));
        }
    }
}

#[test]
fn b11_a_marker_inside_of_data_is_data() {
    let schema = r#"{"type":"fixed","name":"F","size":48}"#;
    let inside = |before: usize| [vec![7; before], SYNC.to_vec(), vec![9; 32 - before]].concat();
    let file =
        Container::new(schema, Codec::Null).block(1, &inside(0)).block(1, &inside(31)).block(1, &inside(32));
    accepted(&file.bytes, 3);
}

#[test]
fn b11_data_that_holds_whole_blocks_is_read_whole_and_refused_by_splits() {
    // A marker that overlaps itself, in data that consists of it.
    let file = Container::with_sync("\"bytes\"", Codec::Null, [2; 16]);
    let file = TemporaryFile::new(&file.block(20, &[2; 40]).block(20, &[2; 40]).bytes);
    let whole = Outcome::of(open(&file.path));
    assert_eq!((whole.rows(), whole.verdict().as_str()), (40, "ok"));
    let files = AvroFormat::files([&file.path], AvroOptions::default(), None).unwrap();
    let splits = files.splits(19, None).unwrap();
    let parts =
        splits.iter().map(|split| Outcome::of(files.read_split(split, None, RangeOptions::default())));
    let refused = parts.map(|part| part.verdict()).find(|verdict| verdict != "ok");
    let message = "expected a block that ends by byte 76, where the next block seems to start, found its end at byte 116";
    assert_eq!(refused, Some(format!("CorruptBlock: block 0 at byte 58: {message}")));
}

#[test]
fn b12_bytes_after_a_file_are_not_a_block() {
    let file = longs_file().block(10, &ten());
    refused(
        &file.clone().raw(&file.bytes).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a block, found the magic bytes of another Avro file (files that were joined?)",
    );
    refused(
        &file.clone().raw(&[0; 512]).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected the sync marker a1 73 79 6e 63 20 6d 61 72 6b 65 72 20 31 36 ff after 0 bytes of data, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (is the rest of the file filled with zeros?)",
    );
    refused(
        &file.clone().raw(b"\n").bytes,
        10,
        "Truncated: block 1 at byte 85: expected the byte size of a block, found the end of the file after 1 byte",
    );
    refused(
        &file.clone().raw(&SYNC).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a record count of 0 or more, found -7377",
    );
}

#[test]
fn b13_many_small_blocks_take_linear_time() {
    let one = [longs([1, 1, 5]), SYNC.to_vec()].concat();
    let none = [longs([0, 0]), SYNC.to_vec()].concat();
    let start = Instant::now();
    for (frame, rows) in [(&one, 50_000), (&none, 0)] {
        let outcome = read(&longs_file().raw(&frame.repeat(50_000)).bytes, &AvroOptions::default());
        assert_eq!((outcome.rows(), outcome.verdict().as_str()), (rows, "ok"));
    }
    // Far more than needed; quadratic time would take minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn b14_a_number_has_10_bytes_and_64_bits_and_may_be_longer_than_it_needs() {
    let file = longs_file().block(10, &ten());
    refused(
        &file.clone().raw(&[0x80; 11]).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a record count, found a number of more than 64 bits",
    );
    refused(
        &file.clone().raw(&[&[0xff; 9][..], &[2], &SYNC].concat()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a record count, found a number of more than 64 bits",
    );
    refused(
        &file.clone().raw(&[&[2], &[0x80; 10_000][..]].concat()).bytes,
        10,
        "CorruptBlock: block 1 at byte 85: expected a byte size, found a number of more than 64 bits",
    );
    accepted(&file.raw(&[&[0x82, 0], &[0x82, 0x80, 0][..], &[14], &SYNC].concat()).bytes, 11);
}

#[test]
fn a_fault_directly_after_the_unit_of_a_thread_is_reported() {
    // A block that forms a unit: as many rows as a batch or more, and more bytes than the minimum of a unit.
    let bytes = Container::new(r#"{"type":"fixed","name":"F","size":1024}"#, Codec::Null);
    let block = bytes.block(2048, &vec![3; 2048 << 10]);
    let reading = ReadOptions { batch_size: Some(1024), ..ReadOptions::default() };
    for fault in [&b"\xff"[..], &longs([1, -1]), &[0; 40]] {
        let outcome = read_every_way_with(&block.clone().raw(fault).bytes, &AvroOptions::default(), &reading);
        assert_eq!(outcome.rows(), 2048);
        assert!(outcome.fault.is_some(), "a fault behind a unit is lost");
    }
}
