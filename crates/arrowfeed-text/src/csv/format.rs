//! CSV as a file format: options, names and types of the columns.

use std::collections::HashSet;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{
    ArrowSchemaMerger, Check, FeedError, FeedErrorKind, Interrupt, Limits, SchemaMerge, quoted,
};

use super::dialect::CsvDialect;
use super::infer;
use super::parser::{CsvParser, Headers};
use crate::column_types;
use crate::file::first_record;
use crate::format::TextFormat;
use crate::long_integers::LongIntegers;
use crate::merge;
use crate::parser::Parser;

/// Options for reading CSV files.
///
/// A cell may be in quotes. Delimiters and line ends are then characters of the cell, and a quote in it is written twice. If
/// a cell does not start with a quote, quotes in it are normal characters. A record ends with `\n`, `\r` or `\r\n`.
///
/// [`CsvFormat`] has an example.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct CsvOptions {
    /// Number of lines at the start of each file that are skipped, whatever their content; each ends with `\n`. The header
    /// follows them. Default 0.
    pub skip_lines: usize,
    /// Whether the first record of each file is a header. It names the columns, or is skipped if the options have names.
    /// Default true.
    pub header: bool,
    /// The ASCII character between cells. Default `,`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::character"))]
    pub delimiter: u8,
    /// The ASCII character around cells. Default `"`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::character"))]
    pub quote: u8,
    /// In a quoted cell, the character after this one is part of the cell, even if it is a quote. Default: none.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::optional_character"))]
    pub escape: Option<u8>,
    /// Whether empty lines are skipped. If false, an empty line is a record of empty cells. Default true.
    pub skip_blank_lines: bool,
    /// Cell texts that mean null. Default: the empty text. A quoted empty cell is an empty text too.
    pub nulls: Vec<String>,
    /// The ASCII character at the start of lines that are comments, which are skipped. Elsewhere, it is a normal character.
    /// Default: none.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::optional_character"))]
    pub comment: Option<u8>,
    /// Cell texts that mean true, beside `true` in upper or lower case. With these texts or `false_values`, columns of
    /// such texts are inferred to be booleans. Default: none.
    pub true_values: Vec<String>,
    /// Cell texts that mean false, as `true_values`. Default: none.
    pub false_values: Vec<String>,
    /// Whether the numbers that are not integers have a decimal comma in place of a point. Default false.
    pub decimal_comma: bool,
    /// Names of columns whose cells have several values, and whose types are lists. A cell is parsed like a record: its values may
    /// be in quotes. An empty value is a value too. It is valid text, but not a valid number. Default: none. Needs
    /// `secondary_delimiter`.
    pub multivalent_columns: Option<Vec<String>>,
    /// The ASCII character between the values of a cell. Default: none. Needs `multivalent_columns`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::optional_character"))]
    pub secondary_delimiter: Option<u8>,
    /// Names of all columns of the files, in order. They replace the names of headers. `None`: the names of the header;
    /// without a header the names of `schema`; without both `column_1`, `column_2` and so on.
    pub names: Option<Vec<String>>,
    /// Names and types of the columns that can be read, in any order. Other columns of the files are not parsed. `None`: all
    /// columns, with inferred types.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::schema"))]
    pub schema: Option<SchemaRef>,
    /// Types of some columns; the names and types of the others are those without this option. Not together with a `schema`.
    /// `None`: all types are inferred.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::schema"))]
    pub types: Option<SchemaRef>,
    /// Whether the columns and types are merged from those of each file, which are inferred from the first `sample` records of
    /// the file. Columns are matched by the names in the headers. A column of texts stores the values of all types. Default
    /// false. Cannot be combined with `schema`.
    pub merge_schemas: bool,
    /// Whether files may lack columns of `schema`, which are then null, and have others, which are not read. Default false: all
    /// files have the columns of the first one.
    pub missing_columns: bool,
    /// Whether each record becomes one value, its bytes without the line end, in the column `record`. Names and types are
    /// then ignored. Default false.
    pub raw: bool,
    /// Number of records, from the first one on, from which types are inferred. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read, in this order. The cells of other columns are not parsed. `None`: all.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Names of columns not to read. `None`: no column is excluded.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// Number of file bytes whose records form a chunk, at least 1. A shuffle moves whole chunks, so smaller chunks mix
    /// better, but an index takes 32 bytes per chunk. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `header_bytes` the size of the header and of each skipped line,
    /// `batch_bytes` the size of a batch.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            skip_lines: 0,
            header: true,
            delimiter: b',',
            quote: b'"',
            escape: None,
            skip_blank_lines: true,
            nulls: vec![String::new()],
            comment: None,
            true_values: Vec::new(),
            false_values: Vec::new(),
            decimal_comma: false,
            multivalent_columns: None,
            secondary_delimiter: None,
            names: None,
            schema: None,
            types: None,
            merge_schemas: false,
            missing_columns: false,
            raw: false,
            sample: None,
            columns: None,
            exclude: None,
            chunk_bytes: 256 << 10,
            limits: Limits::default(),
        }
    }
}

