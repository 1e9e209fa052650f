//! Laws of the writer on random batches.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrowfeed_avro::{
    AvroHeader, AvroSchema, AvroWriter, Codec, FileReader, FileSource, Limits, ReadOptions, WriteOptions,
    encode_records,
};
use proptest::prelude::*;

use super::arrays;
use super::plain;
use crate::support::batches;
use crate::support::case::{config, read_all};
use crate::support::open::{open, open_with};
use crate::support::schema::Schema;
use crate::support::value::{Seed, Value};

const CODECS: [Codec; 6] =
    [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

/// A sink whose bytes remain accessible through clones.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn batch(seed: &mut Seed) -> RecordBatch {
    let rows = seed.below(40);
    let names = ["id", "my col", "größe", "a.b", "2nd", ""];
    let mut names: Vec<&str> = names.into_iter().take(seed.below(5)).collect();
    seed.shuffle(&mut names);
    let fields: Vec<Field> = names.into_iter().map(|name| arrays::field(seed, name, 3)).collect();
    let columns: Vec<ArrayRef> = fields.iter().map(|field| arrays::array(seed, field, rows)).collect();
    for column in &columns {
        column.to_data().validate_full().unwrap_or_else(|error| panic!("{column:?}: {error}"));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), columns, &options).unwrap()
}

/// Splits the batch into parts of random size.
fn parts(seed: &mut Seed, batch: &RecordBatch) -> Vec<RecordBatch> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < batch.num_rows() {
        let n = (1 + seed.below(15)).min(batch.num_rows() - at);
        parts.push(batch.slice(at, n));
        at += n;
    }
    parts
}

pub(crate) fn write(batch: &RecordBatch, parts: &[RecordBatch], options: WriteOptions) -> Vec<u8> {
    let memory = Memory::default();
    let mut writer = AvroWriter::to_sink(memory.clone(), batch.schema(), options).unwrap();
    parts.iter().for_each(|part| writer.write(part).unwrap());
    let written = writer.finish().unwrap();
    let bytes = memory.bytes();
    assert_eq!((written.rows, written.bytes), (batch.num_rows() as u64, bytes.len() as u64));
    bytes
}

pub(crate) fn header(bytes: &[u8]) -> AvroHeader {
    AvroHeader::read(FileSource::bytes(bytes.to_vec()), &Limits::default()).unwrap()
}

/// Reads a file on one thread.
fn opened(bytes: Vec<u8>) -> FileReader {
    let reading = ReadOptions { threads: Some(NonZeroUsize::MIN), ..ReadOptions::default() };
    open_with(FileSource::bytes(bytes), reading).unwrap()
}

/// The rows of a batch as plain values.
fn rows(batch: &RecordBatch) -> Vec<Vec<Value>> {
    let row = |row| batch.columns().iter().map(|column| plain::value(column, row)).collect();
    (0..batch.num_rows()).map(row).collect()
}

