//! Interrupts: work over much input polls often whether the caller wants to stop.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, ThreadId};

use arrowfeed_avro::{
    AvroFormat, AvroHeader, AvroOptions, Codec, FeedError, FeedErrorKind, FileReader, FileSource, Interrupt,
    Limits, OnError, RangeOptions, ReadOptions,
};
use arrowfeed_source::Check;

use crate::support::open::open_with;
use crate::support_hostile::container::{Container, SYNC, header_of};
use crate::support_hostile::ways::TemporaryFile;
use crate::support_hostile::wire::{bytes, long, longs};

const MIB: u64 = 1 << 20;

/// Maximum number of bytes of a file that may be read between two polls: one read, and one window of a search.
const MAX: u64 = 3 * MIB;

/// Zeros after the bytes of a file, all of which a search goes through.
const ZEROS: u64 = 48 * MIB;

/// Counts the polls and the bytes that the caller's thread reads between two of them, and stops at one of them.
///
/// A decoder thread does not poll: the reader stops it through a flag, and its reads are not counted.
struct Meter {
    caller: ThreadId,
    since: AtomicU64,
    most: AtomicU64,
    asked: AtomicU64,
    stop_at: u64,
}

impl Meter {
    fn stopping_at(stop_at: u64) -> Arc<Self> {
        let [since, most, asked] = [const { AtomicU64::new(0) }; 3];
        Arc::new(Self { caller: thread::current().id(), since, most, asked, stop_at })
    }

    fn interrupt(self: &Arc<Self>) -> Interrupt {
        let meter = self.clone();
        Arc::new(move || {
            meter.most.fetch_max(meter.since.swap(0, Relaxed), Relaxed);
            meter.asked.fetch_add(1, Relaxed) + 1 == meter.stop_at
        })
    }
}

/// A file of some bytes followed by zeros, whose reads are counted.
struct Metered {
    bytes: Cursor<Vec<u8>>,
    len: u64,
    meter: Arc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(self.bytes.position())).unwrap();
        let n = into.len().min(left);
        let found = self.bytes.read(&mut into[..n])?;
        into[found..n].fill(0);
        self.bytes.set_position(self.bytes.position() + (n - found) as u64);
        if thread::current().id() == self.meter.caller {
            self.meter.since.fetch_add(n as u64, Relaxed);
        }
        Ok(n)
    }
}

impl Seek for Metered {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => offset,
            SeekFrom::End(offset) => self.len.saturating_add_signed(offset),
            SeekFrom::Current(offset) => self.bytes.position().saturating_add_signed(offset),
        };
        self.bytes.set_position(position);
        Ok(position)
    }
}

fn metered(bytes: &[u8], zeros: u64, meter: &Arc<Meter>) -> FileSource {
    let len = bytes.len() as u64 + zeros;
    FileSource::seekable("metered", Metered { bytes: Cursor::new(bytes.to_vec()), len, meter: meter.clone() })
}

fn reading(meter: &Arc<Meter>, on_error: OnError) -> ReadOptions {
    let (threads, interrupt) = (Some(NonZeroUsize::MIN), Some(meter.interrupt()));
    ReadOptions { on_error, threads, interrupt, ..ReadOptions::default() }
}

fn all(reader: FileReader) -> Result<usize, FeedError> {
    reader.map(|batch| batch.map(|batch| batch.num_rows())).sum()
}

fn longs_file() -> Container {
    Container::new("\"long\"", Codec::Null).block(3, &longs(0..3))
}

/// A file with a header of 12 MiB.
fn long_header() -> Vec<u8> {
    let value = vec![b'x'; 12 << 20];
    let entries = [long(2), bytes(b"avro.schema"), bytes(b"\"long\""), bytes(b"k"), bytes(&value), vec![0]];
    header_of(&entries.concat(), &SYNC)
}

/// An operation that goes through much input.
type Work = fn(&Arc<Meter>) -> Result<usize, FeedError>;

