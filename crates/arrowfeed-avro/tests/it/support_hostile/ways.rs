//! Reading of the same bytes through every entry point of the reader.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arrowfeed_avro::{AvroFormat, AvroHeader, AvroOptions, FileSource, RangeOptions, ReadOptions};

use super::outcome::{Fault, Outcome};

/// Reads `bytes` from memory, from a file, one byte at a time, in threads and by splits. Checks that all give the same rows
/// and then the same fault, and returns them.
pub(crate) fn read_every_way(bytes: &[u8], options: &AvroOptions) -> Outcome {
    read_every_way_with(bytes, options, &ReadOptions::default())
}

/// Like [`read_every_way`], with options of reading other than the number of threads.
pub(crate) fn read_every_way_with(bytes: &[u8], options: &AvroOptions, reading: &ReadOptions) -> Outcome {
    let options = &(options, reading);
    let whole = read_sources([FileSource::bytes(bytes.to_vec())], options, 1);
    let file = TemporaryFile::new(bytes);
    agree("file", &whole, &read_sources([&*file.path], options, 1));
    let stream = FileSource::reader("stream", ByteByByte::new(bytes));
    agree("byte by byte", &whole, &read_sources([stream], options, 1));
    in_threads(bytes, options, &whole);
    let len = bytes.len() as u64;
    // Each split opens the file, so only small files are cut everywhere.
    for target in [len / 3 + 1, 19.max(len / 40)] {
        by_splits(&file.path, target, options, &whole);
    }
    header_agrees(bytes, options.0, &whole);
    whole
}

/// Reads `bytes` from memory in this thread.
pub(crate) fn read(bytes: &[u8], options: &AvroOptions) -> Outcome {
    let options = (options, &ReadOptions::default());
    read_sources([FileSource::bytes(bytes.to_vec())], &options, 1)
}

/// The options of the format and those of reading.
type Options<'a> = (&'a AvroOptions, &'a ReadOptions);

fn read_sources(
    sources: impl IntoIterator<Item: Into<FileSource>>,
    &(options, reading): &Options<'_>,
    threads: usize,
) -> Outcome {
    let reading = ReadOptions { threads: NonZeroUsize::new(threads), ..reading.clone() };
    Outcome::of(AvroFormat::read(sources, options.clone(), reading))
}

#[track_caller]
fn agree(way: &str, expected: &Outcome, found: &Outcome) {
    assert_eq!(found.verdict(), expected.verdict(), "{way}");
    assert_eq!(found.fault, expected.fault, "{way}");
    assert_eq!(found.rows(), expected.rows(), "{way}");
    assert!(found.table() == expected.table(), "{way}: other rows");
}

/// A single small file starts no threads, so the file is read twice, unless it fails the first time.
fn in_threads(bytes: &[u8], options: &Options<'_>, whole: &Outcome) {
    let sources = [(); 2].map(|()| FileSource::bytes(bytes.to_vec()));
    let found = read_sources(sources, options, 2);
    let mut expected = whole.clone();
    if whole.fault.is_none() {
        expected.batches.extend(whole.batches.clone());
    }
    agree("two threads", &expected, &found);
}

fn by_splits(path: &Path, target: u64, options: &Options<'_>, whole: &Outcome) {
    let files = AvroFormat::files([path], options.0.clone(), None);
    let (files, splits) =
        match files.and_then(|files| files.splits(target, None).map(|splits| (files, splits))) {
            Ok(found) => found,
            Err(error) => return assert_eq!(Some(Fault::from(&error)), whole.fault, "splits"),
        };
    let mut found = Outcome::default();
    for split in &splits {
        let ReadOptions { batch_size, on_error, .. } = *options.1;
        let range_options = RangeOptions { batch_size, on_error, ..RangeOptions::default() };
        let part = Outcome::of(files.read_split(split, None, range_options));
        found.batches.extend(part.batches);
        if part.fault.is_some() {
            found.fault = part.fault.map(Fault::without_block);
            break;
        }
    }
    // A file without blocks has no splits, so recursive columns of its schema are no error.
    if !splits.is_empty() {
        let mut expected = whole.clone();
        expected.fault = expected.fault.map(Fault::without_block);
        agree(&format!("splits of {target} bytes"), &expected, &found);
    }
}

/// Checks that the header and its row count agree with the result of reading.
fn header_agrees(bytes: &[u8], options: &AvroOptions, whole: &Outcome) {
    let header = match AvroHeader::read(FileSource::bytes(bytes.to_vec()), &options.limits) {
        Ok(header) => header,
        Err(error) => return assert_eq!(Some(Fault::from(&error)), whole.fault, "header"),
    };
    match (header.count_rows(), &whole.fault) {
        (Ok(rows), None) => assert_eq!(rows, whole.rows() as u64, "declared rows"),
        (Ok(rows), Some(_)) => assert!(rows >= whole.rows() as u64, "declared rows"),
        // Counting rows does not check their data, so reading may find another fault before this one.
        (Err(error), Some(fault)) => {
            let counting = Fault::from(&error);
            assert!(counting == *fault || counting.block > fault.block, "{counting} but {fault}");
        }
        (Err(error), None) => panic!("counting found {error}, reading nothing"),
    }
}

/// A stream that returns one byte at a time, and is interrupted before each.
#[derive(Debug)]
pub(crate) struct ByteByByte {
    rest: io::Cursor<Vec<u8>>,
    interrupted: bool,
}

impl ByteByByte {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { rest: io::Cursor::new(bytes.to_vec()), interrupted: false }
    }
}

impl Read for ByteByByte {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = into.len().min(1);
        self.rest.read(&mut into[..n])
    }
}

/// A file that is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    pub(crate) path: PathBuf,
}

impl TemporaryFile {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let file = Self { path: temporary_path() };
        std::fs::write(&file.path, bytes).unwrap();
        file
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Some tests have already removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An unused path.
pub(crate) fn temporary_path() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("arrowfeed-hostile-{}-{number}.avro", std::process::id()))
}
