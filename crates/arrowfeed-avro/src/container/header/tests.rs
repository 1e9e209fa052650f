use super::super::testing::{SYNC, entry, header, inputs, varint};
use super::*;

const JSON: &[u8] = b"\"long\"";

/// Reads through every kind of input, and asserts that all results agree.
fn read_with(bytes: &[u8], limits: &Limits) -> Result<Header, FeedError> {
    let [first, others @ ..] =
        inputs(bytes).map(|mut input| Header::read(&mut input, limits, &Check::never()));
    let text = |result: &Result<Header, FeedError>| match result {
        Ok(header) => format!("{header:?}"),
        Err(error) => format!("{:?} {:?} {error}", error.kind(), error.limit()),
    };
    others.iter().for_each(|other| assert_eq!(text(other), text(&first)));
    first
}

fn read(bytes: &[u8]) -> Result<Header, FeedError> {
    read_with(bytes, &Limits::default())
}

fn failure(bytes: &[u8]) -> (FeedErrorKind, String) {
    let error = read(bytes).unwrap_err();
    (error.kind(), error.to_string())
}

/// Builds a header with this metadata around which everything else is valid.
fn around(metadata: &[u8]) -> Vec<u8> {
    [b"Obj\x01", metadata, &SYNC].concat()
}

#[test]
fn a_header_is_read_as_it_was_written() {
    let entries = [
        (b"avro.schema".as_slice(), JSON),
        (b"user", b"\xff\x00"),
        (b"avro.codec", b"snappy"),
        (b"avro.codec.compression_level", b""),
        (b"user", b"again"),
    ];
    let bytes = header(&entries, &SYNC);
    let expected = Header {
        metadata: vec![
            ("user".into(), b"\xff\x00".to_vec()),
            ("avro.codec.compression_level".into(), vec![]),
            ("user".into(), b"again".to_vec()),
        ],
        schema_json: "\"long\"".into(),
        codec: Codec::Snappy,
        sync: SYNC,
        len: bytes.len() as u64,
    };
    assert_eq!(read(&bytes).unwrap(), expected);
    assert_eq!(read(&[bytes, b"what follows".to_vec()].concat()).unwrap(), expected);
}

#[test]
fn a_file_without_a_codec_is_not_compressed() {
    assert_eq!(read(&header(&[(b"avro.schema", JSON)], &[0; 16])).unwrap().codec, Codec::Null);
}

#[test]
fn other_magic_bytes_are_shown_with_a_guess() {
    let start = "expected the magic bytes 4f 62 6a 01 of an Avro file, found ";
    for (bytes, found) in [
        (b"\x1f\x8b\x08\x00".as_slice(), "1f 8b 08 00 (gzip)"),
        (b"PAR1", "50 41 52 31 (Parquet)"),
        (b"PK\x03\x04", "50 4b 03 04 (zip)"),
        (b"Obj\x02", "4f 62 6a 02 (another version of Avro's container)"),
        (b"Obj\x00", "4f 62 6a 00 (another version of Avro's container)"),
        (b"\n <html>", "0a 20 3c 68 74 6d 6c 3e (HTML or XML)"),
        (b"\xef\xbb\xbf{}", "ef bb bf 7b 7d (JSON)"),
        (b"[1]", "5b 31 5d (JSON)"),
        (b"abc", "61 62 63"),
        (&[0; 4096], "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 (zeros)"),
    ] {
        assert_eq!(failure(bytes), (FeedErrorKind::Format, format!("{start}{found}")));
    }
}

#[test]
fn an_empty_file_says_so() {
    let text = "expected an Avro object container file, found an empty file";
    assert_eq!(failure(b""), (FeedErrorKind::Truncated, text.into()));
}

