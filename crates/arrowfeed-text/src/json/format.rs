//! JSON Lines as a file format: options and column types.

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{ArrowSchemaMerger, FeedError, FeedErrorKind, Interrupt, Limits, SchemaMerge};

use super::infer;
use super::parser::JsonParser;
use crate::column_types;
use crate::format::TextFormat;
use crate::merge;
use crate::parser::Parser;

/// Options for reading JSON Lines files.
///
/// [`JsonLinesFormat`] has an example.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct JsonLinesOptions {
    /// Names and types of the columns, which are keys of the objects. Other keys are ignored. `None`: all keys of the
    /// sampled records, with inferred types.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::schema"))]
    pub schema: Option<SchemaRef>,
    /// Types of some columns; the names and types of the others are those without this option. Not together with a `schema`.
    /// `None`: all types are inferred.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::schema"))]
    pub types: Option<SchemaRef>,
    /// Whether the columns and types are merged from those of each file, which are inferred from the first `sample` records of
    /// the file. The order of the columns is then that of the files, and a conflict names both files. Default false. Cannot
    /// be combined with `schema`.
    pub merge_schemas: bool,
    /// Number of records, from the first one on, from which types are inferred. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read, in this order. `None`: all.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read. `None`: no column is excluded.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// Number of file bytes whose records form a chunk, at least 1. A shuffle moves whole chunks, so smaller chunks mix
    /// better, but an index takes 32 bytes per chunk. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `batch_bytes` the size of a batch, `skipped_depth` the
    /// nesting of a record. Without a schema, `schema_depth` and `expanded_fields` limit the inferred types.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

impl Default for JsonLinesOptions {
    fn default() -> Self {
        Self {
            schema: None,
            types: None,
            merge_schemas: false,
            sample: None,
            columns: None,
            exclude: None,
            chunk_bytes: 256 << 10,
            limits: Limits::default(),
        }
    }
}

/// The format of files whose lines are JSON objects. Empty lines are skipped.
///
/// ```
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_text::{JsonLinesFormat, JsonLinesOptions};
///
/// let file = FileSource::bytes(b"{\"name\": \"Ada\", \"scores\": [9, 8]}\n{\"name\": \"Grace\"}\n".to_vec());
/// let files = JsonLinesFormat::files([file], JsonLinesOptions::default(), None)?;
/// let names: Vec<_> = files.schema().fields().iter().map(|field| field.name().clone()).collect();
/// assert_eq!(names, ["name", "scores"]);
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub enum JsonLinesFormat {}

impl JsonLinesFormat {
    /// Opens the first file that can be opened. Without a schema, infers the types of the columns from records of the files.
    /// `interrupt` is called before each file is opened, and while records are read.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column does not exist, or JSON has no values of its
    /// type; the caller cancels. Without a schema: a record is not a JSON object, the values of a key have incompatible
    /// types, or no record has a key.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: JsonLinesOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let JsonLinesOptions { schema, types, merge_schemas, sample, columns, exclude, chunk_bytes, limits } =
            options;
        column_types::check(types.as_ref(), schema.as_ref())?;
        SchemaMerge::check_options(merge_schemas, schema.is_some(), "schema")?;
        let mut format = TextFormat::new(Parser::whole(None), chunk_bytes, limits.clone())?;
        let (files, ..) = format.first_file(sources, interrupt)?;
        let (schema, merged) = match schema {
            Some(schema) => (schema, None),
            None => {
                let types = types.unwrap_or_else(|| Schema::empty().into());
                let infer = |lines| infer::types(lines, sample, &types, &limits, interrupt);
                let (inferred, integers, merged) = if merge_schemas {
                    let (merged, integers, merge) =
                        merge::merge_inferred(&files, ArrowSchemaMerger::of_texts(), |source| {
                            infer(format.clone().into_set(Files::new([source]), (None, None))?)
                        })?;
                    (merged, integers, Some(merge))
                } else {
                    let (inferred, integers) = infer(format.clone().into_set(files.clone(), (None, None))?)?;
                    (inferred.into(), integers, None)
                };
                integers.check(&inferred)?;
                if inferred.fields().is_empty() {
                    let message =
                        "expected records with keys to make columns from, found none: give a schema";
                    return Err(FeedError::new(FeedErrorKind::Schema, message));
                }
                format = format.inferred_from(sample, types.clone());
                (column_types::replaced(&inferred, &types)?.into(), merged)
            }
        };
        let parser = Parser::Json(JsonParser::new(schema, limits.skipped_depth)?);
        let files = format.with_parser(parser)?.into_set(files, (columns.as_deref(), exclude.as_deref()))?;
        Ok(merged.into_iter().fold(files, FileSet::of_merge))
    }
}
