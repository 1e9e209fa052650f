//! A set of text files: their records, their schema and their columns.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};
use arrowfeed_source::field_path::field_path;
use arrowfeed_source::format::records::FramedFormat;
use arrowfeed_source::format::{FileFormat, FormatFile};
use arrowfeed_source::io::{FileEnds, FileSource, Fingerprint, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, counted};

use crate::file::{self, TextFile};
use crate::framing::Framing;
use crate::parser::Parser;
use crate::records::TextRecords;
use crate::rows::TextRows;

/// Whether a file is compressed with gzip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct IsGzip(pub(crate) bool);

/// The format of text files whose records are parsed by one parser.
#[derive(Debug, Clone)]
pub(crate) struct TextFormat {
    parser: Parser,
    chunk_bytes: u64,
    limits: Limits,
    /// The number of records from which the column types were inferred. `None`: all records, or none.
    sample: Option<u64>,
    /// The columns whose types were not inferred, if there is a sample.
    given: SchemaRef,
}

impl TextFormat {
    /// Creates a format.
    ///
    /// # Errors
    /// `chunk_bytes` is 0.
    pub(crate) fn new(parser: Parser, chunk_bytes: u64, limits: Limits) -> Result<Self, FeedError> {
        if chunk_bytes == 0 {
            let message = "expected a chunk_bytes of 1 or more, found 0";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        Ok(Self { parser, chunk_bytes, limits, sample: None, given: Schema::empty().into() })
    }

    /// Returns the format with the number of records from which the column types are inferred, `None` for all records, and with
    /// the columns whose types are given.
    pub(crate) fn inferred_from(self, sample: Option<u64>, given: SchemaRef) -> Self {
        Self { sample, given, ..self }
    }

    /// Adds the sample to the error of a value, if the type that the value does not fit was inferred from a sample.
    pub(crate) fn explained(&self, error: FeedError) -> FeedError {
        match self.sample {
            Some(sample) if self.is_inferred(&error) => error.with_advice(&format!(
                "the type was inferred from the first {}, so give a schema or a larger sample",
                counted(sample, "record")
            )),
            _ => error,
        }
    }

    /// Whether an error is that of a value in a column whose type was inferred.
    fn is_inferred(&self, error: &FeedError) -> bool {
        error
            .location()
            .field
            .as_deref()
            .is_some_and(|field| !self.given.fields().iter().any(|given| field_path([given.name()]) == field))
    }

    /// Returns the format with another parser.
    ///
    /// # Errors
    /// The schema exceeds a limit.
    pub(crate) fn with_parser(self, parser: Parser) -> Result<Self, FeedError> {
        check_schema(parser.schema(), &self.limits)?;
        Ok(Self { parser, ..self })
    }

    /// Opens the first file that can be opened. No source may be a stream. Returns the header of that file too, if the files
    /// have headers.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; the caller cancels.
    pub(crate) fn first_file(
        &self,
        sources: impl IntoIterator<Item: Into<FileSource>>,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Files, TextFile, Option<Vec<u8>>), FeedError> {
        let (files, check) = (Files::new(sources), Check::of(interrupt));
        let opened = files.first_stored(&check, |opened| file::open(opened, self.clone(), &check))?;
        let (first, header) = opened;
        Ok((files, first, header))
    }

    /// Combines the format with files and the columns to read or to exclude; `None`: all columns.
    ///
    /// # Errors
    /// A column does not exist.
    pub(crate) fn into_set(
        self,
        files: Files,
        (columns, exclude): (Option<&[String]>, Option<&[String]>),
    ) -> Result<FileSet, FeedError> {
        FileSet::new(files, Arc::new(self)).selecting(columns, exclude)
    }

    pub(crate) fn parser(&self) -> &Parser {
        &self.parser
    }

    pub(crate) fn framing(&self) -> Framing {
        self.parser.framing()
    }

    /// Mixes the options into the fingerprint of a file, because the same file has other records with other options.
    pub(crate) fn marked(&self, of_file: Fingerprint) -> Fingerprint {
        let Some(dialect) = self.parser.dialect() else { return of_file };
        let mut bytes = of_file.bytes;
        bytes.iter_mut().zip(dialect.checksum().to_le_bytes()).for_each(|(byte, mark)| *byte ^= mark);
        Fingerprint { bytes, name: "checksum of start, end and dialect" }
    }

    /// Number of lines at the start of a file that are skipped.
    pub(crate) fn skipped_lines(&self) -> usize {
        self.parser.dialect().map_or(0, |dialect| dialect.skip_lines)
    }

    pub(crate) fn has_header(&self) -> bool {
        self.parser.dialect().is_some_and(|dialect| dialect.header)
    }

    /// Returns the format of a file with this header.
    ///
    /// # Errors
    /// The header names other columns than the header of the first file, and must not.
    pub(crate) fn of_header(&self, header: &[u8]) -> Result<Self, FeedError> {
        Ok(match &self.parser {
            Parser::Csv(parser) => {
                let parser = Parser::Csv(parser.of_header(header, &self.limits)?);
                Self { parser, ..self.clone() }
            }
            Parser::Json(_) | Parser::Whole(_) => self.clone(),
        })
    }

    /// The bytes that replace an empty line. `None`: an empty line is not a record.
    fn blank_record(&self) -> Option<Vec<u8>> {
        let counts = self.parser.dialect().is_some_and(|dialect| !dialect.skip_blank_lines);
        counts.then(|| self.parser.blank_record().to_vec())
    }
}

/// Nesting depth of a type.
fn depth(data_type: &DataType) -> usize {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            1 + depth(item.data_type())
        }
        DataType::Map(entries, _) => 1 + depth(entries.data_type()),
        DataType::Struct(fields) => {
            1 + fields.iter().map(|field| depth(field.data_type())).max().unwrap_or(0)
        }
        _ => 1,
    }
}