#[test]
fn a_cut_header_is_truncated() {
    let mut bytes = header(&[(b"avro.schema", JSON), (b"avro.codec", b"deflate")], &SYNC);
    // A second map block, with a byte size.
    let more = entry(b"user", b"value");
    let end = bytes.len() - 17;
    bytes.splice(end..end, [varint(-1), varint(more.len() as i64), more].concat());
    assert!(read(&bytes).is_ok());
    for len in 0..bytes.len() {
        assert_eq!(failure(&bytes[..len]).0, FeedErrorKind::Truncated, "{len} bytes");
    }
    let text = |len: usize| failure(&bytes[..len]).1;
    assert_eq!(text(2), "expected the 4 magic bytes of an Avro file, found 2");
    assert_eq!(
        text(4),
        "byte 4: expected a count of metadata entries, found the end of the file after 0 bytes"
    );
    assert_eq!(text(8), "byte 6: expected a metadata key, found the end of the file after 2 bytes");
    let at = bytes.len() - 16;
    let sync = "expected the sync marker of the header, found the end of the file after 15 bytes";
    assert_eq!(text(bytes.len() - 1), format!("byte {at}: {sync}"));
}

#[test]
fn metadata_may_come_in_blocks_with_and_without_a_byte_size() {
    let (schema, user) = (entry(b"avro.schema", JSON), entry(b"user", b"x"));
    let sized = |entry: &[u8]| [varint(-1), varint(entry.len() as i64), entry.to_vec()].concat();
    let bytes = around(&[sized(&user), varint(1), schema, sized(&user), varint(0)].concat());
    let header = read(&bytes).unwrap();
    assert_eq!(header.metadata, vec![("user".to_owned(), b"x".to_vec()); 2]);
    assert_eq!(header.len, bytes.len() as u64);
}

#[test]
fn a_byte_size_of_metadata_must_be_the_size() {
    let schema = entry(b"avro.schema", JSON);
    let with = |size: i64| around(&[varint(-1), varint(size), schema.clone(), varint(0)].concat());
    assert!(read(&with(19)).is_ok());
    for size in [0, 18, 20, 1 << 40] {
        let shown = thousands(size as u64);
        let text = format!("byte 4: expected {shown} bytes of metadata, found entries of 19 bytes");
        assert_eq!(failure(&with(size)), (FeedErrorKind::Format, text));
    }
    let text = "byte 5: expected a byte size of metadata to be 0 or more, found -19";
    assert_eq!(failure(&with(-19)), (FeedErrorKind::Format, text.into()));
}

#[test]
fn more_than_10_000_entries_are_refused() {
    let refused = |bytes: Vec<u8>, found: &str| {
        let (kind, text) = failure(&bytes);
        assert_eq!(kind, FeedErrorKind::Format);
        let text = text.split_once(": ").unwrap().1.to_owned();
        assert_eq!(text, format!("expected at most 10,000 metadata entries, found {found}"));
    };
    refused(around(&varint(1_000_000_000_000_000)), "1,000,000,000,000,000");
    refused(around(&varint(i64::MIN)), "9,223,372,036,854,775,808");
    let blocks_of_one = [varint(1), entry(b"", b"")].concat().repeat(10_000);
    refused(around(&[blocks_of_one, varint(1)].concat()), "10,001");
    let entries = vec![(b"k".as_slice(), b"".as_slice()); 9_999];
    let full = [[(b"avro.schema".as_slice(), JSON)].as_slice(), &entries].concat();
    let mut input = Input::from_bytes(header(&full, &SYNC).into(), 0..usize::MAX);
    assert_eq!(Header::read(&mut input, &Limits::default(), &Check::never()).unwrap().metadata.len(), 9_999);
}

#[test]
fn a_negative_length_is_refused_where_it_is() {
    let text = "byte 5: expected the length of a metadata key to be 0 or more, found -1";
    assert_eq!(failure(&around(&[varint(1), varint(-1)].concat())), (FeedErrorKind::Format, text.into()));
    let value = around(&[varint(1), varint(1), b"k".to_vec(), varint(i64::MIN)].concat());
    let text = "byte 7: expected the length of a metadata value to be 0 or more, found -9223372036854775808";
    assert_eq!(failure(&value), (FeedErrorKind::Format, text.into()));
}

