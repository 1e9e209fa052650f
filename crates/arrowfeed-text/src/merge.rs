//! Merge of the columns that are inferred for each file.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::Files;
use arrowfeed_source::{ArrowSchemaMerger, FeedError, FeedErrorKind, SchemaMerge};

/// Checks that only one option determines the columns.
///
/// # Errors
/// There are a schema and a merge.
pub(crate) fn check(merge_schemas: bool, schema: Option<&SchemaRef>) -> Result<(), FeedError> {
    if !merge_schemas || schema.is_none() {
        return Ok(());
    }
    let message = "expected either a schema or merge_schemas, found both";
    Err(FeedError::new(FeedErrorKind::Options, message))
}

/// Merges the schemas that `infer` returns for each file, in order.
///
/// # Errors
/// A file is a stream; `infer` returns an error; the types of a column cannot be merged.
pub(crate) fn merge_inferred(
    files: &Files,
    mut merger: ArrowSchemaMerger,
    infer: impl Fn(FileSource) -> Result<Schema, FeedError>,
) -> Result<(Schema, Option<SchemaMerge>), FeedError> {
    for (file, source) in files.sources().enumerate() {
        let source = source.ok_or_else(|| {
            let message = "expected a file that can be read twice, found a stream";
            FeedError::new(FeedErrorKind::Options, message).in_file(files.name(file))
        })?;
        merger.add(&files.name(file).into(), &Arc::new(infer(source)?))?;
    }
    let (schema, merge) = merger.finish();
    Ok((schema.as_ref().clone(), Some(merge)))
}