/// Checks a schema against the limits.
///
/// # Errors
/// The schema has too many fields, or is nested too deeply.
fn check_schema(schema: &SchemaRef, limits: &Limits) -> Result<(), FeedError> {
    let fields = schema.flattened_fields().len();
    if fields > limits.expanded_fields {
        let most = limits.expanded_fields;
        let message = format!("expected a schema of at most {most} fields, found {fields}");
        return Err(FeedError::limit_reached("expanded_fields", message));
    }
    let deepest = schema.fields().iter().map(|field| depth(field.data_type())).max().unwrap_or(0);
    if deepest > limits.schema_depth {
        let most = limits.schema_depth;
        let message = format!("expected types nested at most {most} deep, found {deepest}");
        return Err(FeedError::limit_reached("schema_depth", message));
    }
    Ok(())
}

impl FileFormat for TextFormat {
    fn name(&self) -> &'static str {
        match self.parser {
            Parser::Json(_) => "jsonl",
            Parser::Csv(_) => "csv",
            Parser::Whole(_) => "text",
        }
    }

    fn schema(&self) -> &SchemaRef {
        self.parser.schema()
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        FileEnds::opening_ranges(len)
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        Ok(Arc::new(Self { parser: self.parser.with_columns(columns)?, ..self.clone() }))
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(self.parser.whole_schema().clone())
    }

    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let (file, _) = file::open(file, self.clone(), check)?;
        Ok(Arc::new(file))
    }
}

impl FramedFormat for TextFormat {
    type Compression = IsGzip;
    type Reader = TextRecords;
    type Rows = TextRows;

    fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    fn reader(&self, file: &TextFile) -> TextRecords {
        let limit = ("decoded_block_bytes", self.limits.decoded_block_bytes);
        TextRecords::new(file::input(file), self.framing(), file.start(), limit, self.blank_record())
    }

    fn rows(&self) -> TextRows {
        TextRows::new(self.clone())
    }
}
