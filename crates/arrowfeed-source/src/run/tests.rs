//! Tests of the engine with a made-up format: a row is a byte, a chunk is ten rows, and a row of 255 cannot be decoded.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests do not fork")]

use std::ops::Range;
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use arrow_array::types::UInt8Type;
use arrow_array::{RecordBatch, UInt8Array, cast::AsArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::*;
use crate::format::{
    Chunk, ChunkScan, Claim, DecodeOptions, FileFormat, FormatFile, LocatedBatch, RowOrigin, Unit,
    UnitDecoder,
};
use crate::io::{FileSource, Fingerprint, OpenFile, Opened};
use crate::{Check, FeedError, FeedErrorKind, Limits, OnError, Report};

const CHUNK: u64 = 10;

static SCHEMA: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(vec![Field::new("byte", DataType::UInt8, false)])));
static LIMITS: LazyLock<Limits> = LazyLock::new(Limits::default);

#[derive(Debug)]
pub(super) struct Rows;

#[derive(Debug)]
struct RowsFile(OpenFile);

#[derive(Debug)]
struct RowsScan {
    offset: u64,
    len: u64,
}

struct RowsDecoder {
    file: Arc<RowsFile>,
    unit: Unit,
    batch_size: u64,
    at: u64,
    first: bool,
    report: Report,
}

impl FileFormat for Rows {
    fn name(&self) -> &'static str {
        "rows"
    }

    fn schema(&self) -> &SchemaRef {
        &SCHEMA
    }

    fn limits(&self) -> &Limits {
        &LIMITS
    }

    fn with_columns(&self, _: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        Ok(Arc::new(Self))
    }

    fn open(&self, file: Opened, _: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        match file {
            Opened::File(file) => Ok(Arc::new(RowsFile(file))),
            Opened::Stream { .. } => Err(FeedError::new(FeedErrorKind::Options, "expected a file")),
        }
    }
}

impl FormatFile for RowsFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(Fingerprint { bytes: [0; 16], name: "first bytes" })
    }

    fn body(&self) -> Range<u64> {
        0..self.0.len()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        Some(Box::new(RowsScan { offset: 0, len: self.0.len() }))
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        _: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        let (at, batch_size) = (unit.runs[0].range.start + unit.runs[0].dropped, options.batch_size as u64);
        Ok(Box::new(RowsDecoder { file: self, unit, batch_size, at, first: true, report: Report::default() }))
    }
}

impl ChunkScan for RowsScan {
    fn next(&mut self, _: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if self.offset >= self.len {
            return Ok(None);
        }
        let (offset, end) = (self.offset, (self.offset + CHUNK).min(self.len));
        self.offset = end;
        Ok(Some(Chunk { number: offset / CHUNK, offset, end, rows: end - offset }))
    }

    fn seek(&mut self, offset: u64, _: u64) {
        self.offset = offset;
    }

    fn find(&mut self, from: u64, _: &Check<'_>) -> Result<Option<u64>, FeedError> {
        Ok(Some(from.next_multiple_of(CHUNK)).filter(|offset| *offset < self.len))
    }
}

impl UnitDecoder for RowsDecoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        check.now()?;
        let run = &self.unit.runs[0];
        let end = run.range.end.min((run.range.start + run.dropped).saturating_add(run.kept));
        if self.at >= end {
            return Ok(None);
        }
        let first = self.unit.first_batch.filter(|_| std::mem::take(&mut self.first));
        let mut bytes = vec![0; first.unwrap_or(self.batch_size).min(end - self.at) as usize];
        let found = self.file.0.source().read_at(self.at, &mut bytes).map_err(FeedError::io)?;
        let good = bytes[..found].iter().position(|byte| *byte == 255).unwrap_or(found);
        if good == 0 {
            self.at = end;
            let error = FeedError::new(FeedErrorKind::CorruptBlock, "expected a byte below 255");
            return Err(error.in_file(self.file.0.name()));
        }
        let (chunk, before) = (self.at / CHUNK, self.at % CHUNK);
        let origins = vec![RowOrigin { row: 0, chunk, offset: chunk * CHUNK, before }];
        self.at += good as u64;
        self.report.bytes += good as u64;
        let column = Arc::new(UInt8Array::from(bytes[..good].to_vec()));
        let batch = RecordBatch::try_new(SCHEMA.clone(), vec![column]).expect("one column of bytes");
        Ok(Some(LocatedBatch { batch, origins }))
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {}
}