impl CsvOptions {
    /// Whether files may have other columns than the first one.
    fn allows_missing(&self) -> bool {
        self.missing_columns || self.merge_schemas
    }
}

/// The format of CSV files.
///
/// ```
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_text::{CsvFormat, CsvOptions};
///
/// let file = FileSource::bytes(b"name,score\nAda,9\n\"Grace, H.\",\n".to_vec());
/// let files = CsvFormat::files([file], CsvOptions::default(), None)?;
/// let types: Vec<_> = files.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
/// assert_eq!(types, ["Utf8", "Int64"]);
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub enum CsvFormat {}

impl CsvFormat {
    /// Opens the first file that can be opened. Without a schema, infers the types of the columns from records of the files.
    /// `interrupt` is called before each file is opened, and while records are read.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; the options contradict each other; two columns have
    /// the same name; a column does not exist, or CSV has no values of its type; the caller cancels. Without a schema: a
    /// record cannot be read.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: CsvOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let dialect = CsvDialect::new(&options)?;
        column_types::check(options.types.as_ref(), options.schema.as_ref())?;
        SchemaMerge::check_options(options.merge_schemas, options.schema.is_some(), "schema")?;
        let selection = (options.columns.as_deref(), options.exclude.as_deref());
        if options.raw {
            let parser = Parser::whole(Some(dialect));
            let format = TextFormat::new(parser, options.chunk_bytes, options.limits)?;
            let (files, ..) = format.first_file(sources, interrupt)?;
            return format.into_set(files, selection);
        }
        let mut head = Head::read(sources, &options, &dialect, interrupt)?;
        let (schema, merge) = match &options.schema {
            Some(schema) => (schema.as_ref().clone(), None),
            None => {
                let (inferred, integers, merge) = match options.merge_schemas {
                    true => {
                        let (merged, integers, merge) = head.merged(&options, &dialect, interrupt)?;
                        (merged, integers, Some(merge))
                    }
                    false => {
                        let (inferred, integers) = head.inferred(&options, &dialect, interrupt)?;
                        (inferred.into(), integers, None)
                    }
                };
                integers.check(&inferred)?;
                let types = options.types.unwrap_or_else(|| Schema::empty().into());
                let schema = column_types::replaced(&inferred, &types)?;
                head.format = head.format.inferred_from(options.sample, types);
                (schema, merge)
            }
        };
        let Head { format, files, names, headers } = head;
        let known = if headers == Headers::Any { names_of(&schema) } else { names.clone() };
        check_multivalent(&dialect, &known)?;
        let parser = Parser::Csv(CsvParser::new(dialect, Some(names), headers, &schema)?);
        let files = format.with_parser(parser)?.into_set(files, selection)?;
        Ok(merge.into_iter().fold(files, FileSet::of_merge))
    }
}

/// The files, and what the start of the first one shows.
struct Head {
    /// A format that accepts any columns.
    format: TextFormat,
    files: Files,
    /// The names of the columns of the first file.
    names: Vec<String>,
    headers: Headers,
}

