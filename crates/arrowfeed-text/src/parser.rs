//! Conversion of records to batches: CSV cells, JSON objects, or whole records.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::project;
use arrowfeed_source::{FeedError, FeedErrorKind, panic_text};

use crate::csv::{CsvDialect, CsvParser};
use crate::framing::Framing;
use crate::group::Slice;
use crate::json::JsonParser;

/// Maximum number of cells that are parsed together. Parsers allocate memory for all cells first.
const MAX_CELLS: usize = 1 << 20;

/// Maximum number of records that are parsed together.
const MAX_RECORDS: usize = 8 << 10;

/// Minimum number of records that are parsed together, if as many fit into a batch. They share the [`COLUMN_BYTES`].
const MIN_RECORDS: usize = 64;

/// Bytes that the arrays of a column take beside its values.
const COLUMN_BYTES: usize = 500;

/// Maximum number of CSV columns that are parsed together. `arrow-csv` allocates at least 1 KiB for each column of texts.
const MAX_COLUMNS: usize = 16 << 10;

/// Maximum number of column bytes per byte of a record: an integer has 8 bytes, and may be one character.
const GROWTH: usize = 8;

/// Bytes of a row in a column without values: its offset and its validity.
const ROW_OVERHEAD: usize = 9;

/// A parser of records into batches.
#[derive(Debug, Clone)]
pub(crate) enum Parser {
    Csv(CsvParser),
    Json(JsonParser),
    Whole(WholeRecords),
}

/// A parser that stores each record as a value of the only column, `record`, of type `large_binary`.
#[derive(Debug, Clone)]
pub(crate) struct WholeRecords {
    whole: SchemaRef,
    /// The column if it is read, or none.
    schema: SchemaRef,
    /// The dialect of CSV records; `None` if each line is a record.
    dialect: Option<CsvDialect>,
}

impl Parser {
    /// Returns a parser of whole CSV records, or of lines if there is no dialect.
    pub(crate) fn whole(dialect: Option<CsvDialect>) -> Self {
        let record = Field::new("record", DataType::LargeBinary, false);
        let whole = Arc::new(Schema::new(vec![record]));
        Self::Whole(WholeRecords { schema: whole.clone(), whole, dialect })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        match self {
            Self::Csv(parser) => parser.schema(),
            Self::Json(parser) => parser.schema(),
            Self::Whole(records) => &records.schema,
        }
    }

    /// The schema of all columns, whichever are selected.
    pub(crate) fn whole_schema(&self) -> &SchemaRef {
        match self {
            Self::Csv(parser) => parser.whole_schema(),
            Self::Json(parser) => parser.whole_schema(),
            Self::Whole(records) => &records.whole,
        }
    }

    pub(crate) fn framing(&self) -> Framing {
        self.dialect().map_or(Framing::Lines, CsvDialect::framing)
    }

    /// The dialect of the files; `None` if they are not CSV.
    pub(crate) fn dialect(&self) -> Option<&CsvDialect> {
        match self {
            Self::Csv(parser) => Some(parser.dialect()),
            Self::Json(_) => None,
            Self::Whole(records) => records.dialect.as_ref(),
        }
    }

    /// Returns the parser with other columns.
    ///
    /// # Errors
    /// A column does not exist.
    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        Ok(match self {
            Self::Csv(parser) => Self::Csv(parser.with_columns(columns)?),
            Self::Json(parser) => Self::Json(parser.with_columns(columns)?),
            Self::Whole(records) => {
                let (schema, _) = project(&records.whole, columns)?;
                Self::Whole(WholeRecords { schema, ..records.clone() })
            }
        })
    }

    /// The bytes that replace an empty line if it counts as a record.
    pub(crate) fn blank_record(&self) -> &[u8] {
        match self {
            Self::Csv(parser) => parser.blank_record(),
            Self::Json(_) | Self::Whole(_) => b"",
        }
    }

    /// Maximum number of records that are parsed together.
    pub(crate) fn most_records(&self) -> usize {
        let columns = match self {
            Self::Csv(parser) => parser.width(),
            Self::Json(parser) => parser.width(),
            Self::Whole(_) => 1,
        };
        (MAX_CELLS / columns.max(1)).clamp(MIN_RECORDS, MAX_RECORDS)
    }

    /// Upper bound of the memory that a record takes in a batch, in bytes.
    pub(crate) fn most_bytes(&self, record: &[u8]) -> usize {
        record.len().saturating_mul(GROWTH).saturating_add(self.overhead_bytes(record))
    }

    /// The part of [`most_bytes`](Self::most_bytes) for offsets and validity instead of values.
    pub(crate) fn overhead_bytes(&self, record: &[u8]) -> usize {
        let slots = match self {
            Self::Csv(parser) => parser.schema().fields().len(),
            Self::Json(parser) => parser.most_rows(record).saturating_mul(parser.width()),
            Self::Whole(_) => 1,
        };
        slots.saturating_mul(ROW_OVERHEAD)
    }

    /// Upper bound of the memory that a batch takes beside its records, in bytes. It matters only if there are many columns.
    pub(crate) fn fixed_bytes(&self) -> usize {
        let columns = match self {
            Self::Csv(parser) => parser.schema().fields().len(),
            Self::Json(parser) => parser.width(),
            Self::Whole(_) => 1,
        };
        if columns > MAX_COLUMNS { columns.saturating_mul(COLUMN_BYTES) } else { 0 }
    }

    /// Parses records into the rows of a batch; `None` if one of them is invalid.
    ///
    /// # Errors
    /// The parser panics.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<Option<RecordBatch>, FeedError> {
        let parse = || match self {
            Self::Csv(parser) => parse_csv(parser, records),
            Self::Json(parser) => parser.parse(records),
            Self::Whole(whole) => parse_whole(&whole.schema, records),
        };
        match catch_unwind(AssertUnwindSafe(parse)) {
            Ok(parsed) => Ok(parsed.ok().filter(|batch| batch.num_rows() == records.len())),
            Err(panic) => {
                let text = panic_text(&*panic).unwrap_or("no message");
                let message = format!(
                    "expected a record that can be parsed, found one at which the parser panics: {text}"
                );
                Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
            }
        }
    }

    /// Returns the error of a record that [`parse`](Self::parse) rejects.
    #[cold]
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        match self {
            Self::Csv(parser) => parser.explain(record),
            Self::Json(parser) => parser.explain(record),
            Self::Whole(_) => {
                FeedError::new(FeedErrorKind::Internal, "expected no error for a raw record, found one")
            }
        }
    }
}

/// Parses CSV records. Many columns are parsed one part after the other, and the memory that a part does not use is freed.
fn parse_csv(parser: &CsvParser, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
    let width = parser.schema().fields().len();
    if width <= MAX_COLUMNS {
        return parser.parse(records);
    }
    let mut columns = Vec::with_capacity(width);
    for start in (0..width).step_by(MAX_COLUMNS) {
        let part = parser.some(start..width.min(start + MAX_COLUMNS))?.parse(records)?;
        let (_, mut part, _) = part.into_parts();
        part.iter_mut().for_each(Array::shrink_to_fit);
        columns.append(&mut part);
    }
    RecordBatch::try_new(parser.schema().clone(), columns)
}

/// Stores records as values, without their line ends, if the column is read.
fn parse_whole(schema: &SchemaRef, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
    let values = |_| {
        let values = LargeBinaryArray::from_iter_values(records.iter().map(|record| {
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            record.strip_suffix(b"\r").unwrap_or(record)
        }));
        Arc::new(values) as ArrayRef
    };
    let columns = schema.fields().iter().map(values).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}