pub(super) fn set(files: &[Vec<u8>]) -> Arc<FileSet> {
    let sources = files
        .iter()
        .enumerate()
        .map(|(i, bytes)| FileSource::bytes(bytes.clone()).with_name(format!("file {i}")));
    Arc::new(FileSet::new(Files::new(sources), Arc::new(Rows)))
}

fn options(workers: Workers) -> PartOptions {
    PartOptions {
        batch_size: Some(7),
        boundaries: BatchBoundaries::Continue(0),
        on_error: OnError::Raise,
        workers,
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    }
}

/// Returns the rows of all batches, the sizes of the batches, and the error.
fn read(reader: PartReader) -> (Vec<u8>, Vec<usize>, Option<String>) {
    let (mut rows, mut sizes) = (Vec::new(), Vec::new());
    for found in reader {
        match found {
            Ok(found) => {
                rows.extend_from_slice(found.batch.column(0).as_primitive::<UInt8Type>().values());
                sizes.push(found.batch.num_rows());
            }
            Err(error) => return (rows, sizes, Some(error.to_string())),
        }
    }
    (rows, sizes, None)
}

pub(super) fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i % 251) as u8).collect()
}

fn pool(threads: usize) -> Workers {
    Workers::Pool(Arc::new(Pool::start(threads).unwrap()))
}

#[test]
fn every_kind_of_worker_gives_the_same_batches() {
    let files = [bytes(3_000_000), bytes(0), bytes(13), bytes(5)];
    let set = set(&files);
    let parts =
        || [Part::whole(0).with_kept(2_500_001), Part::whole(1), Part::after(2, 0, 0, 4), Part::whole(3)];
    let all = |workers| {
        let options = PartOptions { batch_size: Some(999), ..options(workers) };
        read(PartReader::new(set.clone(), parts(), options).unwrap())
    };
    let (rows, sizes, error) = all(Workers::Caller);
    assert_eq!(error, None);
    assert_eq!(rows, [&files[0][..2_500_001], &files[2][4..], &files[3]].concat());
    // Batch boundaries continue across parts. A part ends a batch early, and the next part continues up
    // to the same border.
    assert_eq!(sizes[..2502], [vec![999; 2502]].concat());
    assert_eq!(sizes[2502..], [503, 9, 5]);
    let own = Workers::Own;
    for workers in [own(1), own(2), own(8), pool(1), pool(3)] {
        let found = all(workers.clone());
        assert!(found.0 == rows && found.1 == sizes && found.2.is_none(), "{workers:?}");
    }
}

#[test]
fn rows_before_a_fault_come_first_and_the_rest_of_the_file_may_be_left_out() {
    let mut faulty = bytes(100);
    faulty[42] = 255;
    let set = set(&[faulty.clone(), bytes(9)]);
    for workers in [Workers::Caller, Workers::Own(2), pool(2)] {
        let all = |on_error| {
            let options = PartOptions { on_error, ..options(workers.clone()) };
            PartReader::new(set.clone(), [Part::whole(0), Part::whole(1)], options).unwrap()
        };
        let message = "file 0: expected a byte below 255".to_owned();
        assert_eq!(read(all(OnError::Raise)), (bytes(42), vec![7; 6], Some(message.clone())));
        let mut reader = all(OnError::SkipFile);
        let found: Vec<usize> = reader.by_ref().map(|found| found.unwrap().batch.num_rows()).collect();
        assert_eq!(found.iter().sum::<usize>(), 51);
        assert_eq!((reader.report().rows, reader.report().skipped.len()), (51, 1));
        assert_eq!(reader.report().skipped[0].error, message);
        assert_eq!(reader.left_out(), [0]);
    }
}

#[test]
fn threads_without_room_do_other_work_and_every_batch_arrives() {
    let (first, second) = (set(&[bytes(4_000_000)]), set(&[bytes(3_000_000)]));
    let pool = Arc::new(Pool::start(2).unwrap());
    let reader = |files: &Arc<FileSet>| {
        let workers = Workers::Pool(pool.clone());
        let options = PartOptions { batch_size: Some(1000), prefetch_bytes: 1, ..options(workers) };
        PartReader::new(files.clone(), [Part::whole(0)], options).unwrap()
    };
    let (mut one, mut two) = (reader(&first), reader(&second));
    one.start().unwrap();
    two.start().unwrap();
    let mut stage = MapStage::new(pool.clone());
    let mut rows = 0;
    // Both readers have more data than the threads of the pool could hold, and tasks on batches run beside them.
    for found in one {
        let (a, b) = (found.unwrap().batch, two.next().map(|found| found.unwrap().batch));
        stage.add(move || a.num_rows() + b.map_or(0, |b| b.num_rows()));
        rows += stage.next(&Check::never()).unwrap().unwrap();
    }
    assert_eq!(rows, 7_000_000);
}

