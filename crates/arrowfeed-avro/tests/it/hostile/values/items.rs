//! Arrays and maps.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrowfeed_avro::Limits;

use super::{accepted, refused, refused_both, refused_both_within, refused_within};
use crate::support_hostile::wire::{array, long, longs, sized_array, string};

#[test]
fn e7_a_count_of_items_is_not_believed() {
    let array = r#"{"type":"array","items":"long"}"#;
    let two = longs([5, 6]);
    refused_both(
        array,
        &[0],
        &longs([1 << 40, 0]),
        "CorruptBlock: +0 bad: expected 1,099,511,627,776 items of at least 1 byte, 2 bytes left",
    );
    refused_both(
        array,
        &[0],
        &longs([i64::MIN, 0]),
        "CorruptBlock: +0 bad: expected 9,223,372,036,854,775,808 items of at least 1 byte, 1 byte left",
    );
    refused(
        array,
        &[0],
        &[longs([-2, 0]), two.clone(), vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 0 bytes of items, as their block states, found 2",
        "CorruptBlock: +0 bad: expected 5 items of at least 1 byte, 3 bytes left",
    );
    refused_both(
        array,
        &[0],
        &[longs([-2, -4]), two.clone(), vec![0]].concat(),
        "CorruptBlock: +0 bad: expected a length, found -4",
    );
    refused_both(
        array,
        &[0],
        &[longs([-2, 1000]), two, vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 1,000 bytes, 4 bytes left",
    );
    let map = r#"{"type":"map","values":"long"}"#;
    let two = [string("k"), long(5)].concat().repeat(2);
    refused_both(
        map,
        &[0],
        &longs([1 << 40, 0]),
        "CorruptBlock: +0 bad: expected 1,099,511,627,776 items of at least 2 bytes, 2 bytes left",
    );
    refused_both(
        map,
        &[0],
        &longs([i64::MIN, 0]),
        "CorruptBlock: +0 bad: expected 9,223,372,036,854,775,808 items of at least 2 bytes, 1 byte left",
    );
    refused(
        map,
        &[0],
        &[longs([-2, 0]), two.clone(), vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 0 bytes of items, as their block states, found 6",
        "CorruptBlock: +0 bad: expected a length, found -54",
    );
    refused_both(
        map,
        &[0],
        &[longs([-2, -4]), two.clone(), vec![0]].concat(),
        "CorruptBlock: +0 bad: expected a length, found -4",
    );
    refused_both(
        map,
        &[0],
        &[longs([-2, 1000]), two, vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 1,000 bytes, 8 bytes left",
    );
}

#[test]
fn e7_a_stated_size_of_items_is_the_size_used() {
    // Items of a fixed width are counted when they are skipped; others are skipped by the stated size.
    let doubles = r#"{"type":"array","items":"double"}"#;
    refused(
        doubles,
        &[0],
        &[longs([-2, 15]), vec![0; 16], vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 15 bytes of items, as their block states, found 16",
        "CorruptBlock: +0 bad: expected 15 bytes of items, as their block states, found 16",
    );
    refused(
        doubles,
        &[0],
        &[longs([-2, 17]), vec![0; 16], vec![0, 0]].concat(),
        "CorruptBlock: +0 bad: expected 17 bytes of items, as their block states, found 16",
        "CorruptBlock: +0 bad: expected 17 bytes of items, as their block states, found 16",
    );
    let strings = r#"{"type":"array","items":"string"}"#;
    let two = [string("a"), string("b")].concat();
    refused(
        strings,
        &[0],
        &[longs([-2, 3]), two.clone(), vec![0]].concat(),
        "CorruptBlock: +0 bad: expected 3 bytes of items, as their block states, found 4",
        "CorruptBlock: +0 bad: expected 49 items of at least 1 byte, 2 bytes left",
    );
    refused(
        strings,
        &[0],
        &[longs([-2, 5]), two, vec![0, 0]].concat(),
        "CorruptBlock: +0 bad: expected 5 bytes of items, as their block states, found 4",
        "ok",
    );
    // The content is not checked if the stated size is correct.
    refused(
        r#"{"type":"array","items":"boolean"}"#,
        &[0],
        &sized_array(&[vec![7]]),
        "CorruptBlock: +2 bad[0]: expected a boolean, 0 or 1, found byte 7",
        "ok",
    );
    accepted(strings, &sized_array(&[string("a"), string("b")]));
}

#[test]
fn e8_elements_without_bytes_have_a_budget_for_each_record() {
    let limits = Limits { zero_byte_elements: 1000, ..Limits::default() };
    let nulls = r#"{"type":"array","items":"null"}"#;
    let ok = longs([1000, 0]);
    refused_both_within(
        &limits,
        nulls,
        &ok,
        &longs([1001, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 1,000",
    );
    refused_both_within(
        &limits,
        nulls,
        &ok,
        &longs([500, 501, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 1,000",
    );
    refused_both_within(
        &limits,
        nulls,
        &ok,
        &longs([-1001, 0, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 1,000",
    );
    refused_both(
        nulls,
        &ok,
        &longs([2_000_000_000, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 10,000,000",
    );
    refused_both(
        nulls,
        &ok,
        &longs([i64::MAX, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 10,000,000",
    );
    // Fields and nested arrays share the limit.
    let nested = r#"{"type":"array","items":{"type":"array","items":"null"}}"#;
    refused_within(
        &limits,
        nested,
        &[0],
        &[long(3), longs([400, 0, 400, 0, 400, 0]), vec![0]].concat(),
        "Limit zero_byte_elements: +7 bad[2]: over the limit zero_byte_elements of 1,000",
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 1,000",
    );
    let empty = r#"{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"z","type":{"type":"fixed","name":"Z","size":0}}]}}"#;
    refused_both_within(
        &limits,
        empty,
        &ok,
        &longs([1001, 0]),
        "Limit zero_byte_elements: +0 bad: over the limit zero_byte_elements of 1,000",
    );
}

#[test]
fn e9_a_map_keeps_its_entries_in_order_also_twice_and_without_a_key() {
    let entry = |key: &str, value: i64| [string(key), long(value)].concat();
    let entries = [entry("k", 1), entry("", 2), entry("k", 3)];
    let table = accepted(r#"{"type":"map","values":"long"}"#, &array(&entries));
    let map = table.column(1).as_map();
    assert_eq!((map.value_length(0), map.entries().len()), (3, 9));
    let keys: Vec<&str> = map.keys().as_string::<i32>().iter().take(3).flatten().collect();
    assert_eq!(keys, ["k", "", "k"]);
}

/// Recursive values can only be skipped; their tests are with the schemas.
#[test]
fn e10_values_nest_no_deeper_than_the_schema() {
    let deep = (0..60).fold("\"long\"".to_owned(), |ty, _| format!(r#"{{"type":"array","items":{ty}}}"#));
    let value = [long(1).repeat(60), long(7), vec![0; 60]].concat();
    accepted(&deep, &value);
    refused(
        &deep,
        &[0],
        &long(1).repeat(59),
        "CorruptBlock: +59 bad[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: expected 2 items of at least 1 byte, 0 bytes left",
        "CorruptBlock: +0 bad: expected 2 items of at least 1 byte, 0 bytes left",
    );
}
