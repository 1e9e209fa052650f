//! Helpers of the targets that read files through the engine: the rows of a file as a whole, by chunks and by ranges.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch, StructArray};
use arrowfeed_select::concat_batches;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, RangeOptions, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, OnError};

/// The most rows of a batch.
const BATCH_SIZE: usize = 64;

/// Limits that are small enough for a run of some thousand files per second.
pub(crate) fn limits() -> Limits {
    Limits { decoded_block_bytes: 1 << 20, expanded_fields: 2_000, batch_bytes: 8 << 20, ..Limits::default() }
}

/// Opens a file and reads it. Checks that there is no internal error, that every array is valid, and that a valid file has the
/// same rows by chunks and by the ranges between the `cuts`, which count in 256ths of its length.
pub(crate) fn check(open: impl Fn(FileSource) -> Result<FileSet, FeedError>, file: &[u8], cuts: &[u8]) {
    let files = match open(FileSource::bytes(file.to_vec())) {
        Ok(files) => files,
        Err(error) => return check_error(&error),
    };
    let (whole, error) = rows(&files, vec![Part::whole(0)]);
    error.iter().for_each(check_error);
    let Ok((chunks, faults)) = files.chunks(0, OnError::SkipBlock, &arrowfeed_source::Check::never()) else {
        return;
    };
    let (by_chunk, _) = rows(&files, chunks.into_iter().map(|chunk| Part::of_chunks(0, [chunk])).collect());
    if error.is_some() {
        return;
    }
    let whole = joined(&files, &whole);
    assert_eq!(joined(&files, &by_chunk), whole);
    if faults.is_empty() {
        let len = file.len() as u64;
        let mut cuts: Vec<u64> = cuts.iter().map(|cut| u64::from(*cut) * len / 256).chain([0, len]).collect();
        cuts.sort_unstable();
        assert_eq!(joined(&files, &by_ranges(&files, &cuts)), whole);
    }
}

/// The valid rows of parts of a file, and the error that ends them.
pub(crate) fn rows(files: &FileSet, parts: Vec<Part>) -> (Vec<RecordBatch>, Option<FeedError>) {
    let options = PartOptions {
        batch_size: Some(BATCH_SIZE),
        boundaries: BatchBoundaries::PerPart,
        on_error: OnError::SkipBlock,
        workers: Workers::Caller,
        prefetch_bytes: 0,
        interrupt: None,
        claim: None,
    };
    let mut reader = PartReader::new(Arc::new(files.clone()), parts, options).expect("no thread");
    let mut batches = Vec::new();
    let error = reader.find_map(|found| found.map(|found| batches.push(found.batch)).err());
    (checked(batches), error)
}

/// The valid rows of the ranges between the cuts of the file.
fn by_ranges(files: &FileSet, cuts: &[u64]) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for range in cuts.windows(2) {
        let options = RangeOptions {
            batch_size: Some(BATCH_SIZE),
            on_error: OnError::SkipBlock,
            ..RangeOptions::default()
        };
        let reader = match files.clone().read_range(range[0]..range[1], options) {
            // The range starts behind the last chunk: its rows would be missing.
            Err(error) if error.kind() == FeedErrorKind::Changed => continue,
            reader => reader.expect("a range of a file"),
        };
        batches.extend(reader.map(|batch| batch.expect("a range of a file without an error")));
    }
    checked(batches)
}

fn checked(batches: Vec<RecordBatch>) -> Vec<RecordBatch> {
    for batch in &batches {
        StructArray::from(batch.clone()).to_data().validate_full().expect("valid arrays");
    }
    batches
}

/// All rows as one batch; `None` if they do not fit into one, such as the values of dictionaries with few keys.
fn joined(files: &FileSet, batches: &[RecordBatch]) -> Option<RecordBatch> {
    concat_batches(files.schema(), &batches.iter().collect::<Vec<_>>()).ok()
}

fn check_error(error: &FeedError) {
    assert!(!matches!(error.kind(), FeedErrorKind::Internal | FeedErrorKind::Io), "{error}");
}
