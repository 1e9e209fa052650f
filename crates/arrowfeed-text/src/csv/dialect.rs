//! The syntax of a CSV file.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_csv::ReaderBuilder;
use arrow_csv::reader::Format;
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, counted, crc32c, hex, quoted, thousands};
use memchr::memchr_iter;
use regex::Regex;

use super::format::CsvOptions;
use super::lists::Multivalent;
use crate::framing::Framing;

/// Maximum number of cells that are split into text. Each takes about 50 bytes.
const MAX_CELLS: usize = 1 << 20;

/// The syntax of CSV files: the options that determine records, cells and their values. [`CsvOptions`] describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CsvDialect {
    pub(crate) skip_lines: usize,
    pub(crate) header: bool,
    pub(crate) delimiter: u8,
    pub(crate) quote: u8,
    pub(crate) escape: Option<u8>,
    pub(crate) skip_blank_lines: bool,
    pub(crate) nulls: Vec<String>,
    pub(crate) comment: Option<u8>,
    pub(crate) true_values: Vec<String>,
    pub(crate) false_values: Vec<String>,
    pub(crate) decimal_comma: bool,
    /// Columns whose cells have several values.
    pub(super) multivalent: Option<Multivalent>,
}

impl CsvDialect {
    /// # Errors
    /// Of the two options of cells with several values, one is missing; the options contradict each other.
    pub(super) fn new(options: &CsvOptions) -> Result<Self, FeedError> {
        let multivalent = match (&options.multivalent_columns, options.secondary_delimiter) {
            (None, None) => None,
            (Some(columns), Some(delimiter)) => Some(Multivalent { columns: columns.clone(), delimiter }),
            (Some(columns), None) => {
                let columns = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
                let message = format!(
                    "multivalent_columns: expected secondary_delimiter as well, found only {columns}"
                );
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
            (None, Some(delimiter)) => {
                let delimiter = quoted(&char::from(delimiter).to_string());
                let message = format!(
                    "secondary_delimiter: expected multivalent_columns as well, found only {delimiter}"
                );
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        };
        let dialect = Self {
            skip_lines: options.skip_lines,
            header: options.header,
            delimiter: options.delimiter,
            quote: options.quote,
            escape: options.escape,
            skip_blank_lines: options.skip_blank_lines,
            nulls: options.nulls.clone(),
            comment: options.comment,
            true_values: options.true_values.clone(),
            false_values: options.false_values.clone(),
            decimal_comma: options.decimal_comma,
            multivalent,
        };
        dialect.check()?;
        Ok(dialect)
    }
}

impl CsvDialect {
    /// A checksum of the options that determine the boundaries of records. An index or a checkpoint of other options would
    /// skip rows.
    pub(crate) fn checksum(&self) -> u32 {
        let flags = [self.header, self.skip_blank_lines, self.escape.is_some()].map(u8::from);
        let characters = [self.delimiter, self.quote, self.escape.unwrap_or(0)];
        // Without a comment character, the checksum is that of versions without this option.
        let comment = self.comment.as_slice();
        crc32c(&[&self.skip_lines.to_le_bytes()[..], &flags, &characters, comment].concat())
    }

    pub(crate) fn framing(&self) -> Framing {
        Framing::Csv {
            delimiter: self.delimiter,
            quote: self.quote,
            escape: self.escape,
            comment: self.comment,
        }
    }

    /// Checks the characters of the dialect, and those of cells with several values.
    ///
    /// # Errors
    /// A character or a text has two meanings, or a character is not in ASCII. The quote and the escape keep their meanings in
    /// cells with several values.
    fn check(&self) -> Result<(), FeedError> {
        let characters = [
            ("delimiter", Some(self.delimiter)),
            ("quote", Some(self.quote)),
            ("escape", self.escape),
            ("comment", self.comment),
        ];
        let characters = characters.map(|(name, byte)| byte.map(|byte| (name, byte)));
        for (i, (name, byte)) in characters.iter().flatten().enumerate() {
            let text = quoted(&char::from(*byte).to_string());
            let message = if !byte.is_ascii() || matches!(byte, b'\r' | b'\n' | 0) {
                format!("expected an ASCII character other than a line end as {name}, found {text}")
            } else if let Some((other, _)) = characters.iter().flatten().take(i).find(|it| it.1 == *byte) {
                format!("expected different characters as {name} and {other}, found {text} for both")
            } else {
                continue;
            };
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        if self.decimal_comma && self.delimiter == b',' {
            let message = "expected another delimiter than the decimal comma, found \",\" for both";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        if let Some(both) = self.true_values.iter().find(|text| self.false_values.contains(text)) {
            let message = format!("expected a text for true or for false, found {} for both", quoted(both));
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        self.multivalent.as_ref().map_or(Ok(()), |multivalent| self.of_cells(multivalent).check())
    }

    /// For each column, the dialect of the values in its cells; `None` if each cell has one value.
    pub(super) fn of_columns(&self, schema: &Schema) -> Vec<Option<Arc<Self>>> {
        let Some(multivalent) = &self.multivalent else { return vec![None; schema.fields().len()] };
        let names: HashSet<&String> = multivalent.columns.iter().collect();
        let of_cells = Arc::new(self.of_cells(multivalent));
        let fields = schema.fields().iter();
        fields.map(|field| names.contains(field.name()).then(|| of_cells.clone())).collect()
    }

    fn of_cells(&self, multivalent: &Multivalent) -> Self {
        Self { delimiter: multivalent.delimiter, multivalent: None, comment: None, ..self.clone() }
    }

    /// The pattern of null cells; `None` if only the empty text is null.
    ///
    /// # Errors
    /// The texts are together too long for a pattern.
    pub(super) fn null_pattern(&self) -> Result<Option<Regex>, FeedError> {
        if self.nulls == [""] {
            return Ok(None);
        }
        let texts: Vec<String> = self.nulls.iter().map(|text| regex::escape(text)).collect();
        // Without null texts, no cell is null.
        let pattern =
            if texts.is_empty() { r"[^\s\S]".to_owned() } else { format!(r"\A(?:{})\z", texts.join("|")) };
        // Escaped texts are a pattern, so only its size can be refused.
        Regex::new(&pattern).map(Some).map_err(|error| {
            let (count, bytes) = (self.nulls.len(), self.nulls.iter().map(String::len).sum::<usize>());
            let found = format!("{} of {}", counted(count as u64, "text"), counted(bytes as u64, "byte"));
            let message = format!("nulls: expected fewer or shorter texts, found {found}");
            FeedError::new(FeedErrorKind::Options, message).with_source(error)
        })
    }

    /// A builder of a reader of these columns.
    pub(super) fn reader(&self, schema: SchemaRef, nulls: Option<&Regex>) -> ReaderBuilder {
        ReaderBuilder::new(schema).with_header(false).with_format(self.format(nulls))
    }

    fn format(&self, nulls: Option<&Regex>) -> Format {
        let format = Format::default().with_delimiter(self.delimiter).with_quote(self.quote);
        let format = self.escape.into_iter().fold(format, Format::with_escape);
        nulls.into_iter().fold(format, |format, nulls| format.with_null_regex(nulls.clone()))
    }

    /// Splits a record into the texts of its cells.
    ///
    /// # Errors
    /// The record is not in UTF-8, or has more than [`MAX_CELLS`].
    pub(super) fn texts(&self, record: &[u8]) -> Result<Vec<String>, FeedError> {
        if let Err(error) = std::str::from_utf8(record) {
            let wrong = &record[error.valid_up_to()..];
            let found = hex(&wrong[..error.error_len().unwrap_or(wrong.len())]);
            let message = format!("expected text in UTF-8, found the bytes {found}");
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
        }
        // This counts delimiters in quotes too.
        if memchr_iter(self.delimiter, record).count() >= MAX_CELLS {
            let most = thousands(MAX_CELLS as u64);
            let message = format!("expected a record of at most {most} cells, found more");
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
        }
        let format = self.format(None).with_header(true);
        let inferred = format.infer_schema(record, Some(0)).map_err(|error| {
            let message = format!("expected a record of CSV, found text that cannot be parsed: {error}");
            FeedError::new(FeedErrorKind::CorruptBlock, message)
        })?;
        Ok(inferred.0.fields().iter().map(|field| field.name().clone()).collect())
    }
}
