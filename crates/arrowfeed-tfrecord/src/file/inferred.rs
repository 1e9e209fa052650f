//! The features of files without a schema.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrowfeed_source::run::{Borders, FileSet, Part, PartOptions, PartReader, Polled, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, OnError};

use crate::example::{Feature, InferredFeatures};

/// Records that are looked at together.
const TOGETHER: usize = 1024;

/// The features that the records of files have, or the first `sample` of them.
///
/// # Errors
/// A record cannot be read; a feature has values of two kinds; the caller wants to stop.
pub(super) fn features(
    raw: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
) -> Result<Vec<Feature>, FeedError> {
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
    let (mut inferred, mut left) = (InferredFeatures::default(), sample.unwrap_or(u64::MAX));
    while left > 0 {
        let Polled::Batch(found) = reader.poll(true)? else { break };
        let records = found.batch.column(0).as_binary::<i64>();
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        for (row, record) in records.iter().flatten().take(most).enumerate() {
            inferred.observe(record).map_err(|error| {
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
    let features = inferred.features();
    if features.is_empty() {
        let message = "expected records with features, which are the columns, found none: give a schema";
        return Err(FeedError::new(FeedErrorKind::Schema, message));
    }
    Ok(features)
}
