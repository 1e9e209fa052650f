//! Merge of the columns that are inferred for each file.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::Files;
use arrowfeed_source::{ArrowSchemaMerger, FeedError, FeedErrorKind, SchemaMerge};

use crate::long_integers::LongIntegers;

/// Merges the schemas that `infer` returns for each file, in order.
///
/// # Errors
/// A file is a stream; `infer` returns an error; the types of a column cannot be merged.
pub(crate) fn merge_inferred(
    files: &Files,
    mut merger: ArrowSchemaMerger,
    infer: impl Fn(FileSource) -> Result<(Schema, LongIntegers), FeedError>,
) -> Result<(SchemaRef, LongIntegers, SchemaMerge), FeedError> {
    let mut integers = LongIntegers::default();
    for (file, source) in files.sources().enumerate() {
        let source = source.ok_or_else(|| {
            let message = "expected a file that can be read twice, found a stream";
            FeedError::new(FeedErrorKind::Options, message).in_file(files.name(file))
        })?;
        let (schema, found) = infer(source)?;
        integers.append(found);
        merger.add(&files.name(file).into(), &Arc::new(schema))?;
    }
    let (schema, merge) = merger.finish();
    Ok((schema, integers, merge))
}
