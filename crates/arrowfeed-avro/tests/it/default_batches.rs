//! The number of rows of a batch, if the caller does not ask for one. It depends on the file and the columns only.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::io::{self, Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrowfeed_avro::{
    AvroFormat, AvroOptions, AvroWriter, Codec, FileSource, RangeOptions, ReadOptions, WriteOptions,
};

use crate::support::open::columns;

const ROWS: usize = 20_000;

/// A sink whose bytes the test reads after the writer has ended.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file of rows with a number and a text of `length` letters, which repeats nothing.
fn file(length: usize, codec: Codec) -> Vec<u8> {
    let id = Int64Array::from_iter_values(0..ROWS as i64);
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + (state >> 58) as u8)
    };
    let text = (0..ROWS).map(|_| (0..length).map(|_| letter()).collect::<String>());
    let text = StringArray::from_iter_values(text);
    let batch =
        RecordBatch::try_from_iter([("id", Arc::new(id) as _), ("text", Arc::new(text) as _)]).unwrap();
    let sink = Shared::default();
    let options = WriteOptions { codec, ..WriteOptions::default() };
    let mut writer = AvroWriter::to_sink(sink.clone(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    std::mem::take(&mut sink.0.lock().unwrap())
}

fn counts(source: FileSource, options: AvroOptions, reading: ReadOptions) -> Vec<usize> {
    let reader = AvroFormat::read([source], options, reading).unwrap();
    reader.map(|batch| batch.unwrap().num_rows()).collect()
}

/// The numbers of rows with the default options.
fn default_counts(source: FileSource, threads: usize) -> Vec<usize> {
    counts(source, AvroOptions::default(), in_threads(threads))
}

fn in_threads(threads: usize) -> ReadOptions {
    ReadOptions { threads: NonZeroUsize::new(threads), ..ReadOptions::default() }
}

fn of(size: usize) -> Vec<usize> {
    let rest = ROWS % size;
    std::iter::repeat_n(size, ROWS / size).chain((rest > 0).then_some(rest)).collect()
}

#[test]
fn batches_of_long_rows_have_fewer_rows_whatever_reads_them() {
    for (length, size) in [(10, 8192), (1_000, 4096), (2_500, 1024)] {
        let bytes = file(length, Codec::Null);
        for threads in [1, 3] {
            let memory = FileSource::bytes(bytes.clone());
            assert_eq!(default_counts(memory, threads), of(size), "{length} bytes");
            let stream = FileSource::reader("stream", Cursor::new(bytes.clone()));
            assert_eq!(default_counts(stream, threads), of(size), "{length} bytes");
        }
    }
}

/// A stream whose reads end after the header, and after one byte of the first block.
struct InParts(Cursor<Vec<u8>>, Vec<usize>);

impl Read for InParts {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.1.pop().unwrap_or(into.len()).min(into.len());
        self.0.read(&mut into[..most])
    }
}

#[test]
fn batches_of_a_stream_do_not_depend_on_when_its_bytes_arrive() {
    let bytes = file(2_500, Codec::Null);
    let sync = &bytes[bytes.len() - 16..];
    let header = bytes.windows(16).position(|window| window == sync).unwrap() + 16;
    let stream = FileSource::reader("stream", InParts(Cursor::new(bytes.clone()), vec![1, header]));
    assert_eq!(default_counts(stream, 1), of(1024));
}

#[test]
fn a_projection_and_a_number_of_rows_by_the_caller_count() {
    let bytes = file(2_500, Codec::Null);
    let memory = || FileSource::bytes(bytes.clone());
    assert_eq!(counts(memory(), columns(["id"]), in_threads(1)), of(2048));
    let reading = ReadOptions { batch_size: Some(8192), ..in_threads(1) };
    assert_eq!(counts(memory(), AvroOptions::default(), reading), of(8192));
}

#[test]
fn compressed_rows_count_twice() {
    let bytes = file(2_500, Codec::Snappy);
    assert!(bytes.len() / ROWS > 2_000, "{}", bytes.len());
    assert_eq!(default_counts(FileSource::bytes(bytes), 1), of(512));
}

#[test]
fn a_split_has_the_batches_of_its_file() {
    let bytes = file(2_500, Codec::Null);
    let end = bytes.len() as u64;
    let files = AvroFormat::files([FileSource::bytes(bytes)], AvroOptions::default(), None).unwrap();
    let reader = files.read_range(0..end, RangeOptions::default()).unwrap();
    let found: Vec<usize> = reader.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(found, of(1024));
}
