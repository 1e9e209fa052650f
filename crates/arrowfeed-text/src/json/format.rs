//! JSON lines as a format of files: the types of the columns.

use arrow_schema::SchemaRef;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, Interrupt, Limits};

use super::infer;
use super::parser::JsonParser;
use crate::format::TextFormat;
use crate::parser::Parser;

/// How files of JSON lines are read.
#[derive(Debug, Clone)]
pub struct JsonLinesOptions {
    /// Names and types of the columns: the keys of the objects. Other keys are passed over. `None`: all keys of the records that are
    /// looked at, with inferred types.
    pub schema: Option<SchemaRef>,
    /// Records from which types are inferred, from the first one on. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read, in this order. `None`: all.
    pub columns: Option<Vec<String>>,
    /// Bytes of a file whose records are a chunk, at least 1. A shuffle takes chunks as a whole, so that small ones mix better; an
    /// index has 32 bytes for each. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` bounds a record, `batch_bytes` a batch. Without a schema, `header_bytes` bounds a record from which
    /// types are inferred.
    pub limits: Limits,
}

impl Default for JsonLinesOptions {
    fn default() -> Self {
        let (schema, sample, columns, limits) = (None, None, None, Limits::default());
        Self { schema, sample, columns, chunk_bytes: 256 << 10, limits }
    }
}

/// Files whose lines are JSON objects. Empty lines are passed over.
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
    /// Opens the first file that can be opened. Without a schema, reads the records of the files for the types of the columns.
    /// `interrupt` is asked before each file is opened, and while records are read.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column is not there, or JSON has no values of its type.
    /// Without a schema: a record is no JSON object, the values of a key have types that exclude each other, or no record has a
    /// key; the caller wants to stop.
    pub fn files(
        sources: impl IntoIterator<Item = FileSource>,
        options: JsonLinesOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let JsonLinesOptions { schema, sample, columns, chunk_bytes, limits } = options;
        let format = TextFormat::new(Parser::lines(), chunk_bytes, limits.clone())?;
        let (files, _) = format.first_file(sources, interrupt)?;
        let schema = match schema {
            Some(schema) => schema,
            None => {
                // An object of a line takes some 30 times its bytes.
                let most_bytes = limits.decoded_block_bytes.min(limits.header_bytes);
                let limits = Limits { decoded_block_bytes: most_bytes, ..limits };
                let lines = TextFormat::new(Parser::lines(), chunk_bytes, limits)?;
                let lines = lines.into_set(files.clone(), None)?;
                infer::types(lines, sample, interrupt)?.into()
            }
        };
        let parser = Parser::Json(JsonParser::new(schema)?);
        format.with_parser(parser)?.into_set(files, columns.as_deref())
    }
}
