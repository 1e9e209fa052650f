//! Tests of errors while rows are read: damaged bytes, failed reads and changes of the file are told apart.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, cast::AsArray};
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::{ByteSource, FileSource, FileVersion};
use arrowfeed_source::run::{FileSet, ReadOptions};
use arrowfeed_source::{Check, FeedErrorKind, OnError};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::support::{hide_panics_of_dependencies, open, read};

const GROUP: i64 = 100;

/// Four row groups of 100 rows: a number and a list of numbers, without dictionaries.
fn file(compression: Compression) -> Vec<u8> {
    let rows = 0..4 * GROUP;
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone()));
    let lists = rows
        .map(|row| Some((0..3).map(|item| Some(row.wrapping_mul(0x9e37_79b9) ^ item)).collect::<Vec<_>>()));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
    let batch = RecordBatch::try_from_iter([("id", ids), ("list", lists)]).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(GROUP as usize))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn offsets(files: &FileSet) -> Vec<u64> {
    let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
    chunks.iter().map(|chunk| chunk.offset).collect()
}

fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch["id"].as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn damaged_pages_of_lists_are_damaged_row_groups_with_every_codec() {
    hide_panics_of_dependencies();
    let codecs = [
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ];
    for codec in codecs {
        let mut bytes = file(codec);
        let offsets = offsets(&open([bytes.clone()], ParquetOptions::default()).unwrap());
        // The list is the second column of the row group, so its page ends there.
        let end = offsets[2] as usize;
        bytes[end - 300..end].fill(0xff);
        let opened = || open([bytes.clone()], ParquetOptions::default()).unwrap();
        let (before, error) = read(opened(), 100, 1, OnError::Raise);
        let error = error.unwrap();
        assert_eq!(ids(&before), (0..GROUP).collect::<Vec<_>>());
        assert_eq!(error.kind(), FeedErrorKind::CorruptBlock, "{codec}: {error}");
        assert!(error.is_damage());
        assert_eq!((error.location().block, error.location().field.as_deref()), (Some(1), Some("list")));
        for threads in [1, 2] {
            let (kept, error) = read(opened(), 100, threads, OnError::SkipBlock);
            assert!(error.is_none(), "{codec}: {error:?}");
            assert_eq!(ids(&kept), (0..GROUP).chain(2 * GROUP..4 * GROUP).collect::<Vec<_>>());
        }
    }
}

/// A file on a store that fails: reads of pages are errors once `fails` is set, those of two threads at the same time.
#[derive(Debug)]
struct Failing {
    bytes: Vec<u8>,
    pages: u64,
    fails: Arc<AtomicBool>,
    failed: AtomicUsize,
}

impl ByteSource for Failing {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        if self.fails.load(Ordering::SeqCst) && offset < self.pages {
            self.failed.fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while self.failed.load(Ordering::SeqCst) < 2 && start.elapsed() < Duration::from_millis(20) {
                std::thread::yield_now();
            }
            return Err(io::Error::other("the network is down"));
        }
        let from = &self.bytes[(offset as usize).min(self.bytes.len())..];
        let found = into.len().min(from.len());
        into[..found].copy_from_slice(&from[..found]);
        Ok(found)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.bytes.len() as u64))
    }
}

#[test]
fn a_failed_read_of_one_thread_is_not_damage_of_another() {
    let bytes = file(Compression::UNCOMPRESSED);
    let chunks = offsets(&open([bytes.clone()], ParquetOptions::default()).unwrap());
    for run in 0..30 {
        let fails = Arc::new(AtomicBool::new(false));
        let pages = chunks[3] + 1;
        let source =
            Failing { bytes: bytes.clone(), pages, fails: fails.clone(), failed: AtomicUsize::new(0) };
        let source = FileSource::from_source("remote", source);
        let files = ParquetFormat::files([source], ParquetOptions::default(), None).unwrap();
        fails.store(true, Ordering::SeqCst);
        let on_error = if run % 2 == 0 { OnError::SkipBlock } else { OnError::Raise };
        let threads = 2.try_into().ok();
        let options = ReadOptions { batch_size: Some(50), threads, on_error, ..Default::default() };
        let mut reader = files.read_files(options).unwrap();
        let error = reader.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Io, "{error}");
        assert_eq!(error.to_string(), "remote: block 0 at byte 4: the network is down");
        assert!(reader.report().skipped.is_empty());
    }
}

/// A file whose bytes change, but not its version.
#[derive(Debug)]
struct Changing {
    before: Vec<u8>,
    after: Vec<u8>,
    has_changed: Arc<AtomicBool>,
}

impl ByteSource for Changing {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let bytes = if self.has_changed.load(Ordering::SeqCst) { &self.after } else { &self.before };
        let from = &bytes[(offset as usize).min(bytes.len())..];
        let found = into.len().min(from.len());
        into[..found].copy_from_slice(&from[..found]);
        Ok(found)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.before.len() as u64))
    }
}

#[test]
fn damage_in_a_file_with_another_footer_is_a_change_of_the_file() {
    hide_panics_of_dependencies();
    let before = file(Compression::SNAPPY);
    let mut other_footer = vec![0xff; before.len()];
    let footer = before.len() - 200;
    other_footer[footer..].copy_from_slice(&before[footer..]);
    let changes = [
        (
            vec![0; before.len()],
            "a: block 1 at byte 2,036: expected the file to be unchanged since it was opened: expected a Parquet \
             file, which ends with \"PAR1\", found the bytes 00 00 00 00 00 00 00 00 at its end",
        ),
        (
            other_footer,
            "a: block 1 at byte 2,036: expected the file to be unchanged since it was opened (footer checksum ",
        ),
    ];
    for (after, expected) in changes {
        let has_changed = Arc::new(AtomicBool::new(false));
        let source = Changing { before: before.clone(), after, has_changed: has_changed.clone() };
        let source = FileSource::from_source("a", source);
        let files = ParquetFormat::files([source], ParquetOptions::default(), None).unwrap();
        let threads = 1.try_into().ok();
        let options = ReadOptions { batch_size: Some(50), threads, ..Default::default() };
        let mut reader = files.read_files(options).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().num_rows(), 50);
        has_changed.store(true, Ordering::SeqCst);
        let error = reader.find_map(Result::err).unwrap();
        assert_eq!(error.kind(), FeedErrorKind::Changed, "{error}");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
