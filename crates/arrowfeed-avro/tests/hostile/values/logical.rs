//! Decimals, uuids: what decoding checks and skipping does not.

use super::{accepted, refused};
use crate::support_hostile::wire::{bytes, string};

#[test]
fn e11_a_decimal_fits_its_precision() {
    let ty = r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}"#;
    refused(ty, &bytes(&[1]), &bytes(&[]), "CorruptBlock: +0 bad: expected a decimal, found no bytes", "ok");
    refused(
        ty,
        &bytes(&[1]),
        &bytes(&[0x27, 0x10]),
        "CorruptBlock: +0 bad: expected a decimal of at most 4 digits, found a larger one in 2 bytes",
        "ok",
    );
    refused(
        ty,
        &bytes(&[1]),
        &bytes(&[0x7f; 41]),
        "CorruptBlock: +0 bad: expected a decimal of at most 4 digits, found a larger one in 41 bytes",
        "ok",
    );
    refused(
        ty,
        &bytes(&[1]),
        &bytes(&vec![1; 100_000]),
        "CorruptBlock: +0 bad: expected a decimal of at most 4 digits, found a larger one in 100,000 bytes",
        "ok",
    );
    accepted(ty, &bytes(&[0x27, 0x0f]));
    accepted(ty, &bytes(&[[0; 30].as_slice(), &[0x27, 0x0f]].concat()));
    accepted(ty, &bytes(&[[0xff; 30].as_slice(), &[0xd8, 0xf1]].concat()));
    let fixed = r#"{"type":"fixed","name":"D","size":4,"logicalType":"decimal","precision":9}"#;
    refused(
        fixed,
        &[0; 4],
        &[0x7f, 0xff, 0xff, 0xff],
        "CorruptBlock: +0 bad: expected a decimal of at most 9 digits, found a larger one in 4 bytes",
        "ok",
    );
    refused(
        fixed,
        &[0; 4],
        &[1, 2],
        "CorruptBlock: +0 bad: expected a fixed of 4 bytes, 3 bytes left",
        "CorruptBlock: +0 bad: expected 4 more bytes, 3 bytes left",
    );
}

#[test]
fn e12_a_uuid_is_one_where_it_is_read() {
    let ty = r#"{"type":"string","logicalType":"uuid"}"#;
    let good = string("01234567-89ab-cdef-0123-456789abcdef");
    refused(
        ty,
        &good,
        &string("not a uuid"),
        r#"CorruptBlock: +0 bad: expected a uuid, found "not a uuid""#,
        "ok",
    );
    refused(
        ty,
        &good,
        &bytes(b"\xff\x00\x1b"),
        "CorruptBlock: +0 bad: expected a uuid, found \"�\\0\\u{1b}\"",
        "ok",
    );
}
