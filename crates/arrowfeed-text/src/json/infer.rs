//! Inference of the column types of files without a schema.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_schema::Schema;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, Interrupt, Limits};

use super::explain::object;
use super::found::{KeyType, MergedRecord};
use crate::group::Group;
use crate::long_integers::LongIntegers;
use crate::sample::Sample;

/// Infers the types of the keys of the first `sample` lines, except those of keys in `given`, which are null. Keys are sorted by
/// name. Also returns the integers that a column of floats would round.
///
/// # Errors
/// A line is not a JSON object; the values of a key have incompatible types; there are more keys than
/// `limits` allow; the caller cancels.
pub(super) fn types(
    lines: FileSet,
    sample: Option<u64>,
    given: &Schema,
    limits: &Limits,
    interrupt: Option<&Interrupt>,
) -> Result<(Schema, LongIntegers), FeedError> {
    let mut sample = Sample::new(lines, sample, interrupt)?;
    let given: HashSet<&str> = given.fields().iter().map(|field| field.name().as_str()).collect();
    let (mut all, mut keys, mut record) = (KeyType::default(), 0, Group::default());
    while let Some(sampled) = sample.next()? {
        for (row, line) in sampled.batch.column(0).as_binary::<i64>().iter().flatten().enumerate() {
            record.clear();
            record.push(line);
            let name = || Arc::from(sampled.record_name(row));
            object(record.slice(0..1), limits.skipped_depth)
                .and_then(|tape| {
                    MergedRecord::new(&tape, &name, (&mut keys, &given), limits.schema_depth)
                        .merge_into(&mut all)
                })
                .map_err(|error| sampled.located(row, error))?;
            if keys > limits.expanded_fields {
                let most = limits.expanded_fields;
                let message = format!("expected a schema of at most {most} fields, found {keys}");
                return Err(sampled.located(row, FeedError::limit_reached("expanded_fields", message)));
            }
        }
    }
    let mut integers = LongIntegers::default();
    all.add_long_integers(&[], &mut integers);
    Ok((Schema::new(all.into_fields()), integers))
}
