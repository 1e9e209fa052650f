//! Memory use on hostile files: a reader may take as much as its limits allow, and little more.
//!
//! There are two measures: live bytes of Rust code, which are exact, and the resident set of the process, which includes
//! C libraries.

use std::io::Write;

use arrowfeed_avro::{AvroFormat, AvroOptions, Codec, FeedErrorKind, FileSource, Limits, ReadOptions};

use crate::allocator::peak_of;
use crate::alone;
use crate::support_hostile::compress::{CODECS, compress, deflate};
use crate::support_hostile::container::{Container, SYNC, header_of};
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::read;
use crate::support_hostile::wire::{array, long, longs, string};

const MIB: usize = 1 << 20;

/// Memory that a reader may take in addition to its limits.
const MARGIN: usize = 64 * MIB;

/// Reads while measuring the peak of memory, which must be at most `most` bytes above the previous level.
#[track_caller]
fn within(most: usize, bytes: &[u8], limits: &Limits) -> Outcome {
    let options = AvroOptions { limits: limits.clone(), ..AvroOptions::default() };
    let resident = Resident::start();
    let (outcome, peak) = peak_of(|| read(bytes, &options));
    assert!(peak <= most, "{peak} live bytes, {most} allowed: {}", outcome.verdict());
    // A sanitizer keeps freed memory, to detect its use.
    let resident = if std::env::var_os("ARROWFEED_SANITIZED").is_some() { 0 } else { resident.peak() };
    assert!(resident <= most, "{resident} resident bytes, {most} allowed: {}", outcome.verdict());
    outcome
}

/// The resident set of the process and its peak, if the system provides them.
struct Resident {
    before: usize,
}

impl Resident {
    fn start() -> Self {
        // Resets the peak to the current level.
        let _ = std::fs::OpenOptions::new()
            .write(true)
            .open("/proc/self/clear_refs")
            .and_then(|mut f| f.write_all(b"5"));
        Self { before: status("VmRSS:") }
    }

    fn peak(&self) -> usize {
        status("VmHWM:").saturating_sub(self.before)
    }
}

fn status(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kib.unwrap_or(0) * 1024
}

/// Compressed data that expands to `bytes` zeros.
fn bomb(codec: Codec, bytes: usize) -> Vec<u8> {
    match codec {
        Codec::Null | Codec::Snappy => compress(codec, &vec![0; bytes]),
        Codec::Deflate => deflate(&vec![0; bytes]),
        // Several streams in sequence, all of which readers must read.
        Codec::Zstandard | Codec::Bzip2 | Codec::Xz => {
            let part = 16 * MIB;
            compress(codec, &vec![0; part]).repeat(bytes.div_ceil(part))
        }
    }
}

#[test]
fn a_bomb_of_any_codec_stops_at_the_limit_of_a_block() {
    let _alone = alone();
    for codec in CODECS.into_iter().filter(|codec| *codec != Codec::Null) {
        let limits = Limits::default();
        let data = bomb(codec, limits.decoded_block_bytes + 16 * MIB);
        let file = Container::new("\"bytes\"", codec).data(1, &data);
        let outcome = within(limits.decoded_block_bytes + MARGIN, &file.bytes, &limits);
        assert_eq!(outcome.fault.map(|fault| fault.limit), Some(Some("decoded_block_bytes")), "{codec:?}");
    }
}

#[test]
fn a_lower_limit_lowers_the_memory_of_a_bomb() {
    let _alone = alone();
    let limits = Limits { decoded_block_bytes: 2 * MIB, xz_memory_bytes: 8 * MIB, ..Limits::default() };
    for codec in CODECS.into_iter().filter(|codec| *codec != Codec::Null) {
        let file = Container::new("\"bytes\"", codec).data(1, &bomb(codec, 64 * MIB));
        let outcome = within(2 * MIB + 24 * MIB, &file.bytes, &limits);
        assert_eq!(outcome.fault.map(|fault| fault.limit), Some(Some("decoded_block_bytes")), "{codec:?}");
    }
}

