//! Class A: the bytes before the first block.

use arrowfeed_avro::{AvroHeader, Codec, FileSource, Limits};

use super::{accepted, longs_file, refused, refused_within};
use crate::support_hostile::container::{Container, SYNC, entry, header, header_of};
use crate::support_hostile::wire::{long, longs};

const SCHEMA: (&str, &[u8]) = ("avro.schema", b"\"long\"");

#[test]
fn a1_another_magic_is_shown_and_guessed() {
    refused(
        b"Obj\x00\x00\x00",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 4f 62 6a 00 00 00 (another version of Avro's container)",
    );
    refused(
        b"Obj\x02",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 4f 62 6a 02 (another version of Avro's container)",
    );
    refused(
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 1f 8b 08 00 00 00 00 00 (gzip)",
    );
    refused(
        b"PAR1\x15\x04\x15\x10",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 50 41 52 31 15 04 15 10 (Parquet)",
    );
    refused(
        b"{\"error\": 404, \"message\": \"gone\"}",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 7b 22 65 72 72 6f 72 22 3a 20 34 30 34 2c 20 22 (JSON)",
    );
    refused(
        b"<!DOCTYPE html><html>",
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 3c 21 44 4f 43 54 59 50 45 20 68 74 6d 6c 3e 3c (HTML or XML)",
    );
    refused(
        &[0; 4096],
        0,
        "Format: expected the magic bytes 4f 62 6a 01 of an Avro file, found 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (zeros)",
    );
}

#[test]
fn a2_an_empty_file_is_truncated() {
    refused(b"", 0, "Truncated: expected an Avro object container file, found an empty file");
}

#[test]
fn a3_a_header_cut_anywhere_is_truncated() {
    let whole = longs_file().bytes;
    refused(&whole[..3], 0, "Truncated: expected the 4 magic bytes of an Avro file, found 3");
    refused(
        &whole[..4],
        0,
        "Truncated: byte 4: expected a count of metadata entries, found the end of the file after 0 bytes",
    );
    refused(
        &whole[..9],
        0,
        "Truncated: byte 6: expected a metadata key, found the end of the file after 3 bytes",
    );
    refused(
        &whole[..20],
        0,
        "Truncated: byte 18: expected the schema, found the end of the file after 2 bytes",
    );
    refused(
        &whole[..whole.len() - 16],
        0,
        "Truncated: byte 41: expected the sync marker of the header, found the end of the file after 0 bytes",
    );
    refused(
        &whole[..whole.len() - 1],
        0,
        "Truncated: byte 41: expected the sync marker of the header, found the end of the file after 15 bytes",
    );
}

#[test]
fn a4_a_header_without_blocks_is_a_file_without_rows() {
    let bytes = longs_file().bytes;
    accepted(&bytes, 0);
    let header = AvroHeader::read(FileSource::bytes(bytes), &Limits::default()).unwrap();
    assert_eq!((header.schema().canonical().as_str(), header.count_rows().unwrap()), ("\"long\"", 0));
}

#[test]
fn a5_a_count_of_metadata_entries_is_not_believed() {
    let of = |metadata: Vec<u8>| header_of(&metadata, &SYNC);
    let one = entry(b"avro.schema", b"\"long\"");
    refused(
        &of(long(1_000_000_000_000_000)),
        0,
        "Format: byte 4: expected at most 10,000 metadata entries, found 1,000,000,000,000,000",
    );
    refused(
        &of(long(i64::MIN)),
        0,
        "Format: byte 4: expected at most 10,000 metadata entries, found 9,223,372,036,854,775,808",
    );
    refused(
        &of([longs([-1, 3]), one.clone(), vec![0]].concat()),
        0,
        "Format: byte 4: expected 3 bytes of metadata, found entries of 19 bytes",
    );
    refused(
        &of([longs([-1, -3]), one.clone(), vec![0]].concat()),
        0,
        "Format: byte 5: expected a byte size of metadata to be 0 or more, found -3",
    );
    refused(
        &of([longs([-1, 1 << 40]), one.clone(), vec![0]].concat()),
        0,
        "Format: byte 4: expected 1,099,511,627,776 bytes of metadata, found entries of 19 bytes",
    );
    let empty = [long(1), entry(b"", b"")].concat().repeat(10_001);
    refused(
        &of([empty, vec![0]].concat()),
        0,
        "Format: byte 30,004: expected at most 10,000 metadata entries, found 10,001",
    );
    accepted(
        &of([longs([-1, one.len() as i64]), one.clone(), long(1), entry(b"", b""), vec![0]].concat()),
        0,
    );
}

#[test]
fn a6_the_length_of_a_key_or_value_is_not_believed() {
    let of = |metadata: Vec<u8>| header_of(&metadata, &SYNC);
    refused(
        &of(longs([1, -1])),
        0,
        "Format: byte 5: expected the length of a metadata key to be 0 or more, found -1",
    );
    refused(
        &of(longs([1, i64::MAX])),
        0,
        "Limit header_bytes: byte 15: expected a file header of at most 16,777,216 bytes, found 9,223,372,036,854,775,822 or more",
    );
    refused(
        &of(longs([1, 10_000_000])),
        0,
        "Truncated: byte 9: expected a metadata key, found the end of the file after 16 bytes",
    );
    refused(
        &of([long(1), entry(b"user", b"")[..5].to_vec(), long(-7)].concat()),
        0,
        "Format: byte 10: expected the length of a metadata value to be 0 or more, found -7",
    );
    refused(
        &of([long(1), entry(b"avro.schema", b"")[..12].to_vec(), long(1 << 30)].concat()),
        0,
        "Limit schema_bytes: byte 17: expected the schema to have at most 4,194,304 bytes, found 1,073,741,824",
    );
    refused(
        &of([long(1), vec![0xff; 11]].concat()),
        0,
        "Format: byte 5: expected the length of a metadata key, found a number of more than 64 bits",
    );
}

#[test]
fn a7_a_header_needs_a_schema_in_utf8_and_json() {
    refused(
        &header(&[("avro.codec", b"null")], &SYNC),
        0,
        r#"Format: expected a schema in the header ("avro.schema"), found none"#,
    );
    refused(
        &header(&[("avro.schema", b"\"lo\xffng\"")], &SYNC),
        0,
        "Format: byte 5: expected a schema in UTF-8, found other bytes at its byte 3",
    );
    refused(&header(&[("avro.schema", b"")], &SYNC), 0, "Schema: expected a schema in JSON, found nothing");
    refused(
        &header(&[("avro.schema", b"long")], &SYNC),
        0,
        "Schema: expected a schema in JSON, found: expected value at line 1 column 1",
    );
    refused(
        &header(&[("avro.schema", b"\"long\" \"int\"")], &SYNC),
        0,
        "Schema: expected one JSON value, found more after it",
    );
    refused(
        &header(&[("avro.schema", b"\xef\xbb\xbf\"long\"")], &SYNC),
        0,
        "Schema: expected a schema in JSON, found: expected value at line 1 column 1",
    );
    refused(
        &header(&[("avro.schema", b"{\"type\": \"long\"")], &SYNC),
        0,
        "Schema: expected a schema in JSON, found: EOF while parsing an object at line 1 column 15",
    );
}

#[test]
fn a8_a_reserved_key_occurs_once() {
    refused(
        &header(&[SCHEMA, ("avro.schema", b"\"int\"")], &SYNC),
        0,
        r#"Format: byte 24: expected one metadata entry "avro.schema", found two"#,
    );
    refused(
        &header(&[SCHEMA, SCHEMA], &SYNC),
        0,
        r#"Format: byte 24: expected one metadata entry "avro.schema", found two"#,
    );
    refused(
        &header(&[SCHEMA, ("avro.codec", b"null"), ("avro.codec", b"snappy")], &SYNC),
        0,
        r#"Format: byte 40: expected one metadata entry "avro.codec", found two"#,
    );
    accepted(&header(&[SCHEMA, ("user", b"a"), ("user", b"b")], &SYNC), 0);
}

#[test]
fn a9_the_name_of_a_codec_is_exact() {
    let of = |codec: &[u8]| header(&[SCHEMA, ("avro.codec", codec)], &SYNC);
    refused(
        &of(b"lz4"),
        0,
        r#"Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found "lz4""#,
    );
    refused(
        &of(b""),
        0,
        r#"Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found """#,
    );
    refused(
        &of(b"NULL"),
        0,
        r#"Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found "NULL""#,
    );
    refused(
        &of(b"sn"),
        0,
        r#"Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found "sn""#,
    );
    refused(
        &of(b"null\0"),
        0,
        "Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found \"null\\0\"",
    );
    refused(
        &of(b"\xffnull\x1b[2J"),
        0,
        "Codec: byte 24: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found \"�null\\u{1b}[2J\"",
    );
    let found = format!("found \"{}…\"", "x".repeat(200));
    let message = "expected the codec null, deflate, snappy, zstandard, bzip2 or xz";
    refused(&of(&b"x".repeat(1 << 20)), 0, &format!("Codec: byte 24: {message}, {found}"));
    accepted(&[header(&[SCHEMA], &SYNC), longs([1, 1, 5]), SYNC.to_vec()].concat(), 1);
}

#[test]
fn a10_other_keys_may_hold_anything() {
    let entries: [(&str, &[u8]); 4] =
        [SCHEMA, ("avro.codec.compression_level", b""), ("avro.unknown", b"\xff\x00"), ("", b"")];
    let bytes = [header(&entries, &SYNC), longs([1, 1, 5]), SYNC.to_vec()].concat();
    accepted(&bytes, 1);
    let header = AvroHeader::read(FileSource::bytes(bytes), &Limits::default()).unwrap();
    assert_eq!(header.metadata()[3], ("avro.unknown".to_owned(), vec![0xff, 0]));
}

#[test]
fn a11_any_sync_marker_will_do() {
    let payload = longs([1, 2, 3, 4, 5, 6, 7, 8]);
    let like_a_head: [u8; 16] = [&longs([8, 8])[..], &payload, &[0; 6]].concat().try_into().unwrap();
    for sync in [[0; 16], [0xff; 16], [0x80; 16], like_a_head] {
        let file = Container::with_sync("\"long\"", Codec::Null, sync);
        accepted(&file.block(8, &payload).block(8, &payload).bytes, 16);
    }
}

#[test]
fn a_header_has_a_limit() {
    let limits = Limits { header_bytes: 1000, schema_bytes: 100, ..Limits::default() };
    refused_within(
        &limits,
        &header(&[("user", &[0; 1000]), SCHEMA], &SYNC),
        0,
        "Limit header_bytes: byte 12: expected a file header of at most 1,000 bytes, found 1,012 or more",
    );
    refused_within(
        &limits,
        &header(&[("avro.schema", &[b' '; 101])], &SYNC),
        0,
        "Limit schema_bytes: byte 17: expected the schema to have at most 100 bytes, found 101",
    );
}