#[test]
fn a_reader_that_is_dropped_leaves_the_pool_to_others() {
    let (files, pool) = (set(&[bytes(4_000_000)]), Arc::new(Pool::start(2).unwrap()));
    let reader = || {
        let options = PartOptions { prefetch_bytes: 1000, ..options(Workers::Pool(pool.clone())) };
        PartReader::new(files.clone(), [Part::whole(0)], options).unwrap()
    };
    for _ in 0..50 {
        let mut reader = reader();
        assert!(reader.next().unwrap().is_ok());
    }
    let options = PartOptions { batch_size: Some(100_000), ..options(Workers::Pool(pool.clone())) };
    let reader = PartReader::new(files.clone(), [Part::whole(0)], options).unwrap();
    assert_eq!(read(reader).0.len(), 4_000_000);
}

#[test]
fn polling_without_waiting_returns_the_available_batches() {
    let files = set(&[bytes(2_000_000)]);
    let mut reader = PartReader::new(files, [Part::whole(0)], options(pool(2))).unwrap();
    let mut rows = 0;
    loop {
        match reader.poll(false).unwrap() {
            Polled::Batch(found) => rows += found.batch.num_rows(),
            Polled::Pending => std::thread::yield_now(),
            Polled::End => break,
        }
    }
    assert_eq!(rows, 2_000_000);
    assert!(reader.poll(false).is_ok_and(|polled| matches!(polled, Polled::End)));
}

#[test]
fn the_chunks_of_a_range_are_those_that_start_in_it() {
    let mut scan = RowsScan { offset: 0, len: 95 };
    let mut aligned = |range| align(&mut scan, range, 95, &Check::never()).unwrap();
    assert_eq!(aligned(0..95), 0..95);
    assert_eq!(aligned(1..10), 10..10);
    assert_eq!(aligned(1..11), 10..20);
    assert_eq!(aligned(91..200), 95..95);
}

fn rest<T: Send + 'static>(stage: &mut MapStage<T>) -> Vec<Result<T, FeedError>> {
    std::iter::from_fn(|| stage.next(&Check::never()).transpose()).collect()
}

#[test]
fn results_come_in_the_order_of_the_work_whoever_does_it() {
    let mut stage = MapStage::new(Arc::new(Pool::start(3).unwrap()));
    for i in 0..60_u64 {
        if i % 7 == 0 {
            stage.add_done(i);
            continue;
        }
        stage.add(move || {
            std::thread::sleep(Duration::from_micros(50 * (i * 7 % 5)));
            i
        });
    }
    assert_eq!(stage.len(), 60);
    let found: Vec<u64> = rest(&mut stage).into_iter().map(Result::unwrap).collect();
    assert_eq!(found, (0..60).collect::<Vec<_>>());
    assert!(stage.is_empty());
}

#[test]
fn a_panic_of_work_is_its_own_error() {
    for _ in 0..20 {
        let mut stage = MapStage::new(Arc::new(Pool::start(1).unwrap()));
        stage.add(|| -> i32 { panic!("no such row") });
        stage.add(|| 1);
        let found: Vec<Result<i32, String>> =
            rest(&mut stage).into_iter().map(|it| it.map_err(|error| error.to_string())).collect();
        let message = "a defect of this library, please report it: no such row";
        assert_eq!(found, [Err(message.to_owned()), Ok(1)]);
    }
}

#[test]
fn work_without_a_consumer_is_not_done() {
    let pool = Arc::new(Pool::start(1).unwrap());
    let (go, gone) = channel::<()>();
    let mut first = MapStage::new(pool.clone());
    first.add(move || gone.recv());
    let mut stage = MapStage::new(pool);
    let (done, is_done) = channel();
    stage.add(move || done.send(()));
    drop(stage);
    drop(go);
    drop(first);
    assert!(is_done.recv().is_err());
}

#[test]
fn a_waiting_caller_can_stop() {
    let mut stage = MapStage::new(Arc::new(Pool::start(1).unwrap()));
    let (begun, has_begun) = channel();
    let (end, ended) = channel::<()>();
    stage.add(move || {
        begun.send(()).unwrap();
        let _ = ended.recv();
    });
    has_begun.recv().unwrap();
    let stops = || true;
    let stopped = stage.next(&Check::new(&stops)).unwrap_err();
    assert_eq!(stopped.to_string(), "the caller asked to stop");
    drop(end);
}