#[test]
fn many_blocks_each_within_the_limit_do_not_add_up() {
    let _alone = alone();
    let limits = Limits { decoded_block_bytes: 16 * MIB, ..Limits::default() };
    // Each block is one string of nearly 16 MiB, and batches are cut at 16 MiB.
    let payload = string(&"\0".repeat(15 * MIB));
    for codec in [Codec::Deflate, Codec::Zstandard] {
        let file =
            Container::new(r#"{"type":"record","name":"R","fields":[{"name":"s","type":"string"}]}"#, codec);
        let file = (0..20).fold(file, |file, _| file.block(1, &payload));
        let limits = Limits { batch_bytes: 16 * MIB, ..limits.clone() };
        let options = AvroOptions { limits, ..AvroOptions::default() };
        let source = FileSource::bytes(file.bytes);
        let (rows, peak) = peak_of(|| {
            let reader = AvroFormat::read([source], options, ReadOptions::default()).unwrap();
            reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>()
        });
        assert_eq!(rows, 20);
        assert!(peak <= 32 * MIB + MARGIN, "{peak} live bytes");
    }
}

#[test]
fn a_length_that_lies_takes_no_memory() {
    let _alone = alone();
    let file = |schema: &str| Container::new(schema, Codec::Null);
    let huge = 1_i64 << 40;
    let array = |items: &str| format!(r#"{{"type":"array","items":{items}}}"#);
    let doubles = r#"{"type":"array","items":"double"}"#;
    let fields: Vec<String> = (0..1000).map(|i| format!(r#"{{"name":"f{i}","type":"long"}}"#)).collect();
    let wide = format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","));
    let files = [
        header_of(&longs([1, huge]), &SYNC),
        header_of(&longs([9_999, 0, huge]), &SYNC),
        header_of(&[longs([1, 11]), b"avro.schema".to_vec(), long(4 << 20)].concat(), &SYNC),
        file("\"long\"").framed(1, 255 << 20, &[0; 100]).bytes,
        file("\"long\"").framed(1, huge, &[0; 100]).bytes,
        file("\"long\"").block(huge, &[0; 100]).bytes,
        file("\"string\"").block(1, &long(huge)).bytes,
        file(doubles).block(1, &longs([huge, 0])).bytes,
        file(doubles).block(1, &longs([-(1 << 28), 1 << 31, 0])).bytes,
        file(&array("\"null\"")).block(1, &longs([huge, 0])).bytes,
        file(r#"{"type":"fixed","name":"F","size":268435456}"#).block(1, &[0; 100]).bytes,
        file("\"null\"").block(huge, &[]).bytes,
        file(&wide).block(huge, &[0; 100]).bytes,
        Container::new("\"bytes\"", Codec::Snappy).data(1, &[0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0]).bytes,
        // A zstandard frame that declares 200 MiB of content but has none.
        Container::new("\"bytes\"", Codec::Zstandard)
            .data(1, &[0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x80, 0x0c, 1, 0, 0])
            .bytes,
    ];
    for (i, bytes) in files.iter().enumerate() {
        let outcome = within(8 * MIB, bytes, &Limits::default());
        assert!(outcome.fault.is_some(), "file {i} was taken");
    }
}

#[test]
fn values_that_grow_in_arrow_stop_at_the_limit_of_a_batch() {
    let _alone = alone();
    let limits = Limits { decoded_block_bytes: 16 * MIB, batch_bytes: 32 * MIB, ..Limits::default() };
    // Nulls of a wide record: one byte each on the wire, and hundreds in Arrow.
    let fields: Vec<String> = (0..64).map(|i| format!(r#"{{"name":"f{i}","type":"double"}}"#)).collect();
    let wide = format!(r#"["null",{{"type":"record","name":"W","fields":[{}]}}]"#, fields.join(","));
    let rows = format!(r#"{{"type":"record","name":"R","fields":[{{"name":"w","type":{wide}}}]}}"#);
    let items = format!(r#"{{"type":"array","items":{wide}}}"#);
    let nulls = 4 << 20;
    let many = array(&vec![vec![0]; nulls / 256]).repeat(256);
    let array = array(&vec![vec![0]; nulls]);
    let files = [
        Container::new(&rows, Codec::Deflate).block(nulls as i64, &vec![0; nulls]).bytes,
        Container::new(&items, Codec::Deflate).block(1, &array).bytes,
        // Each array takes a quarter of a batch.
        Container::new(&items, Codec::Deflate).block(256, &many).bytes,
    ];
    for (i, bytes) in files.into_iter().enumerate() {
        let options = AvroOptions { limits: limits.clone(), ..AvroOptions::default() };
        let source = FileSource::bytes(bytes);
        let (fault, peak) = peak_of(|| {
            let mut reader = AvroFormat::read([source], options, ReadOptions::default()).unwrap();
            reader.find_map(Result::err).map(|error| error.limit())
        });
        // Rows are returned in batches; a single row that is larger than a batch is rejected.
        let expected = if i == 1 { Some(Some("batch_bytes")) } else { None };
        assert_eq!(fault, expected, "file {i}");
        let most = limits.decoded_block_bytes + limits.batch_bytes + MARGIN;
        assert!(peak <= most, "file {i}: {peak} live bytes, {most} allowed");
    }
}

#[test]
fn schemas_that_are_large_or_deep_take_little() {
    let _alone = alone();
    let file = |schema: &str| Container::new(schema, Codec::Null).data(0, &[]).bytes;
    let limits = Limits::default();
    let most = 4 * limits.schema_bytes + MARGIN;
    for schema in
        ["[".repeat(4 << 20), "{\"type\":".repeat(100_000), "[0,".repeat(1_000_000), "[[],".repeat(1_000_000)]
    {
        let outcome = within(most, &file(&schema), &limits);
        let kind = outcome.fault.map(|fault| fault.kind);
        assert!(matches!(kind, Some(FeedErrorKind::Schema | FeedErrorKind::Limit)));
    }
    let numbers = format!("[{}0]", "0,".repeat(2 << 20).trim_end());
    let outcome = within(256 * MIB, &file(&numbers[..4 << 20]), &limits);
    assert!(outcome.fault.is_some());
}
