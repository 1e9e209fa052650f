//! Splits whose blocks are claimed one at a time: each is claimed once, and refused blocks are left to other readers.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::error::Error;
use std::io::Cursor;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrowfeed_avro::{
    AvroFormat, AvroOptions, FeedErrorKind, FileReader, FileSource, OnError, RangeOptions, Report, Split,
};
use proptest::prelude::*;

use super::faults::damaged;
use crate::support::batches;
use crate::support::case::{assert_rows, cases, config, read, read_all};
use crate::support::shapes::Kinds;

type Answer = Result<bool, Box<dyn Error + Send + Sync>>;

/// A claim that is granted `times` times, and a log of the claimed offsets.
fn granted(times: usize) -> (Arc<Mutex<Vec<u64>>>, impl FnMut(u64) -> Answer + Send + 'static) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let claim = move |offset| {
        let mut log = log.lock().unwrap();
        log.push(offset);
        Ok(log.len() <= times)
    };
    (asked, claim)
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn a_split_ends_at_the_first_block_that_is_not_claimed(case in cases(Kinds::All)) {
        let (bytes, starts) = case.file.bytes_and_blocks();
        let wanted = case.seed.clone().below(starts.len() + 1);
        let rows: u64 = case.file.blocks[..wanted].iter().map(|block| block.count).sum();
        let range = 0..bytes.len() as u64;
        for source in [FileSource::bytes(bytes.clone()), FileSource::seekable("file", Cursor::new(bytes))] {
            let (asked, claim) = granted(wanted);
            let options = RangeOptions { claim: Some(Box::new(claim)), ..case.range_options() };
            let batches = read_all(case.files(source).read_range(range.clone(), options));
            assert_rows(&batches, &case.cells()[..rows as usize]);
            prop_assert_eq!(&asked.lock().unwrap()[..], &starts[..starts.len().min(wanted + 1)]);
        }
    }

    /// The reader of a range may have its end taken over by another reader at any time. Each fault of the file is reported once.
    #[test]
    fn two_who_claim_up_to_a_cut_and_from_it_on_have_each_block_once(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let case = if seed.one_in(2) { damaged(case).0 } else { case };
        let (mut bytes, starts) = case.file.bytes_and_blocks();
        if seed.one_in(2) {
            let end = starts.get(1 + seed.below(starts.len())).map_or(bytes.len(), |next| *next as usize);
            bytes[end - 1] ^= 1;
        }
        let len = bytes.len() as u64;
        let open = |claim, range| {
            let options = RangeOptions { on_error: OnError::SkipBlock, claim, ..case.range_options() };
            all(case.files(FileSource::bytes(bytes.clone())).read_range(range, options).unwrap())
        };
        let (expected, report) = open(None, 0..len);
        let cuts = (0..4).map(|_| seed.below(bytes.len() + 1) as u64).collect::<Vec<_>>();
        for cut in cuts.into_iter().chain(starts) {
            let (mut found, first) = open(Some(Box::new(move |offset| Ok(offset < cut))), 0..len);
            let (rest, second) = open(Some(Box::new(|_| Ok(true))), cut..len);
            found.extend(rest);
            prop_assert!(found == expected);
            let skipped = |reports: &[&Report]| {
                let skipped = reports.iter().flat_map(|report| &report.skipped);
                skipped.map(|skipped| (skipped.offset, skipped.rows)).collect::<Vec<_>>()
            };
            prop_assert_eq!(skipped(&[&first, &second]), skipped(&[&report]), "cut at {}", cut);
            prop_assert_eq!(first.blocks + second.blocks, report.blocks);
            prop_assert_eq!(first.bytes + second.bytes, report.bytes);
        }
    }

    #[test]
    fn a_claim_that_fails_ends_the_split_with_its_own_error(case in cases(Kinds::All)) {
        let (bytes, starts) = case.file.bytes_and_blocks();
        let failing = case.seed.clone().below(starts.len());
        let rows: u64 = case.file.blocks[..failing].iter().map(|block| block.count).sum();
        for on_error in [OnError::Raise, OnError::SkipBlock, OnError::SkipFile] {
            let bad = starts[failing];
            let claim = move |offset| if offset == bad { Err("no more".into()) } else { Ok(true) };
            let options = RangeOptions { on_error, claim: Some(Box::new(claim)), ..case.range_options() };
            let source = FileSource::seekable("file", Cursor::new(bytes.clone()));
            let (batches, error) = read(case.files(source).read_range(0..bytes.len() as u64, options));
            assert_rows(&batches, &case.cells()[..rows as usize]);
            let error = error.unwrap();
            prop_assert_eq!(error.kind(), FeedErrorKind::Interrupted);
            prop_assert_eq!(error.source().unwrap().to_string(), "no more");
            let expected = "file: expected a result of the claim function, found an error: no more";
            prop_assert_eq!(error.to_string(), expected);
        }
    }
}

/// The rows of a reader that must not fail, and its report.
fn all(mut reader: FileReader) -> (Vec<impl PartialEq>, Report) {
    let batches: Vec<RecordBatch> = reader.by_ref().map(Result::unwrap).collect();
    (batches::rows(&batches), reader.report())
}

#[test]
fn a_stream_has_no_ranges() {
    let stream = FileSource::reader("pipe", Cursor::new(std::fs::read(EXAMPLE).unwrap()));
    let files = AvroFormat::files([EXAMPLE], AvroOptions::default(), None).unwrap();
    let split = Split::new(EXAMPLE, 0, 100);
    let error = files.read_split(&split, Some(stream), RangeOptions::default()).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Options);
    let expected = "pipe: expected a seekable file or bytes, found a stream";
    assert_eq!(error.to_string(), expected);
}

/// A file object may become shorter while it is read. Nothing else would tell that rows are missing.
#[test]
fn a_seekable_file_that_gets_shorter_has_changed() {
    use std::io::{Read, Seek, SeekFrom};
    struct Shrinking(Cursor<Vec<u8>>, Arc<Mutex<bool>>);
    impl Read for Shrinking {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(into)
        }
    }
    impl Seek for Shrinking {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            let end = self.0.get_ref().len() as u64 - u64::from(*self.1.lock().unwrap());
            self.0.seek(if to == SeekFrom::End(0) { SeekFrom::Start(end) } else { to })
        }
    }
    let bytes = std::fs::read(EXAMPLE).unwrap();
    let (len, shorter) = (bytes.len(), Arc::new(Mutex::new(false)));
    let source = FileSource::seekable("file", Shrinking(Cursor::new(bytes), shorter.clone()));
    let files = AvroFormat::files([source], AvroOptions::default(), None).unwrap();
    let mut reader = files.read_range(0..u64::MAX, RangeOptions::default()).unwrap();
    *shorter.lock().unwrap() = true;
    let error = reader.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), FeedErrorKind::Changed);
    let expected = format!(
        "file: expected the file to be unchanged since it was opened ({len} bytes), found it changed ({} bytes)",
        len - 1
    );
    assert_eq!(error.to_string(), expected);
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.avro");
