//! Lengths, text and bytes.

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroOptions, Codec, Limits};

use super::{accepted, refused, refused_both};
use crate::support_hostile::container::Container;
use crate::support_hostile::ways::read_every_way;
use crate::support_hostile::wire::{array, bytes, long, string};

#[test]
fn e1_a_length_is_within_the_block() {
    for ty in ["\"string\"", "\"bytes\""] {
        refused_both(ty, &[0], &long(-1), "CorruptBlock: +0 bad: expected a length, found -1");
        refused_both(ty, &[0], &long(1000), "CorruptBlock: +0 bad: expected 1,000 bytes, 1 byte left");
        refused_both(
            ty,
            &[0],
            &long(i64::MAX),
            "CorruptBlock: +0 bad: expected 9,223,372,036,854,775,807 bytes, 1 byte left",
        );
        refused_both(
            ty,
            &[0],
            &long(i64::MIN),
            "CorruptBlock: +0 bad: expected a length, found -9223372036854775808",
        );
        refused_both(
            ty,
            &[0],
            &[0xff; 12],
            "CorruptBlock: +0 bad: expected a length, found a varint of more than 10 bytes",
        );
    }
}

#[test]
fn e2_text_is_utf8_where_it_is_read() {
    refused(
        "\"string\"",
        &[0],
        &bytes(b"\xff"),
        "CorruptBlock: +0 bad: expected a string in UTF-8, found other bytes after 0 bytes of it",
        "ok",
    );
    refused(
        "\"string\"",
        &[0],
        &bytes(b"abc\xed\xa0\x80"),
        "CorruptBlock: +0 bad: expected a string in UTF-8, found other bytes after 3 bytes of it",
        "ok",
    );
    refused(
        "\"string\"",
        &[0],
        &bytes(b"\xc0\x80"),
        "CorruptBlock: +0 bad: expected a string in UTF-8, found other bytes after 0 bytes of it",
        "ok",
    );
    refused(
        "\"string\"",
        &[0],
        &bytes("é".as_bytes()[..1].as_ref()),
        "CorruptBlock: +0 bad: expected a string in UTF-8, found other bytes after 0 bytes of it",
        "ok",
    );
    refused(
        r#"{"type":"map","values":"int"}"#,
        &[0],
        &array(&[[bytes(b"\xff"), long(1)].concat()]),
        "CorruptBlock: +1 bad[key]: expected a string in UTF-8, found other bytes after 0 bytes of it",
        "ok",
    );
    // Each string is invalid, although both together would be valid.
    refused(
        r#"{"type":"array","items":"string"}"#,
        &[0],
        &array(&["é".as_bytes()[..1].to_vec(), "é".as_bytes()[1..].to_vec()].map(|part| bytes(&part))),
        "CorruptBlock: +1 bad[0]: expected a string in UTF-8, found other bytes after 0 bytes of it",
        "ok",
    );
    accepted("\"bytes\"", &bytes(b"\xff\xc0\x80"));
}

#[test]
fn e13_a_batch_is_cut_before_its_offsets_or_its_limit_run_out() {
    let schema = r#"{"type":"record","name":"R","fields":[{"name":"s","type":"string"}]}"#;
    let row = string(&"x".repeat(1000));
    let file = Container::new(schema, Codec::Null).block(200, &row.repeat(200)).bytes;
    let options = AvroOptions { max_batch_bytes: Some(10_000), ..AvroOptions::default() };
    let outcome = read_every_way(&file, &options);
    assert_eq!((outcome.rows(), outcome.verdict().as_str()), (200, "ok"));
    let most = outcome.batches.iter().map(RecordBatch::num_rows).max();
    assert!(most <= Some(10), "a batch of {most:?} rows");
    // Text larger than the limit gets a batch of its own, because it was already in memory with its block.
    let limits = Limits { batch_bytes: 900, ..Limits::default() };
    let outcome = read_every_way(&file, &AvroOptions { limits, ..AvroOptions::default() });
    assert_eq!((outcome.batches.len(), outcome.verdict().as_str()), (200, "ok"));
}
