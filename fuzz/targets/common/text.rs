//! Helpers of the text targets, which read the rows of a file as a whole and chunk by chunk.

// A target need not use all of these.
#![allow(dead_code)]

use std::sync::Arc;

use arrow_array::{Array, RecordBatch, StructArray};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, OnError};

/// Limits that are small enough for a run of some thousand files per second.
pub(crate) fn limits() -> Limits {
    Limits { decoded_block_bytes: 1 << 20, expanded_fields: 2_000, batch_bytes: 8 << 20, ..Limits::default() }
}

/// Opens a file and reads it. Checks that there is no internal error, and that every array is valid.
pub(crate) fn check(open: impl Fn(FileSource) -> Result<FileSet, FeedError>, file: &[u8]) {
    let files = match open(FileSource::bytes(file.to_vec())) {
        Ok(files) => files,
        Err(error) => return check_error(&error),
    };
    let (whole, error) = rows(&files, vec![Part::whole(0)]);
    error.iter().for_each(check_error);
    let Ok((chunks, _)) = files.chunks(0, OnError::SkipBlock, &arrowfeed_source::Check::never()) else {
        return;
    };
    let (by_chunk, _) = rows(&files, chunks.into_iter().map(|chunk| Part::of_chunks(0, [chunk])).collect());
    if error.is_none() {
        assert_eq!(by_chunk, whole);
    }
}

/// The valid rows of parts of a file, and the error that ends them.
pub(crate) fn rows(files: &FileSet, parts: Vec<Part>) -> (RecordBatch, Option<FeedError>) {
    let options = PartOptions {
        batch_size: Some(64),
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
    for batch in &batches {
        StructArray::from(batch.clone()).to_data().validate_full().expect("valid arrays");
    }
    (arrow_select::concat::concat_batches(files.schema(), &batches).expect("one schema"), error)
}

fn check_error(error: &FeedError) {
    assert!(!matches!(error.kind(), FeedErrorKind::Internal | FeedErrorKind::Io), "{error}");
}