/// Checks that batches that were read from Avro are the same arrays, with the same schema, after writing and reading again.
fn written_again(schema: &SchemaRef, batches: &[RecordBatch]) {
    let memory = Memory::default();
    let options = WriteOptions { threads: Some(NonZeroUsize::MIN), ..WriteOptions::default() };
    let mut writer = AvroWriter::to_sink(memory.clone(), schema.clone(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    let reader = opened(memory.bytes());
    assert_eq!(&reader.schema(), schema);
    let again = concat_batches(schema, &read_all(Ok(reader))).unwrap();
    assert_eq!(again, concat_batches(schema, batches).unwrap());
}

fn check(seed: u64) {
    let mut seed = Seed(seed);
    let batch = batch(&mut seed);
    let parts = parts(&mut seed, &batch);
    let options = WriteOptions {
        codec: seed.pick(&CODECS),
        block_bytes: 1 + seed.below(2000),
        threads: NonZeroUsize::new(if seed.one_in(20) { 1 + seed.below(3) } else { 1 }),
        ..WriteOptions::default()
    };
    let bytes = write(&batch, &parts, options);
    let json = header(&bytes).schema().json().to_owned();
    let schema = Schema::parse(&json);
    let fields = schema.fields(&schema.root).expect("a record");

    let rows = rows(&batch);
    let expected: Vec<Vec<Value>> = rows
        .iter()
        .map(|row| {
            let cells = fields.iter().zip(row).zip(batch.columns());
            cells
                .map(|((field, value), column)| plain::as_read(&schema, &field.ty, value, column.data_type()))
                .collect()
        })
        .collect();
    let opened = opened(bytes);
    let names = |schema: &ArrowSchema| -> Vec<String> {
        schema.fields().iter().map(|field| field.name().clone()).collect()
    };
    assert_eq!(names(&opened.schema()), names(&batch.schema()));
    let read_schema = opened.schema();
    let read = read_all(Ok(opened));
    written_again(&read_schema, &read);
    let found = batches::rows(&read);
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "row {row} of {:?}, {json}", batch.schema());
    }
    assert_eq!(found.len(), expected.len());

    let avro = AvroSchema::parse(&json).unwrap();
    let records = encode_records(&batch, Some(&avro)).unwrap();
    for (row, (record, values)) in records.iter().zip(&rows).enumerate() {
        let mut plain = Vec::new();
        for ((field, value), column) in fields.iter().zip(values).zip(batch.columns()) {
            plain::encode(&schema, &field.ty, value, column.data_type(), &mut plain);
        }
        assert_eq!(*record, plain, "row {row} of {:?}, {json}", batch.schema());
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn what_is_written_is_what_the_plain_writer_writes_and_what_is_read(seed in any::<u64>()) {
        check(seed);
    }
}

/// Run ends around dictionaries of unions, with nulls among the keys of the dictionary.
#[test]
fn nulls_of_every_level_of_an_index_over_unions_are_written() {
    check(11_519_511_625_575_142_635);
}

/// The header and the blocks without the sync markers, which are random. The last sixteen bytes are a marker.
fn without_markers(bytes: &[u8]) -> Vec<Vec<u8>> {
    let sync = &bytes[bytes.len() - 16..];
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(16).position(|window| window == sync) {
        parts.push(rest[..at].to_vec());
        rest = &rest[at + 16..];
    }
    parts
}

#[test]
fn blocks_are_the_same_with_any_number_of_threads() {
    let mut seed = Seed(5);
    let fields =
        vec![Field::new("id", arrow_schema::DataType::Int64, false), arrays::field(&mut seed, "x", 3)];
    let rows = 60_000;
    let columns: Vec<ArrayRef> = fields.iter().map(|field| arrays::array(&mut seed, field, rows)).collect();
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns).unwrap();
    let parts: Vec<RecordBatch> = (0..60).map(|i| batch.slice(i * 1000, 1000)).collect();
    for codec in [Codec::Null, Codec::Deflate] {
        let of = |threads| {
            let options = WriteOptions {
                codec,
                block_bytes: 4096,
                threads: NonZeroUsize::new(threads),
                ..WriteOptions::default()
            };
            without_markers(&write(&batch, &parts, options))
        };
        let one = of(1);
        assert!(one.len() > 50, "{} blocks", one.len());
        assert_eq!(of(2), one);
        assert_eq!(of(5), one);
    }
}

/// A sample of larger rows can make a job smaller than the number of rows it already has.
#[test]
fn rows_that_become_much_larger_are_written_as_others() {
    let batch = |text: &str, rows: usize| {
        let column: ArrayRef = Arc::new(StringArray::from(vec![text; rows]));
        RecordBatch::try_from_iter([("text", column)]).unwrap()
    };
    let parts = [batch("", 8192), batch(&"x".repeat(1 << 16), 50)];
    let whole = concat_batches(&parts[0].schema(), &parts).unwrap();
    let bytes = write(&whole, &parts, WriteOptions::default());
    let read = read_all(open(FileSource::bytes(bytes)));
    assert_eq!(concat_batches(&read[0].schema(), &read).unwrap().columns(), whole.columns());
}
