//! Booleans, integers, floating point numbers, fixed.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampMicrosecondType};

use super::{accepted, refused, refused_both};
use crate::support_hostile::wire::{array, long, longs};

#[test]
fn e5_a_boolean_is_0_or_1() {
    refused_both("\"boolean\"", &[0], &[2], "CorruptBlock: +0 bad: expected a boolean, 0 or 1, found byte 2");
    refused_both(
        "\"boolean\"",
        &[0],
        &[0x80],
        "CorruptBlock: +0 bad: expected a boolean, 0 or 1, found byte 128",
    );
    refused_both(
        "\"boolean\"",
        &[0],
        &[0xff],
        "CorruptBlock: +0 bad: expected a boolean, 0 or 1, found byte 255",
    );
    refused(
        r#"{"type":"array","items":"boolean"}"#,
        &[0],
        &array(&[vec![1], vec![1], vec![3]]),
        "CorruptBlock: +3 bad[2]: expected a boolean, 0 or 1, found byte 3",
        "CorruptBlock: +0 bad: expected a boolean, 0 or 1, found byte 3",
    );
}

#[test]
fn e6_an_int_has_32_bits() {
    refused_both(
        "\"int\"",
        &[0],
        &long(1 << 40),
        "CorruptBlock: +0 bad: expected an int of 32 bits, found 1099511627776",
    );
    refused_both(
        "\"int\"",
        &[0],
        &long(i64::from(i32::MAX) + 1),
        "CorruptBlock: +0 bad: expected an int of 32 bits, found 2147483648",
    );
    refused_both(
        "\"int\"",
        &[0],
        &long(i64::from(i32::MIN) - 1),
        "CorruptBlock: +0 bad: expected an int of 32 bits, found -2147483649",
    );
    refused(
        r#"{"type":"array","items":"int"}"#,
        &[0],
        &array(&[long(5), long(1 << 31)]),
        "CorruptBlock: +2 bad[1]: expected an int of 32 bits, found 2147483648",
        "CorruptBlock: +0 bad: expected an int of 32 bits, found 2147483648",
    );
    accepted("\"int\"", &long(i32::MIN.into()));
    accepted("\"int\"", &[0x82, 0x80, 0x80, 0x80, 0x80, 0x00]);
}

#[test]
fn e12_the_bits_of_numbers_are_kept() {
    let bits = [0x7ff8_dead_beef_0001_u64, 0x7ff0_0000_0000_0001, 0x8000_0000_0000_0000, 1];
    for bits in bits {
        let table = accepted("\"double\"", &bits.to_le_bytes());
        assert_eq!(table.column(1).as_primitive::<Float64Type>().value(0).to_bits(), bits);
    }
    for value in [i64::MIN, i64::MAX] {
        let table = accepted(r#"{"type":"long","logicalType":"timestamp-micros"}"#, &long(value));
        assert_eq!(table.column(1).as_primitive::<TimestampMicrosecondType>().value(0), value);
    }
    accepted(r#"{"type":"int","logicalType":"date"}"#, &long(i32::MIN.into()));
    let duration = r#"{"type":"fixed","name":"T","size":12,"logicalType":"duration"}"#;
    refused(
        duration,
        &[0; 12],
        &[0xff; 12],
        "CorruptBlock: +0 bad: expected a duration of at most 2,147,483,647 months and days, found more",
        "ok",
    );
}

#[test]
fn a_value_that_ends_with_the_block_is_short() {
    refused_both("\"long\"", &[0], &[0x80], "CorruptBlock: +2 after: expected a long, 0 bytes left");
    refused(
        "\"float\"",
        &[0; 4],
        &[],
        "CorruptBlock: +0 bad: expected a float, 1 byte left",
        "CorruptBlock: +0 bad: expected 4 more bytes, 1 byte left",
    );
    refused(
        "\"double\"",
        &[0; 8],
        &[0; 3],
        "CorruptBlock: +0 bad: expected a double, 4 bytes left",
        "CorruptBlock: +0 bad: expected 8 more bytes, 4 bytes left",
    );
    refused(
        r#"{"type":"fixed","name":"F","size":1000}"#,
        &[0; 1000],
        &[0; 5],
        "CorruptBlock: +0 bad: expected a fixed of 1,000 bytes, 6 bytes left",
        "CorruptBlock: +0 bad: expected 1,000 more bytes, 6 bytes left",
    );
    refused_both(
        r#"{"type":"array","items":"float"}"#,
        &[0],
        &[long(2), vec![0; 4]].concat(),
        "CorruptBlock: +0 bad: expected 2 items of at least 4 bytes, 5 bytes left",
    );
    refused_both(
        r#"{"type":"array","items":"long"}"#,
        &[0],
        &longs([2, 5, 5]),
        "CorruptBlock: +0 bad: expected 2 items of at least 1 byte, 0 bytes left",
    );
}
