//! The schemas of files, from their headers.

use std::collections::HashSet;

use arrowfeed_source::run::Files;
use arrowfeed_source::{Check, FeedError, Interrupt, Limits};

use super::{MergedSchema, Merger};
use crate::AvroSchema;
use crate::reader::file::Container;

/// Maximum number of schema texts that are known to be merged. To merge a schema again takes time only: a union may get a
/// branch of a type that was promoted before.
const MAX_KNOWN: usize = 64;

/// Merges the schemas of files in order. Files with the same schema text are merged once.
///
/// # Errors
/// As of [`MergedSchema::of_files`].
pub(crate) fn merged(
    files: &Files,
    limits: &Limits,
    interrupt: Option<&Interrupt>,
) -> Result<MergedSchema, FeedError> {
    let (mut merger, mut known) = (Merger::new(limits), HashSet::new());
    let of_header = limits.clone();
    let open =
        move |opened, check: &Check<'_>| Ok(Container::read(opened, &of_header, check)?.header.schema_json);
    files.visit_all(interrupt, open, |name, json| {
        if known.contains(&json) {
            return Ok(());
        }
        let schema = AvroSchema::parse_with(&json, limits).map_err(|error| error.in_file(name))?;
        merger.add(name, &schema)?;
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(json);
        Ok(())
    })?;
    merger.finish()
}