#[test]
fn a_number_of_more_than_64_bits_is_refused() {
    let text = "byte 4: expected a count of metadata entries, found a number of more than 64 bits";
    assert_eq!(failure(&around(&[0xff; 11])), (FeedErrorKind::Format, text.into()));
}

#[test]
fn a_header_never_passes_its_limit() {
    let huge = around(&[varint(1), varint(1 << 40)].concat());
    let error = read(&huge).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("header_bytes")));
    let text = "byte 11: expected a file header of at most 16,777,216 bytes, found 1,099,511,627,787 or more";
    assert_eq!(error.to_string(), text);

    let bytes = header(&[(b"avro.schema", JSON)], &SYNC);
    let limits = |header_bytes| Limits { header_bytes, ..Limits::default() };
    assert!(read_with(&bytes, &limits(bytes.len())).is_ok());
    let error = read_with(&bytes, &limits(bytes.len() - 1)).unwrap_err();
    assert_eq!(error.to_string(), "byte 25: expected a file header of at most 40 bytes, found 41 or more");
}

#[test]
fn a_schema_never_passes_its_limit() {
    let bytes = header(&[(b"avro.schema", JSON)], &SYNC);
    let limits = |schema_bytes| Limits { schema_bytes, ..Limits::default() };
    assert!(read_with(&bytes, &limits(6)).is_ok());
    let error = read_with(&bytes, &limits(5)).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("schema_bytes")));
    assert_eq!(error.to_string(), "byte 17: expected the schema to have at most 5 bytes, found 6");
}

#[test]
fn a_header_needs_a_schema() {
    let text = "expected a schema in the header (\"avro.schema\"), found none";
    assert_eq!(failure(&header(&[], &SYNC)), (FeedErrorKind::Format, text.into()));
}

#[test]
fn keys_and_schema_must_be_utf8() {
    let text = "byte 5: expected a schema in UTF-8, found other bytes at its byte 1";
    assert_eq!(failure(&header(&[(b"avro.schema", b"a\xff")], &SYNC)), (FeedErrorKind::Format, text.into()));
    let text = "byte 5: expected a metadata key in UTF-8, found \"k\u{fffd}\"";
    assert_eq!(failure(&header(&[(b"k\xff", b"")], &SYNC)), (FeedErrorKind::Format, text.into()));
}

#[test]
fn schema_and_codec_are_named_once() {
    let twice = [(b"avro.schema".as_slice(), JSON), (b"avro.schema", b"\"int\"")];
    let text = "byte 24: expected one metadata entry \"avro.schema\", found two";
    assert_eq!(failure(&header(&twice, &SYNC)), (FeedErrorKind::Format, text.into()));
    let twice = [(b"avro.codec".as_slice(), b"null".as_slice()), (b"avro.codec", b"null")];
    let text = "byte 21: expected one metadata entry \"avro.codec\", found two";
    assert_eq!(failure(&header(&twice, &SYNC)), (FeedErrorKind::Format, text.into()));
}

#[test]
fn an_unknown_codec_is_an_error_that_names_the_known() {
    let with = |name: &[u8]| failure(&header(&[(b"avro.codec", name)], &SYNC));
    let start = "byte 5: expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found ";
    for (name, found) in [
        (b"".as_slice(), "\"\""),
        (b"sn", "\"sn\""),
        (b"NULL", "\"NULL\""),
        (b"deflate ", "\"deflate \""),
        (b"\xff", "\"\u{fffd}\""),
    ] {
        assert_eq!(with(name), (FeedErrorKind::Codec, format!("{start}{found}")));
    }
    let long = with(&vec![b'x'; 1 << 20]).1;
    assert_eq!(long, format!("{start}\"{}…\"", "x".repeat(200)));
}
