//! Class E: values in blocks, read and projected away.
//!
//! Skipping rejects what decoding rejects, with three differences: skipped text is not checked for UTF-8, a skipped logical
//! type is not checked for its range, and the items of an array that states its size are not checked.

mod choices;
mod items;
mod logical;
mod numbers;
mod text;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroOptions, Codec, Limits};

use crate::support_hostile::container::Container;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::read_every_way;
use crate::support_hostile::wire::long;

/// A file with a block of one valid record, and a block of a valid record and one with `value` between two longs. Also
/// returns the offset of the value.
fn file(ty: &str, good: &[u8], value: &[u8]) -> (Vec<u8>, usize) {
    let fields = format!(
        r#"{{"name":"before","type":"long"}},{{"name":"bad","type":{ty}}},{{"name":"after","type":"long"}}"#
    );
    let schema = format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#);
    let row = |value: &[u8]| [&long(1), value, &long(2)].concat();
    let first = Container::new(&schema, Codec::Null).block(1, &row(good));
    let payload = [row(good), row(value)].concat();
    let head = long(2).len() + long(payload.len() as i64).len();
    let at = first.bytes.len() + head + row(good).len() + long(1).len();
    (first.block(2, &payload).bytes, at)
}

fn options(columns: Option<&[&str]>, limits: &Limits) -> AvroOptions {
    let columns = columns.map(|columns| columns.iter().map(|name| (*name).to_owned()).collect());
    AvroOptions { columns, limits: limits.clone(), ..AvroOptions::default() }
}

const OTHERS: Option<&[&str]> = Some(&["before", "after"]);

/// Checks that the value is rejected with these faults when it is read and when it is skipped. The row in the block before
/// it is returned, the other row of its own block is not. A fault such as `CorruptBlock: +2 bad[0]: expected ...` is in
/// record 1 of block 1, two bytes after the start of the value.
#[track_caller]
fn refused(ty: &str, good: &[u8], value: &[u8], read: &str, skipped: &str) {
    refused_within(&Limits::default(), ty, good, value, read, skipped);
}

/// Checks that the value is rejected with the same fault when it is read and when it is skipped.
#[track_caller]
fn refused_both(ty: &str, good: &[u8], value: &[u8], fault: &str) {
    refused(ty, good, value, fault, fault);
}

/// Like [`refused_both`], with the specified limits.
#[track_caller]
fn refused_both_within(limits: &Limits, ty: &str, good: &[u8], value: &[u8], fault: &str) {
    refused_within(limits, ty, good, value, fault, fault);
}

/// Like [`refused`], with the specified limits.
#[track_caller]
fn refused_within(limits: &Limits, ty: &str, good: &[u8], value: &[u8], read: &str, skipped: &str) {
    let (bytes, at) = file(ty, good, value);
    for (columns, fault) in [(None, read), (OTHERS, skipped)] {
        let outcome = read_every_way(&bytes, &options(columns, limits));
        let verdict = placed(&outcome.verdict(), at);
        let rows = if fault == "ok" { 3 } else { 1 };
        assert_eq!((outcome.rows(), verdict.as_str()), (rows, fault), "columns {columns:?}");
    }
}

/// Replaces the offset of the fault by its distance from `at`.
fn placed(verdict: &str, at: usize) -> String {
    let Some((kind, rest)) = verdict.split_once("block 1 at byte ") else { return verdict.to_owned() };
    let Some((offset, rest)) = rest.split_once(", record 1: ") else { return verdict.to_owned() };
    let offset: usize = offset.replace(',', "").parse().unwrap();
    format!("{kind}+{} {rest}", offset - at)
}

/// Checks that the value is accepted when it is read and when it is skipped.
#[track_caller]
fn accepted(ty: &str, value: &[u8]) -> RecordBatch {
    let read = |columns| -> Outcome {
        let outcome = read_every_way(&file(ty, value, value).0, &options(columns, &Limits::default()));
        assert_eq!((outcome.rows(), outcome.verdict().as_str()), (3, "ok"), "columns {columns:?}");
        outcome
    };
    read(OTHERS);
    read(None).table().unwrap()
}
