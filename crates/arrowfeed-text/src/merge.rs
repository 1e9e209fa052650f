//! Merge of the columns that are inferred for each file.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::Files;
use arrowfeed_source::{ArrowSchemaMerger, FeedError, FeedErrorKind, SchemaMerge};

/// Merges the schemas that `infer` returns for each file, in order.
///
/// # Errors
/// A file is a stream; `infer` returns an error; the types of a column cannot be merged.
pub(crate) fn merge_inferred(
    files: &Files,
    mut merger: ArrowSchemaMerger,
    infer: impl Fn(FileSource) -> Result<Schema, FeedError>,
) -> Result<(SchemaRef, SchemaMerge), FeedError> {
    for (file, source) in files.sources().enumerate() {
        let source = source.ok_or_else(|| {
            let message = "expected a file that can be read twice, found a stream";
            FeedError::new(FeedErrorKind::Options, message).in_file(files.name(file))
        })?;
        merger.add(&files.name(file).into(), &Arc::new(infer(source)?))?;
    }
    Ok(merger.finish())
}
