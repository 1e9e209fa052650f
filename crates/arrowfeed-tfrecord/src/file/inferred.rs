//! Inference of the features of files without a schema.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Polled, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, OnError};

use crate::example::{Feature, InferredFeatures};
use crate::sequence_example::{InferredSequenceFeatures, SEQUENCE_COLUMN, SequenceFeatures};

/// Records per batch during inference.
const TOGETHER: usize = 1024;

/// Infers the features from all records of the files that give the schema, or from the first `sample` records.
///
/// # Errors
/// A record cannot be read; a feature has values of two kinds; no record has a feature; the caller cancels.
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

/// Infers the features of `tf.SequenceExample` messages.
///
/// # Errors
/// As in [`features`].
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
    let message = "expected records with features to make columns from, found none: give a schema";
    FeedError::new(FeedErrorKind::Schema, message)
}

/// Calls `each` with all records of the files that give the schema, or with the first `sample` records. Adds the location of the record to an
/// error that `each` returns.
fn each_record(
    raw: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
    mut each: impl FnMut(&[u8]) -> Result<(), FeedError>,
) -> Result<(), FeedError> {
    let raw = Arc::new(raw);
    let options = PartOptions {
        batch_size: Some(TOGETHER),
        boundaries: BatchBoundaries::PerPart,
        on_error: OnError::Raise,
        workers: Workers::Caller,
        prefetch_bytes: 0,
        interrupt: interrupt.cloned(),
        claim: None,
    };
    let mut reader = PartReader::new(raw.clone(), raw.schema_files().into_iter().map(Part::whole), options)?;
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
