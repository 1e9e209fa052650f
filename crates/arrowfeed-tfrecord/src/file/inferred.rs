//! The features of files without a schema.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrowfeed_source::run::{Borders, FileSet, Part, PartOptions, PartReader, Polled, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, OnError};

use crate::example::{Feature, InferredFeatures};
use crate::sequence_example::{InferredSequenceFeatures, SEQUENCE_COLUMN, SequenceFeatures};

/// Records that are looked at together.
const TOGETHER: usize = 1024;

/// The features that the records of files have, or the first `sample` of them.
///
/// # Errors
/// A record cannot be read; a feature has values of two kinds; none has any; the caller wants to stop.
pub(super) fn features(
    raw: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Feature>, FeedError> {
    let mut inferred = InferredFeatures::default();
    each_record(raw, sample, interrupt, |record| inferred.observe(record))?;
    let features = inferred.features();
    if features.is_empty() { Err(without_features()) } else { Ok(features) }
}

/// The same of messages of `tf.SequenceExample`.
///
/// # Errors
/// As [`features`].
pub(super) fn sequence_features(
    raw: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
) -> Result<SequenceFeatures, FeedError> {
    let mut inferred = InferredSequenceFeatures::new(SEQUENCE_COLUMN);
    each_record(raw, sample, interrupt, |record| inferred.observe(record))?;
    let features = inferred.features();
    let is_empty = features.context.is_empty() && features.sequence.is_empty();
    if is_empty { Err(without_features()) } else { Ok(features) }
}

fn without_features() -> FeedError {
    let message = "expected records with features, which are the columns, found none: give a schema";
    FeedError::new(FeedErrorKind::Schema, message)
}

/// Calls `each` with the records of files, or the first `sample` of them. An error that it gives is told with its place.
fn each_record(
    raw: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
    mut each: impl FnMut(&[u8]) -> Result<(), FeedError>,
) -> Result<(), FeedError> {
    let raw = Arc::new(raw);
    let options = PartOptions {
        batch_size: TOGETHER,
        borders: Borders::EachPart,
        on_error: OnError::Raise,
        workers: Workers::Caller,
        prefetch_bytes: 0,
        interrupt: interrupt.cloned(),
        claim: None,
    };
    let mut reader = PartReader::new(raw.clone(), (0..raw.len()).map(Part::whole), options)?;
    let mut left = sample.unwrap_or(u64::MAX);
    while left > 0 {
        let Polled::Batch(found) = reader.poll(true)? else { break };
        let records = found.batch.column(0).as_binary::<i64>();
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        for (row, record) in records.iter().flatten().take(most).enumerate() {
            each(record).map_err(|error| {
                let origin = found.origins.iter().rfind(|origin| origin.row <= row);
                let error = match origin {
                    Some(origin) => {
                        let record = origin.before + (row - origin.row) as u64;
                        error.with_record(record).in_block(origin.chunk, origin.offset)
                    }
                    None => error,
                };
                error.in_file(raw.name(found.file))
            })?;
        }
        left -= left.min(records.len() as u64);
    }
    Ok(())
}
