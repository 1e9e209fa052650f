//! Requests to stores: few, of the bytes that are read.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::ops::Range;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch};
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::OnError;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard,
    ResponseHandler,
};
use arrowfeed_source::run::FileSet;
use bytes::Bytes;

use crate::support::{KINDS, Kind, columns, cut, ids, packed, read, words, write};

/// An object in memory that keeps the requested ranges.
#[derive(Debug, Default)]
struct Object {
    bytes: Bytes,
    asked: Mutex<Vec<Range<u64>>>,
}

impl RemoteObject for Object {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        let len = self.bytes.len() as u64;
        let range = request.range.map_or(0..0, |range| range.start..range.end.min(len));
        self.asked.lock().unwrap().push(range.clone());
        let body = self.bytes.slice(range.start as usize..range.end as usize);
        // A response never arrives during the request.
        std::thread::spawn(move || {
            done(Ok(ObjectResponse {
                version: ObjectVersion { len, tag: Some("1".into()), modified: None },
                body: ObjectBody::Range(vec![body]),
            }));
        });
        Box::new(())
    }

    fn known_len(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    fn limits(&self) -> ReadAheadLimits {
        ReadAheadLimits::default()
    }
}

impl Object {
    fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self { bytes: bytes.into(), asked: Mutex::default() })
    }

    /// The requests since the last call: their number, and their bytes.
    fn taken(&self) -> (usize, u64) {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        (asked.len(), asked.iter().map(|range| range.end - range.start).sum())
    }
}

fn open(objects: &[Arc<Object>], columns: Option<&[&str]>) -> FileSet {
    let sources =
        objects.iter().enumerate().map(|(i, object)| FileSource::remote(format!("{i}"), object.clone()));
    let columns = columns.map(|columns| columns.iter().map(|column| (*column).to_owned()).collect());
    IpcFormat::files(sources, IpcOptions { columns, ..IpcOptions::default() }, None).unwrap()
}

/// A column of numbers beside one of 1 KB a row.
fn wide(rows: usize) -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let image: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..rows).map(|row| vec![row as u8; 1024])));
    RecordBatch::try_from_iter([("id", id), ("image", image)]).unwrap()
}

/// Reads objects, and returns the requests that open them and those that read them.
fn requests(object: &Arc<Object>, columns: Option<&[&str]>, threads: usize) -> [(usize, u64); 2] {
    let files = open(std::slice::from_ref(object), columns);
    let opening = object.taken();
    let (batches, error) = read(files, 1000, threads, OnError::Raise);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(ids(&batches), (0..ROWS as i64).collect::<Vec<_>>());
    [opening, object.taken()]
}

const ROWS: usize = 20_000;

#[test]
fn the_metadata_of_a_record_batch_and_its_columns_are_one_request_each() {
    let object = Object::new(write(Kind::File, &cut(&wide(ROWS), 2000), packed(None)));
    let len = object.bytes.len() as u64;
    for threads in [1, 2] {
        let [opening, reading] = requests(&object, None, threads);
        assert!(opening.0 <= 12 && opening.1 < len / 100, "{opening:?}");
        assert!(reading.0 <= 24 && reading.1 <= len + len / 100, "{reading:?}");
        let [opening, reading] = requests(&object, Some(&["id"]), threads);
        assert!(opening.0 <= 12 && opening.1 < len / 100, "{opening:?}");
        // One column is 0.8 % of the file.
        assert!(reading.0 <= 24 && reading.1 < len / 40, "{reading:?}");
    }
}

#[test]
fn small_record_batches_share_requests_unless_columns_are_left_out() {
    let object = Object::new(write(Kind::File, &cut(&wide(ROWS), 100), packed(None)));
    let len = object.bytes.len() as u64;
    for threads in [1, 2] {
        let [opening, reading] = requests(&object, None, threads);
        assert!(opening.1 < len / 50, "{opening:?}");
        assert!(reading.0 <= 8 && reading.1 <= len + len / 100, "{reading:?}");
        let [_, reading] = requests(&object, Some(&["id"]), threads);
        assert!(reading.1 < len / 20, "{reading:?}");
    }
}

#[test]
fn a_stream_is_requested_as_a_whole() {
    let object = Object::new(write(Kind::Stream, &cut(&wide(ROWS), 2000), packed(None)));
    let len = object.bytes.len() as u64;
    for columns in [None, Some(&["id"][..])] {
        let [_, reading] = requests(&object, columns, 1);
        assert!(reading.0 <= 8 && reading.1 <= len + len / 100, "{reading:?}");
    }
}

#[test]
fn many_files_and_their_dictionaries_are_read_as_files_on_disk() {
    for kind in KINDS {
        let written = |from: i64| write(kind, &cut(&columns(from..from + 500), 60), packed(None));
        let objects: Vec<_> = (0..5).map(|file| Object::new(written(500 * file))).collect();
        for columns in [None, Some(&["id", "word"][..])] {
            for threads in [1, 2] {
                let (batches, error) = read(open(&objects, columns), 64, threads, OnError::Raise);
                assert!(error.is_none(), "{error:?}");
                assert_eq!(ids(&batches), (0..2500).collect::<Vec<_>>());
                let found: Vec<String> = batches.iter().flat_map(|batch| words(batch, "word")).collect();
                let expected = (0..2500).map(|row| format!("word {}", row % 11));
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
        }
        let requests: Vec<usize> = objects.iter().map(|object| object.taken().0).collect();
        // The constructor opens the first file. The others are opened once for each reading.
        assert!(requests[1..].iter().all(|requests| *requests <= 4 * 4), "{requests:?}");
    }
}
