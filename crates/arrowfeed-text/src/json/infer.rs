//! Inference of the column types of files without a schema.

use arrow_array::cast::AsArray;
use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, FieldRef, Schema};
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt};
use serde_json::Value;

use super::explain::object;
use crate::sample::{Sample, Sampled};

/// Infers the types of the keys of the first `sample` lines. Keys are sorted by name.
///
/// # Errors
/// A line is not a JSON object; the values of a key have incompatible types; no line has a key; the caller cancels.
pub(super) fn types(
    lines: FileSet,
    sample: Option<u64>,
    interrupt: Option<&Interrupt>,
) -> Result<Schema, FeedError> {
    let mut objects = Objects { sample: Sample::new(lines, sample, interrupt)?, now: None, failure: None };
    let schema = infer_json_schema_from_iterator(&mut objects);
    if let Some(failure) = objects.failure {
        return Err(failure);
    }
    let schema = schema.map_err(|error| {
        let message = format!(
            "expected a value of the type in earlier records (or give a schema), found a different type: {error}"
        );
        let error = FeedError::new(FeedErrorKind::Schema, message);
        match &objects.now {
            Some((sampled, next)) => sampled.located(next.saturating_sub(1), error),
            None => error,
        }
    })?;
    if schema.fields().is_empty() {
        let message = "expected records with keys to make columns from, found none: give a schema";
        return Err(FeedError::new(FeedErrorKind::Schema, message));
    }
    let mut fields: Vec<FieldRef> = schema.fields().iter().cloned().collect();
    fields.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(Schema::new(fields))
}

/// An iterator over the objects of lines.
struct Objects {
    sample: Sample,
    /// The current lines, and the index of the next one.
    now: Option<(Sampled, usize)>,
    failure: Option<FeedError>,
}

impl Objects {
    fn next_object(&mut self) -> Result<Option<Value>, FeedError> {
        loop {
            if let Some((sampled, next)) = &mut self.now
                && *next < sampled.batch.num_rows()
            {
                *next += 1;
                let line = sampled.batch.column(0).as_binary::<i64>().value(*next - 1);
                let object = object(line).and_then(|object| check_integers(&object).map(|()| object));
                return object.map(Some).map_err(|error| sampled.located(*next - 1, error));
            }
            match self.sample.next()? {
                Some(sampled) => self.now = Some((sampled, 0)),
                None => return Ok(None),
            }
        }
    }
}

/// Checks the integers of a value.
///
/// # Errors
/// An integer does not fit in int64. As a float, it would have another value.
fn check_integers(value: &Value) -> Result<(), FeedError> {
    match value {
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            let message = format!("expected an integer that fits into int64, found {number}: give a schema");
            Err(FeedError::new(FeedErrorKind::Schema, message))
        }
        Value::Array(items) => items.iter().try_for_each(check_integers),
        Value::Object(entries) => entries
            .iter()
            .try_for_each(|(key, value)| check_integers(value).map_err(|error| error.in_field(key))),
        _ => Ok(()),
    }
}

impl Iterator for Objects {
    type Item = Result<Value, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_object().transpose().map(|object| {
            object.map_err(|error| {
                let message = error.to_string();
                self.failure = Some(error);
                ArrowError::JsonError(message)
            })
        })
    }
}