const WORKS: [(&str, Work); 9] = [
    ("a header", |meter| all(open_with(metered(&long_header(), 0, meter), reading(meter, OnError::Raise))?)),
    ("the search for the next block", |meter| {
        let file = longs_file().raw(&[0]);
        all(open_with(metered(&file.bytes, ZEROS, meter), reading(meter, OnError::SkipBlock))?)
    }),
    ("the search for the first and last block of a range", |meter| {
        let source = metered(&longs_file().bytes, ZEROS, meter);
        let interrupt = meter.interrupt();
        let files = AvroFormat::files([source], AvroOptions::default(), Some(&interrupt))?;
        let on_error = OnError::SkipBlock;
        let options = RangeOptions { on_error, interrupt: Some(interrupt), ..RangeOptions::default() };
        all(files.read_range(1000..40 * MIB, options)?)
    }),
    ("a large block", |meter| {
        let file = Container::new("\"bytes\"", Codec::Null).block(1, &bytes(&vec![7; 30 << 20]));
        all(open_with(metered(&file.bytes, 0, meter), reading(meter, OnError::Raise))?)
    }),
    ("many blocks without rows", |meter| {
        let file = (0..600_000).fold(longs_file(), |file, _| file.block(0, &[]));
        all(open_with(metered(&file.bytes, 0, meter), reading(meter, OnError::Raise))?)
    }),
    ("the plan of units for threads", |meter| {
        let file = (0..600_000).fold(longs_file(), |file, _| file.block(0, &[]));
        let reading = ReadOptions { threads: NonZeroUsize::new(2), ..reading(meter, OnError::Raise) };
        all(open_with(metered(&file.bytes, 0, meter), reading)?)
    }),
    ("the index of a file with a fault", |meter| {
        let source = metered(&longs_file().raw(&[0]).bytes, ZEROS, meter);
        let files = AvroFormat::files([source], AvroOptions::default(), None)?;
        let (blocks, _) = files.chunks(0, OnError::SkipBlock, &Check::of(Some(&meter.interrupt())))?;
        Ok(blocks.iter().map(|block| block.rows as usize).sum())
    }),
    ("the count of rows", |meter| {
        let file = (0..600_000).fold(longs_file(), |file, _| file.block(0, &[]));
        let header = AvroHeader::read(metered(&file.bytes, 0, meter), &Limits::default())?;
        Ok(header.count_rows_with(Some(&meter.interrupt()))? as usize)
    }),
    ("many files that cannot be opened", |meter| {
        let none = std::iter::repeat_with(|| FileSource::bytes(Vec::<u8>::new())).take(2000);
        let files = none.chain([metered(&longs_file().bytes, 0, meter)]);
        all(AvroFormat::read(files, AvroOptions::default(), reading(meter, OnError::SkipFile))?)
    }),
];

#[test]
fn all_work_over_input_asks_often() {
    for (what, work) in WORKS {
        let meter = Meter::stopping_at(0);
        let rows = work(&meter).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(rows <= 3, "{what}");
        let most = meter.most.load(Relaxed).max(meter.since.load(Relaxed));
        let asked = meter.asked.load(Relaxed);
        assert!(most <= MAX, "{what}: {most} bytes without a question");
        assert!(asked >= 8, "{what}: {asked} questions");
    }
}

#[test]
fn all_work_over_input_stops_when_cancelled() {
    for (what, work) in WORKS {
        for stop_at in [1, 2, 5, 8] {
            let meter = Meter::stopping_at(stop_at);
            let error = work(&meter).unwrap_err();
            assert_eq!(error.kind(), FeedErrorKind::Interrupted, "{what}: {error}");
            assert_eq!(error.message(), "the caller asked to stop", "{what}");
            assert_eq!(meter.asked.load(Relaxed), stop_at, "{what} goes on after question {stop_at}");
        }
    }
}

#[test]
fn a_long_block_of_any_codec_asks_while_it_is_decoded() {
    let payload = longs(0..2_000_000);
    let questions = |codec| {
        let file = Container::new("\"long\"", codec).block(2_000_000, &payload);
        let meter = Meter::stopping_at(0);
        let source = FileSource::bytes(file.bytes);
        let reader = open_with(source, reading(&meter, OnError::Raise)).unwrap();
        assert_eq!(all(reader).unwrap(), 2_000_000);
        meter.asked.load(Relaxed)
    };
    for codec in [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard] {
        assert!(questions(codec) > 30, "{codec:?}");
    }
    // Slow codecs poll more often.
    for codec in [Codec::Bzip2, Codec::Xz] {
        assert!(questions(codec) > 50, "{codec:?}");
    }
}

