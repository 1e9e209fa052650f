//! Class E: values in blocks, read and projected away.
//!
//! Skipping refuses what decoding refuses, with three differences: text that nobody reads is not checked for
//! UTF-8, nor a logical type for its range; and the items of an array that states its size are not looked at.

mod choices;
mod items;
mod logical;
mod numbers;
mod text;

use arrow_array::RecordBatch;
use arrowfeed_avro::{Codec, Limits, ReadOptions};

use crate::support_hostile::container::Container;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::read_every_way;
use crate::support_hostile::wire::long;

/// A block of a good record, and one of a good record and another with `value` between two longs. Gives the file and
/// where the value is.
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

fn options(columns: Option<&[&str]>, limits: &Limits) -> ReadOptions {
    let columns = columns.map(|columns| columns.iter().map(|name| (*name).to_owned()).collect());
    ReadOptions { columns, limits: limits.clone(), ..ReadOptions::default() }
}

const OTHERS: Option<&[&str]> = Some(&["before", "after"]);

/// The value is refused with these faults when it is read and when it is skipped. The row before it in another
/// block comes out, the one in its own does not. A fault is `CorruptBlock: +2 bad[0]: expected ...`: in record 1 of
/// block 1, two bytes behind the start of the value.
#[track_caller]
fn refused(ty: &str, good: &[u8], value: &[u8], read: &str, skipped: &str) {
    refused_within(&Limits::default(), ty, good, value, read, skipped);
}

/// Refused with the same fault, read or skipped.
#[track_caller]
fn refused_both(ty: &str, good: &[u8], value: &[u8], fault: &str) {
    refused(ty, good, value, fault, fault);
}

/// [`refused_both`] with limits of choice.
#[track_caller]
fn refused_both_within(limits: &Limits, ty: &str, good: &[u8], value: &[u8], fault: &str) {
    refused_within(limits, ty, good, value, fault, fault);
}

/// [`refused`] with limits of choice.
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

/// The offset of the fault counted from `at`.
fn placed(verdict: &str, at: usize) -> String {
    let Some((kind, rest)) = verdict.split_once("block 1 at byte ") else { return verdict.to_owned() };
    let Some((offset, rest)) = rest.split_once(", record 1: ") else { return verdict.to_owned() };
    let offset: usize = offset.replace(',', "").parse().unwrap();
    format!("{kind}+{} {rest}", offset - at)
}

/// The value is taken, read or skipped.
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
