//! Indexes of enums and unions.

use arrow_array::Array;

use super::{accepted, refused_both};
use crate::support_hostile::wire::long;

#[test]
fn e3_an_enum_index_is_that_of_a_symbol() {
    let ty = r#"{"type":"enum","name":"E","symbols":["A","B","C"]}"#;
    refused_both(
        ty,
        &[0],
        &long(-1),
        "CorruptBlock: +0 bad: expected an enum index below 3 (the number of symbols), found -1",
    );
    refused_both(
        ty,
        &[0],
        &long(3),
        "CorruptBlock: +0 bad: expected an enum index below 3 (the number of symbols), found 3",
    );
    refused_both(
        ty,
        &[0],
        &long(1 << 31),
        "CorruptBlock: +0 bad: expected an enum index below 3 (the number of symbols), found 2147483648",
    );
    refused_both(
        ty,
        &[0],
        &long(1 << 32),
        "CorruptBlock: +0 bad: expected an enum index below 3 (the number of symbols), found 4294967296",
    );
    refused_both(
        ty,
        &[0],
        &long(i64::MIN),
        "CorruptBlock: +0 bad: expected an enum index below 3 (the number of symbols), found -9223372036854775808",
    );
}

#[test]
fn e4_a_union_index_is_that_of_a_branch() {
    for ty in [r#"["null","long"]"#, r#"["null","string"]"#, r#"["null",{"type":"array","items":"long"}]"#] {
        refused_both(
            ty,
            &[0],
            &[long(5), vec![0]].concat(),
            "CorruptBlock: +0 bad: expected a union index below 2 (the number of branches), found 5",
        );
        refused_both(
            ty,
            &[0],
            &[long(-1), vec![0]].concat(),
            "CorruptBlock: +0 bad: expected a union index below 2 (the number of branches), found -1",
        );
        refused_both(
            ty,
            &[0],
            &[long(1 << 40), vec![0]].concat(),
            "CorruptBlock: +0 bad: expected a union index below 2 (the number of branches), found 1099511627776",
        );
        refused_both(
            ty,
            &[0],
            &[vec![0xff; 12], vec![0]].concat(),
            "CorruptBlock: +0 bad: expected a union index, found a varint of more than 10 bytes",
        );
    }
    refused_both(
        r#"["int","null","string"]"#,
        &[2],
        &long(3),
        "CorruptBlock: +0 bad: expected a union index below 3 (the number of branches), found 3",
    );
    // An overlong encoding means the same index.
    let table = accepted(r#"["null","long"]"#, &[0x82, 0x00, 10]);
    assert_eq!(table.column(1).null_count(), 0);
    accepted(r#"["null","long"]"#, &[0x80, 0x00]);
}