#[test]
fn the_search_for_a_fault_in_a_block_asks() {
    let payload = [longs(0..1_000_000), vec![0xff; 11]].concat();
    let file = Container::new("\"long\"", Codec::Null).block(1_000_001, &payload).bytes;
    let counted = Meter::stopping_at(0);
    let read = |meter| {
        let source = FileSource::bytes(file.clone());
        all(open_with(source, reading(meter, OnError::Raise)).unwrap())
    };
    assert_eq!(read(&counted).unwrap_err().kind(), FeedErrorKind::CorruptBlock);
    let last = counted.asked.load(Relaxed);
    assert!(last > 60, "{last} questions");
    assert_eq!(read(&Meter::stopping_at(last - 1)).unwrap_err().kind(), FeedErrorKind::Interrupted);
}

#[test]
fn rows_and_elements_without_bytes_ask() {
    let empty =
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"null"},{"name":"b","type":"null"}]}"#;
    let rows = Container::new(empty, Codec::Null).block(100_000_000, &[]);
    let lists = |items: &str| {
        let list = [long(10_000_000), vec![0]].concat();
        let file = Container::new(&format!(r#"{{"type":"array","items":{items}}}"#), Codec::Null);
        file.block(5000, &list.repeat(5000))
    };
    let nested = (0..12).fold("\"null\"".to_owned(), |inner, n| {
        format!(r#"{{"type":"record","name":"R{n}","fields":[{{"name":"f","type":{inner}}}]}}"#)
    });
    let fixed = lists(r#"{"type":"fixed","name":"F","size":0}"#);
    for (file, skipped) in [(&rows, false), (&rows, true), (&fixed, false), (&lists(&nested), true)] {
        for stop_at in [2, 5, 40] {
            let meter = Meter::stopping_at(stop_at);
            let columns = skipped.then(Vec::new);
            let options = AvroOptions { columns, ..AvroOptions::default() };
            let source = FileSource::bytes(file.bytes.clone());
            let reader = AvroFormat::read([source], options, reading(&meter, OnError::Raise)).unwrap();
            let error = all(reader).unwrap_err();
            assert_eq!(error.kind(), FeedErrorKind::Interrupted, "{error}");
            assert_eq!(meter.asked.load(Relaxed), stop_at);
        }
    }
}

#[test]
fn an_interrupted_reader_comes_before_batches_that_wait_and_ends() {
    let file = (0..9).fold(Container::new("\"long\"", Codec::Null), |file, _| file.block(3, &longs(0..3)));
    let meter = Meter::stopping_at(4);
    let reading = reading(&meter, OnError::SkipBlock);
    let mut reader = open_with(FileSource::bytes(file.bytes), reading).unwrap();
    let error = reader.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the caller asked to stop");
    assert!(reader.next().is_none());
}

#[test]
fn threads_that_search_end_when_their_reader_is_closed() {
    let meter = Meter::stopping_at(0);
    let source = metered(&longs_file().raw(&[0]).bytes, 1 << 50, &meter);
    let (batch_size, threads) = (Some(3), NonZeroUsize::new(2));
    let reading = ReadOptions { batch_size, threads, ..reading(&meter, OnError::SkipBlock) };
    let mut reader = open_with(source, reading).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().num_rows(), 3);
    // The threads would search the rest of the file for days.
    reader.close();
}

#[test]
fn a_plan_of_splits_stops_between_files() {
    let file = TemporaryFile::new(&longs_file().bytes);
    let meter = Meter::stopping_at(3);
    let files = AvroFormat::files([&file.path; 5], AvroOptions::default(), None).unwrap();
    let error = files.splits(64, Some(&meter.interrupt())).unwrap_err();
    assert_eq!((error.kind(), meter.asked.load(Relaxed)), (FeedErrorKind::Interrupted, 3));
}
