//! The same rows from every kind of source and every division of the work.

use std::io::Read;
use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroFormat, AvroOptions, Codec, FileSource, ReadOptions, Split};
use proptest::prelude::*;

use crate::support::batches;
use crate::support::case::{Case, assert_rows, cases, cases_with, config, read_all};
use crate::support::file::{Block, TempFile};
use crate::support::shapes::Kinds;

/// A reader that returns one byte at a time.
pub(crate) struct OneByte(pub(crate) std::io::Cursor<Vec<u8>>);

impl Read for OneByte {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let most = out.len().min(1);
        self.0.read(&mut out[..most])
    }
}

proptest! {
    #![proptest_config(config(25))]

    #[test]
    fn bytes_files_and_streams_give_the_same_batches(case in cases(Kinds::All)) {
        let bytes = case.file.bytes();
        let expected = read_all(case.open());
        let file = TempFile::with(&bytes);
        assert_same(&read_all(case.open_source(file.path())), &expected);
        let stream = FileSource::reader("stream", OneByte(std::io::Cursor::new(bytes.clone())));
        assert_same(&read_all(case.open_source(stream)), &expected);
        let seekable = FileSource::seekable("file", std::io::Cursor::new(bytes));
        let reading = ReadOptions { threads: NonZeroUsize::new(2), ..case.reading() };
        assert_same(&read_all(AvroFormat::read([seekable], case.options(), reading)), &expected);
    }

    #[test]
    fn threads_give_the_same_batches_of_many_files(case in cases(Kinds::All)) {
        let sources = || (0..4).map(|_| case.source());
        let read = |threads| {
            let reading = ReadOptions { threads: NonZeroUsize::new(threads), ..case.reading() };
            read_all(AvroFormat::read(sources(), case.options(), reading))
        };
        let expected = read(1);
        prop_assert_eq!(batches::rows(&expected).len(), 4 * case.rows.len());
        for threads in 2..=3 {
            assert_same(&read(threads), &expected);
        }
    }

    #[test]
    fn splits_cut_anywhere_give_each_row_once(case in cases(Kinds::All)) {
        let bytes = case.file.bytes();
        let file = TempFile::with(&bytes);
        let mut seed = case.seed.clone();
        let mut cuts: Vec<u64> = (0..seed.below(5)).map(|_| seed.below(bytes.len() + 1) as u64).collect();
        cuts.extend([0, bytes.len() as u64]);
        cuts.sort_unstable();
        let split = |pair: &[u64]| Split::new(file.path(), pair[0], pair[1]);
        let random: Vec<Split> = cuts.windows(2).map(split).collect();
        let files = case.files(FileSource::from(file.path()));
        let even = files.splits(1 + seed.below(200) as u64, None).unwrap();
        for splits in [random, even] {
            let read = |split| read_all(files.read_split(split, None, case.range_options()));
            assert_rows(&splits.iter().flat_map(read).collect::<Vec<_>>(), &case.cells());
        }
    }

    #[test]
    fn max_batch_bytes_only_moves_borders(case in cases(Kinds::All)) {
        let most = 1 + case.seed.clone().below(2000);
        let options = AvroOptions { max_batch_bytes: Some(most), ..case.options() };
        let batches = read_all(case.open_as(options));
        assert_rows(&batches, &case.cells());
        let borders = |batches: &[RecordBatch]| -> Vec<usize> {
            let mut rows = 0;
            batches.iter().map(|batch| { rows += batch.num_rows(); rows }).collect()
        };
        let cut = borders(&batches);
        let whole = borders(&read_all(case.open()));
        prop_assert!(whole.iter().all(|border| cut.contains(border)), "{:?} {:?}", whole, cut);
        prop_assert!(batches.iter().all(|batch| batch.num_rows() > 0));
    }
}

proptest! {
    #![proptest_config(config(2))]

    /// Files of several units for threads, whose boundaries are inside blocks.
    #[test]
    fn threads_give_the_same_batches_of_a_large_file(
        case in cases_with(Kinds::All, prop_oneof![Just(Codec::Null), Just(Codec::Zstandard)], 60),
        batch_size in prop_oneof![1..3000_usize, 5000..20_000_usize],
    ) {
        let mut case = Case { batch_size, ..case };
        enlarge(&mut case, 5 << 20);
        let expected = read_all(case.open());
        for threads in 2..=3 {
            let reading = ReadOptions { threads: NonZeroUsize::new(threads), ..case.reading() };
            assert_same(&read_all(case.open_with(reading)), &expected);
        }
    }
}

/// Repeats the rows of the blocks in blocks of random length. Rows without bytes cannot make a file large.
fn enlarge(case: &mut Case, bytes: usize) {
    let rows: u64 = case.file.blocks.iter().map(|block| block.count).sum();
    let payload: Vec<u8> = case.file.blocks.iter().flat_map(|block| block.payload.clone()).collect();
    if payload.is_empty() {
        return;
    }
    case.file.blocks.clear();
    let mut size = 0;
    while size < bytes {
        let spread = 1 << case.seed.below(10);
        let times = 1 + case.seed.below(spread) + 20_000 / payload.len();
        let block = Block { count: rows * times as u64, payload: payload.repeat(times) };
        size += block.payload.len();
        case.file.blocks.push(block);
    }
}

/// Checks that batches have the same rows and the same boundaries.
pub(crate) fn assert_same(found: &[RecordBatch], expected: &[RecordBatch]) {
    let rows_of = |batch| batches::rows(std::slice::from_ref(batch));
    let sizes = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>();
    assert_eq!(sizes(found), sizes(expected));
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.schema(), expected.schema());
        assert!(found == expected || rows_of(found) == rows_of(expected));
    }
}
