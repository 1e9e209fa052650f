//! Additions to dictionaries, and dictionaries that replace others: each record batch has those in effect at its position,
//! wherever the reading starts.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{DictionaryHandling, IpcWriteOptions};
use arrowfeed_ipc::IpcOptions;
use arrowfeed_source::run::{Part, Workers};
use arrowfeed_source::{Check, OnError};

use crate::support::{KINDS, Kind, all, open, reader, words, write};

const BATCHES: i64 = 12;

/// A batch of four rows, of which `dictionary` has the words.
fn batch(number: i64, dictionary: &[String]) -> RecordBatch {
    let keys =
        Int32Array::from_iter_values((0..4).map(|row| (row * 7 + number as i32) % dictionary.len() as i32));
    let values = Arc::new(StringArray::from_iter_values(dictionary));
    let word: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, values));
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(4 * number..4 * number + 4));
    RecordBatch::try_from_iter([("id", id), ("word", word)]).unwrap()
}

/// Batches whose dictionaries start with that of the batch before.
fn growing() -> Vec<RecordBatch> {
    let word = |n: i64| format!("word {n}");
    (0..BATCHES).map(|number| batch(number, &(0..=number / 2 * 2).map(word).collect::<Vec<_>>())).collect()
}

/// Batches whose dictionaries have nothing in common.
fn replaced() -> Vec<RecordBatch> {
    let words = |number: i64| (0..3).map(|n| format!("{number}: {n}")).collect::<Vec<_>>();
    (0..BATCHES).map(|number| batch(number, &words(number))).collect()
}

fn check(file: Vec<u8>, expected: &[RecordBatch]) {
    let files = open(file, IpcOptions::default()).unwrap();
    let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
    assert_eq!(chunks.len(), expected.len());
    for first in (0..expected.len()).rev().chain(0..expected.len()) {
        for workers in [Workers::Caller, Workers::Own(2)] {
            let part = Part::after(0, first as u64, chunks[first].offset, 0);
            let found = all(&mut reader(&files, part, 4, OnError::Raise, workers)).unwrap();
            assert_eq!(found.len(), expected.len() - first);
            for (found, expected) in found.iter().zip(&expected[first..]) {
                assert_eq!(&found["id"], &expected["id"]);
                assert_eq!(words(found, "word"), words(expected, "word"));
            }
        }
    }
    // Dictionaries of other columns are not read.
    let others = files.with_columns(&["id".to_owned()]).unwrap();
    let found = all(&mut reader(&others, Part::whole(0), 4, OnError::Raise, Workers::Caller)).unwrap();
    assert_eq!(found.len(), expected.len());
}

#[test]
fn additions_apply_to_the_record_batches_after_them() {
    for kind in KINDS {
        let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
        check(write(kind, &growing(), options), &growing());
    }
}

#[test]
fn a_dictionary_replaces_the_one_before() {
    check(write(Kind::Stream, &replaced(), IpcWriteOptions::default()), &replaced());
    check(write(Kind::Stream, &growing(), IpcWriteOptions::default()), &growing());
}
