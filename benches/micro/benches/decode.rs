//! Benchmark of the decoder on in-memory files with one kind of field each: `cargo bench -p arrowfeed-avro`.

use std::hint::black_box;
use std::num::NonZeroUsize;

use arrow_buffer::Buffer;
use arrowfeed_avro::{AvroFormat, AvroOptions, FileSource, ReadOptions};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const ROWS: u64 = 20_000;
const FIELDS: u64 = 8;
const ITEMS: u64 = 64;
const BLOCK_BYTES: usize = 64_000;
const SYNC: [u8; 16] = *b"sixteen bytes ok";

/// Appends a zigzag varint.
fn long(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn string(bytes: &mut Vec<u8>, text: &[u8]) {
    long(bytes, text.len() as i64);
    bytes.extend(text);
}

/// A file of `ROWS` records with `FIELDS` fields of `field_type`. `value` appends one value.
fn file(field_type: &str, value: impl Fn(&mut Vec<u8>, u64)) -> Buffer {
    let field = |i| format!(r#"{{"name": "f{i}", "type": {field_type}}}"#);
    let fields: Vec<String> = (0..FIELDS).map(field).collect();
    let schema = format!(r#"{{"type": "record", "name": "R", "fields": [{}]}}"#, fields.join(", "));
    let mut bytes = b"Obj\x01".to_vec();
    long(&mut bytes, 1);
    string(&mut bytes, b"avro.schema");
    string(&mut bytes, schema.as_bytes());
    long(&mut bytes, 0);
    bytes.extend(SYNC);
    let (mut block, mut rows) = (Vec::new(), 0);
    for row in 0..ROWS {
        (0..FIELDS).for_each(|field| value(&mut block, row * FIELDS + field));
        rows += 1;
        if block.len() >= BLOCK_BYTES || row + 1 == ROWS {
            long(&mut bytes, rows);
            string(&mut bytes, &block);
            bytes.extend(SYNC);
            block.clear();
            rows = 0;
        }
    }
    bytes.into()
}

/// Numbers of one to five bytes, in random order.
fn number(seed: u64) -> i64 {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32 >> (mixed % 28)) as i64
}

fn files() -> [(&'static str, Buffer); 6] {
    let array = |bytes: &mut Vec<u8>, item: &dyn Fn(&mut Vec<u8>, u64), seed: u64| {
        long(bytes, ITEMS as i64);
        (0..ITEMS).for_each(|i| item(bytes, seed + i));
        long(bytes, 0);
    };
    let word =
        |bytes: &mut Vec<u8>, seed: u64| string(bytes, &b"a string of some length"[..(seed % 23) as usize]);
    [
        ("long", file(r#""long""#, |bytes, seed| long(bytes, number(seed)))),
        (
            "nullable long",
            file(r#"["null", "long"]"#, |bytes, seed| match number(seed) % 4 {
                0 => long(bytes, 0),
                _ => {
                    long(bytes, 1);
                    long(bytes, number(seed));
                }
            }),
        ),
        ("double", file(r#""double""#, |bytes, seed| bytes.extend((seed as f64).to_le_bytes()))),
        ("string", file(r#""string""#, word)),
        (
            "array of float",
            file(r#"{"type": "array", "items": "float"}"#, |bytes, seed| {
                array(bytes, &|bytes, seed| bytes.extend((seed as f32).to_le_bytes()), seed);
            }),
        ),
        (
            "array of long",
            file(r#"{"type": "array", "items": "long"}"#, |bytes, seed| {
                array(bytes, &|bytes, seed| long(bytes, number(seed)), seed);
            }),
        ),
    ]
}

fn rows(file: &Buffer, columns: Option<[&str; 1]>) -> usize {
    let columns = columns.map(|columns| columns.map(ToOwned::to_owned).to_vec());
    let options = AvroOptions { columns, ..AvroOptions::default() };
    let reading = ReadOptions { threads: Some(NonZeroUsize::MIN), ..ReadOptions::default() };
    let reader = AvroFormat::read([FileSource::bytes(file.clone())], options, reading).unwrap();
    reader.map(|batch| batch.unwrap().num_rows()).sum()
}

fn decode(c: &mut Criterion) {
    let files = files();
    for (group, columns) in [("decode", None), ("step over seven of eight", Some(["f7"]))] {
        let mut group = c.benchmark_group(group);
        for (name, file) in &files {
            group.throughput(Throughput::Bytes(file.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(name), file, |b, file| {
                b.iter(|| assert_eq!(rows(black_box(file), columns), ROWS as usize));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
