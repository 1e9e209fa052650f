//! Decimals, uuids, times: values that decoding checks and skipping does not.

use super::{accepted, refused};
use crate::support_hostile::wire::{bytes, long, string};

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

#[test]
fn e13_a_time_is_within_one_day_at_any_position() {
    let millis = r#"{"type":"int","logicalType":"time-millis"}"#;
    let micros = r#"{"type":"long","logicalType":"time-micros"}"#;
    for (ty, day, expected) in [
        (millis, 86_400_000, "a time of day of 0 to 86,399,999 milliseconds"),
        (micros, 86_400_000_000, "a time of day of 0 to 86,399,999,999 microseconds"),
    ] {
        let wrong = |at: u64, place: &str, found: i64| {
            format!("CorruptBlock: +{at} bad{place}: expected {expected}, found {found}")
        };
        accepted(ty, &long(0));
        accepted(ty, &long(day - 1));
        for found in [-1, day, i64::from(i32::MIN), i64::from(i32::MAX) * (day / 86_400_000)] {
            refused(ty, &long(0), &long(found), &wrong(0, "", found), "ok");
            let nullable = format!(r#"["null",{ty}]"#);
            refused(&nullable, &long(0), &[long(1), long(found)].concat(), &wrong(1, "", found), "ok");
            let union = format!(r#"["string",{ty}]"#);
            let text = [long(0), string("a")].concat();
            refused(&union, &text, &[long(1), long(found)].concat(), &wrong(1, "", found), "ok");
            // A run of times is checked in one step.
            let items = format!(r#"{{"type":"array","items":{ty}}}"#);
            let many = |last: i64| [long(20), long(1).repeat(19), long(last), long(0)].concat();
            refused(&items, &many(day - 1), &many(found), &wrong(20, "[19]", found), "ok");
            let entry = |time: i64| [long(1), string("k"), long(time), long(0)].concat();
            let values = format!(r#"{{"type":"map","values":{ty}}}"#);
            refused(&values, &entry(1), &entry(found), &wrong(3, r#"["k"]"#, found), "ok");
        }
    }
}

/// Arrow accepts every number of these types.
#[test]
fn e14_dates_and_timestamps_have_no_range() {
    for found in [i64::from(i32::MIN), -1, i64::from(i32::MAX)] {
        accepted(r#"{"type":"int","logicalType":"date"}"#, &long(found));
    }
    for logical in ["timestamp-millis", "timestamp-micros", "timestamp-nanos", "local-timestamp-millis"] {
        for found in [i64::MIN, -1, i64::MAX] {
            accepted(&format!(r#"{{"type":"long","logicalType":"{logical}"}}"#), &long(found));
        }
    }
}