impl Head {
    /// Opens the first file that can be opened.
    fn read(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: &CsvOptions,
        dialect: &CsvDialect,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        let limits = &options.limits;
        let headers = match (dialect.header && options.names.is_none(), options.allows_missing()) {
            (true, true) => Headers::Any,
            (true, false) => Headers::Equal,
            (false, false) => Headers::Ignored,
            (false, true) => {
                let message = "expected files with headers that name their columns, because files may have different columns";
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        };
        // The names are not known yet, so any header is accepted.
        let unnamed = CsvParser::new(dialect.clone(), None, Headers::Ignored, &Schema::empty())?;
        let format = TextFormat::new(Parser::Csv(unnamed), options.chunk_bytes, limits.clone())?;
        let (files, first, header) = format.first_file(sources, interrupt)?;
        let names = match (&options.names, &options.schema) {
            (Some(names), _) => names.clone(),
            (None, Some(schema)) if !dialect.header => names_of(schema),
            _ => {
                let record = match header {
                    Some(header) => Some(header),
                    None => first_record(&first, &Check::of(interrupt))?.map(|(record, _)| record),
                };
                let record = record.ok_or_else(|| {
                    let message = "expected a record to count the columns of, found an empty file: give the column names or a schema";
                    FeedError::new(FeedErrorKind::Format, message).in_file(first.name())
                })?;
                let texts = dialect.texts(&record).map_err(|error| error.in_file(first.name()))?;
                if dialect.header { texts } else { numbered(texts.len()) }
            }
        };
        check_names(&names, limits)?;
        Ok(Self { format, files, names, headers })
    }

    /// The columns with the types of the first records of all files.
    fn inferred(
        &self,
        options: &CsvOptions,
        dialect: &CsvDialect,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Schema, LongIntegers), FeedError> {
        let texts = self.names.iter().map(|name| Field::new(name, DataType::Utf8, true));
        let texts = Schema::new(texts.collect::<Vec<_>>());
        // Each cell is read as one text, even if it has several values.
        let whole_cells = CsvDialect { multivalent: None, ..dialect.clone() };
        let raw = CsvParser::new(whole_cells, Some(self.names.clone()), self.headers, &texts)?;
        let raw =
            self.format.clone().with_parser(Parser::Csv(raw))?.into_set(self.files.clone(), (None, None))?;
        infer::types(raw, dialect, options.sample, options.types.as_deref(), interrupt)
    }

    /// The columns of all files, whose types are inferred for each file alone and merged.
    fn merged(
        &self,
        options: &CsvOptions,
        dialect: &CsvDialect,
        interrupt: Option<&Interrupt>,
    ) -> Result<(SchemaRef, LongIntegers, SchemaMerge), FeedError> {
        merge::merge_inferred(&self.files, ArrowSchemaMerger::of_texts(), |source| {
            Self::read([source], options, dialect, interrupt)?.inferred(options, dialect, interrupt)
        })
    }
}

fn names_of(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// `column_1`, `column_2` and so on.
fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|number| format!("column_{number}")).collect()
}

/// Checks the columns whose cells have several values.
///
/// # Errors
/// The files do not have one of these columns.
fn check_multivalent(dialect: &CsvDialect, names: &[String]) -> Result<(), FeedError> {
    let columns = dialect.multivalent.iter().flat_map(|multivalent| &multivalent.columns);
    let known: HashSet<&String> = names.iter().collect();
    match columns.into_iter().find(|column| !known.contains(column)) {
        Some(unknown) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let (unknown, names) = (quoted(unknown), names.join(", "));
            let message = format!("expected the multivalent column {unknown}, found the columns {names}");
            Err(FeedError::new(FeedErrorKind::Schema, message))
        }
        None => Ok(()),
    }
}

pub(super) fn check_names(names: &[String], limits: &Limits) -> Result<(), FeedError> {
    if names.len() > limits.expanded_fields {
        let (most, found) = (limits.expanded_fields, names.len());
        let message = format!("expected a file of at most {most} columns, found {found}");
        return Err(FeedError::limit_reached("expanded_fields", message));
    }
    let mut known = HashSet::new();
    match names.iter().find(|name| !known.insert(*name)) {
        Some(name) => {
            let name = quoted(name);
            let message = format!("expected columns with different names, found {name} more than once");
            Err(FeedError::new(FeedErrorKind::Schema, message))
        }
        None => Ok(()),
    }
}
