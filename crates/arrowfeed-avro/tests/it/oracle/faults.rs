//! Damaged blocks: lost rows, reported errors, and their independence of the way of reading.

use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroFormat, Codec, FeedError, FeedErrorKind, FileSource, OnError, ReadOptions};
use proptest::prelude::*;

use super::sources::{OneByte, assert_same};
use crate::support::batches;
use crate::support::case::{Case, assert_rows, cases, cases_with, config, read};
use crate::support::file::{Block, TempFile};
use crate::support::shapes::Kinds;
use crate::support::value::Value;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn a_bad_block_gives_no_row_and_those_before_it_come_first(case in cases(Kinds::All)) {
        let (case, bad, _) = damaged(case);
        let (batches, error) = read(case.open());
        let error = error.unwrap();
        prop_assert_eq!(error.location().block, Some(bad as u64));
        prop_assert_eq!(error.kind(), FeedErrorKind::CorruptBlock);
        let before: u64 = case.file.blocks[..bad].iter().map(|block| block.count).sum();
        assert_rows(&batches, &case.cells()[..before as usize]);
    }

    #[test]
    fn skip_block_loses_the_rows_of_the_bad_block_alone(case in cases(Kinds::All)) {
        let (case, bad, lost) = damaged(case);
        let (_, starts) = case.file.bytes_and_blocks();
        let before: u64 = case.file.blocks[..bad].iter().map(|block| block.count).sum();
        let (before, after) = (before as usize, (before + lost) as usize);
        let kept: Vec<Vec<Value>> = [&case.cells()[..before], &case.cells()[after..]].concat();
        let reading = ReadOptions { on_error: OnError::SkipBlock, ..case.reading() };
        let mut reader = case.open_with(reading).unwrap();
        let batches: Vec<RecordBatch> = reader.by_ref().map(Result::unwrap).collect();
        assert_rows(&batches, &kept);
        let report = reader.report();
        let [skipped] = report.skipped.as_slice() else { panic!("{report:?}") };
        let block = &case.file.blocks[bad];
        prop_assert_eq!(skipped.block, Some(bad as u64));
        prop_assert_eq!(skipped.offset, Some(starts[bad]));
        prop_assert_eq!(skipped.rows, Some(block.count));
        prop_assert_eq!(report.rows, kept.len() as u64);
        prop_assert_eq!(report.blocks, case.file.blocks.len() as u64 - 1);
        // The error is the one that is raised without `SkipBlock`.
        let (_, error) = read(case.open());
        prop_assert_eq!(&skipped.error, &error.unwrap().to_string());
    }

    /// The block after it is lost as well, because only the marker shows where that block starts.
    #[test]
    fn skip_block_goes_on_behind_the_next_marker_when_one_is_wrong(case in cases(Kinds::All)) {
        let (mut bytes, starts) = case.file.bytes_and_blocks();
        let bad = case.seed.clone().below(starts.len());
        let end = starts.get(bad + 1).map_or(bytes.len(), |next| *next as usize);
        bytes[end - 1] ^= 1;
        let rows = |blocks: &[Block]| blocks.iter().map(|block| block.count).sum::<u64>() as usize;
        let (before, lost) = (rows(&case.file.blocks[..bad]), rows(&case.file.blocks[bad..starts.len().min(bad + 2)]));
        let kept: Vec<Vec<Value>> = [&case.cells()[..before], &case.cells()[before + lost..]].concat();
        for threads in 1..=3 {
            let threads = NonZeroUsize::new(threads);
            let reading = ReadOptions { on_error: OnError::SkipBlock, threads, ..case.reading() };
            let source = FileSource::bytes(bytes.clone());
            let mut reader = AvroFormat::read([source], case.options(), reading).unwrap();
            let batches: Vec<RecordBatch> = reader.by_ref().map(Result::unwrap).collect();
            assert_rows(&batches, &kept);
            let report = reader.report();
            let [skipped] = report.skipped.as_slice() else { panic!("{report:?}") };
            prop_assert_eq!((skipped.block, skipped.offset), (Some(bad as u64), Some(starts[bad])));
            prop_assert_eq!((skipped.rows, report.rows), (None, kept.len() as u64));
        }
    }

    #[test]
    fn errors_and_rows_are_the_same_for_every_source_and_any_threads(case in cases(Kinds::All)) {
        let (case, ..) = damaged(case);
        let bytes = case.file.bytes();
        let file = TempFile::with(&bytes);
        let (expected, error) = read(case.open());
        let error = error.unwrap();
        let stream = FileSource::reader("stream", OneByte(std::io::Cursor::new(bytes)));
        for reader in [case.open_source(file.path()), case.open_source(stream)] {
            let (batches, found) = read(reader);
            assert_same(&batches, &expected);
            assert_same_error(&found.unwrap(), &error);
        }
        let mut good = case.clone();
        good.file.blocks.truncate(error.location().block.unwrap() as usize);
        let before = read(good.open()).0;
        for threads in 1..=3 {
            let sources = [good.source(), case.source(), case.source()];
            let reading = ReadOptions { threads: NonZeroUsize::new(threads), ..case.reading() };
            let (batches, found) = read(AvroFormat::read(sources, case.options(), reading));
            assert_same(&batches, &[&before[..], &expected[..]].concat());
            assert_same_error(&found.unwrap(), &error);
        }
    }

    #[test]
    fn skip_file_goes_on_with_the_next_file(case in cases(Kinds::All)) {
        let whole = case.clone();
        let (case, ..) = damaged(case);
        let (before, _) = read(case.open());
        let all = whole.cells();
        let rows = batches::rows(&before).len();
        for threads in 1..=3 {
            let threads = NonZeroUsize::new(threads);
            let reading = ReadOptions { on_error: OnError::SkipFile, threads, ..case.reading() };
            let sources = [whole.source(), case.source(), whole.source()];
            let mut reader = AvroFormat::read(sources, case.options(), reading).unwrap();
            let batches: Vec<RecordBatch> = reader.by_ref().map(Result::unwrap).collect();
            assert_rows(&batches, &[&all[..], &all[..rows], &all[..]].concat());
            prop_assert_eq!(reader.report().skipped.len(), 1);
        }
    }

    /// A truncated file is reported as such, unless it ends at the border of a block.
    #[test]
    fn a_cut_file_gives_whole_blocks_and_says_so(case in cases_with(Kinds::All, Just(Codec::Null), 20)) {
        let (bytes, starts) = case.file.bytes_and_blocks();
        let cut = starts[0] as usize + case.seed.clone().below(bytes.len() - starts[0] as usize + 1);
        let (batches, error) = read(case.open_source(FileSource::bytes(bytes[..cut].to_vec())));
        let ends = starts[1..].iter().copied().chain([bytes.len() as u64]);
        let whole = ends.clone().filter(|end| *end <= cut as u64).count();
        let rows: u64 = case.file.blocks[..whole].iter().map(|block| block.count).sum();
        assert_rows(&batches, &case.cells()[..rows as usize]);
        let at_border = cut as u64 == starts[0] || ends.clone().any(|end| end == cut as u64);
        prop_assert_eq!(error.as_ref().map(FeedError::kind), (!at_border).then_some(FeedErrorKind::Truncated));
    }
}

/// Checks that errors are equal except for the name of the file.
pub(crate) fn assert_same_error(found: &FeedError, expected: &FeedError) {
    assert_eq!((found.kind(), found.message()), (expected.kind(), expected.message()));
    let mut location = found.location().clone();
    location.path = expected.location().path.clone();
    assert_eq!(&location, expected.location());
}

/// Makes one block of the case invalid. Returns the case, the index of the block, and the number of its rows.
pub(crate) fn damaged(mut case: Case) -> (Case, usize, u64) {
    let bad = case.seed.below(case.file.blocks.len());
    let block = &mut case.file.blocks[bad];
    let rows = block.count;
    if block.payload.is_empty() || case.seed.one_in(2) {
        // More bytes than the records have.
        let more = 1 + case.seed.below(5);
        let more = case.seed.bytes(more);
        block.payload.extend(more);
    } else {
        let kept = case.seed.below(block.payload.len());
        block.payload.truncate(kept);
    }
    (case, bad, rows)
}
