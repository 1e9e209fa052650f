//! Inference of the column types of files without a schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_schema::Schema;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, Limits};
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::explain::object;
use super::found::{Found, Merge, Record, Step, path_of};
use crate::sample::{Sample, Sampled};

/// Infers the types of the keys of the first `sample` lines. Keys are sorted by name.
///
/// # Errors
/// A line is not a JSON object; the values of a key have incompatible types; no line has a key; there are more keys than
/// `limits` allow; the caller cancels.
pub(super) fn types(
    lines: FileSet,
    sample: Option<u64>,
    limits: &Limits,
    interrupt: Option<&Interrupt>,
) -> Result<Schema, FeedError> {
    let mut sample = Sample::new(lines, sample, interrupt)?;
    let (mut all, mut keys) = (Found::default(), 0);
    while let Some(sampled) = sample.next()? {
        for (row, line) in sampled.batch.column(0).as_binary::<i64>().iter().flatten().enumerate() {
            merge(&mut all, &mut keys, &sampled, row, line).map_err(|error| sampled.located(row, error))?;
            if keys > limits.expanded_fields {
                let most = limits.expanded_fields;
                let message = format!("expected a schema of at most {most} fields, found {keys}");
                return Err(sampled.located(row, FeedError::limit_reached("expanded_fields", message)));
            }
        }
    }
    let fields = all.into_fields();
    if fields.is_empty() {
        let message = "expected records with keys to make columns from, found none: give a schema";
        return Err(FeedError::new(FeedErrorKind::Schema, message));
    }
    Ok(Schema::new(fields))
}

/// Merges the types of a line into the types of all lines before it, and counts new keys.
fn merge(
    all: &mut Found,
    keys: &mut usize,
    sampled: &Sampled,
    row: usize,
    line: &[u8],
) -> Result<(), FeedError> {
    let line = line.trim_ascii();
    if line.first() != Some(&b'{') {
        return object(line).map(drop);
    }
    let name = || Arc::from(sampled.record_name(row));
    let mut record = Record::new(&name, keys);
    let mut json = serde_json::Deserializer::from_slice(line);
    let merged = Merge::new(all, &mut record).deserialize(&mut json).and_then(|()| json.end());
    if merged.is_err() {
        // A line that is not JSON is the error, even if a value before the invalid bytes has another type.
        object(line)?;
    }
    let has_large_numbers = record.has_large_numbers;
    if let Some(conflict) = record.into_conflict() {
        return Err(conflict);
    }
    if has_large_numbers { check_integers(line) } else { Ok(()) }
}

/// Checks the integers of a line, which must be valid JSON.
///
/// # Errors
/// An integer does not fit in int64. As a float, it would have another value.
fn check_integers(line: &[u8]) -> Result<(), FeedError> {
    let mut steps = Vec::new();
    let value = serde_json::from_slice(line).ok();
    match value.and_then(|value| long_integer(value, &mut steps)) {
        Some(integer) => {
            let message = format!("expected an integer that fits into int64, found {integer}: give a schema");
            Err(FeedError::new(FeedErrorKind::Schema, message).in_field(path_of(&steps)))
        }
        None => Ok(()),
    }
}

/// Finds an integer that does not fit in int64. Adds the steps to it, the last one first.
fn long_integer<'a>(value: &'a RawValue, steps: &mut Vec<Step>) -> Option<&'a str> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'{' => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            entries
                .into_iter()
                .find_map(|(key, value)| long_integer(value, steps).inspect(|_| steps.push(Step::Key(key))))
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            items.into_iter().enumerate().find_map(|(index, item)| {
                long_integer(item, steps).inspect(|_| steps.push(Step::Index(index)))
            })
        }
        b'-' | b'0'..=b'9' if !text.contains(['.', 'e', 'E']) && text.parse::<i64>().is_err() => Some(text),
        _ => None,
    }
}
