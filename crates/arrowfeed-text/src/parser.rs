//! Records to batches: cells of CSV, JSON objects, or whole records.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{LargeBinaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::named_columns;
use arrowfeed_source::{FeedError, FeedErrorKind, panic_text};

use crate::csv::{CsvDialect, CsvParser};
use crate::framing::Framing;
use crate::group::Slice;
use crate::json::JsonParser;

/// Cells that are parsed together, at most: parsers allocate memory for all of them first.
const MOST_CELLS: usize = 1 << 20;

/// Records that are parsed together, at most.
const MOST_RECORDS: usize = 8 << 10;

/// Bytes of columns that a byte of a record may become, at most: an integer has 8, and may be one character.
const GROWTH: usize = 8;

/// Bytes of a row in a column without values: the offset, and the bit of a null.
const BYTES_A_ROW: usize = 9;

/// What makes a batch of records.
#[derive(Debug, Clone)]
pub(crate) enum Parser {
    Csv(CsvParser),
    Json(JsonParser),
    Whole(WholeRecords),
}

/// A record is a value of the only column, `record`, whose type is `large_binary`.
#[derive(Debug, Clone)]
pub(crate) struct WholeRecords {
    schema: SchemaRef,
    /// Of CSV. `None`: a record is a line.
    dialect: Option<CsvDialect>,
}

impl Parser {
    /// The parser of whole records of CSV; without a dialect, of lines.
    pub(crate) fn whole(dialect: Option<CsvDialect>) -> Self {
        let record = Field::new("record", DataType::LargeBinary, false);
        Self::Whole(WholeRecords { schema: Arc::new(Schema::new(vec![record])), dialect })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        match self {
            Self::Csv(parser) => parser.schema(),
            Self::Json(parser) => parser.schema(),
            Self::Whole(whole) => &whole.schema,
        }
    }

    pub(crate) fn framing(&self) -> Framing {
        self.dialect().map_or(Framing::Lines, CsvDialect::framing)
    }

    /// How CSV is written; `None`: the files are no CSV.
    pub(crate) fn dialect(&self) -> Option<&CsvDialect> {
        match self {
            Self::Csv(parser) => Some(parser.dialect()),
            Self::Json(_) => None,
            Self::Whole(whole) => whole.dialect.as_ref(),
        }
    }

    /// The same parser with other columns.
    ///
    /// # Errors
    /// A column is not there.
    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        Ok(match self {
            Self::Csv(parser) => Self::Csv(parser.with_columns(columns)?),
            Self::Json(parser) => Self::Json(parser.with_columns(columns)?),
            Self::Whole(whole) => {
                if named_columns(&whole.schema, columns)?.is_empty() {
                    let message = "expected the column of the records, found no column";
                    return Err(FeedError::new(FeedErrorKind::Options, message));
                }
                self.clone()
            }
        })
    }

    /// The bytes that stand for an empty line where it is a record.
    pub(crate) fn blank_record(&self) -> &[u8] {
        match self {
            Self::Csv(parser) => parser.blank_record(),
            Self::Json(_) | Self::Whole(_) => b"",
        }
    }

    /// Records that are parsed together, at most.
    pub(crate) fn most_records(&self) -> usize {
        let columns = match self {
            Self::Csv(parser) => parser.width(),
            Self::Json(parser) => parser.width(),
            Self::Whole(_) => 1,
        };
        (MOST_CELLS / columns.max(1)).clamp(1, MOST_RECORDS)
    }

    /// Bytes of memory that a record takes in a batch, at most.
    pub(crate) fn most_bytes(&self, record: &[u8]) -> usize {
        record.len().saturating_mul(GROWTH).saturating_add(self.bytes_beside(record))
    }

    /// The part of [`most_bytes`](Self::most_bytes) that values do not take: offsets and nulls.
    pub(crate) fn bytes_beside(&self, record: &[u8]) -> usize {
        let slots = match self {
            Self::Csv(parser) => parser.schema().fields().len(),
            Self::Json(parser) => parser.most_rows(record).saturating_mul(parser.width()),
            Self::Whole(_) => 1,
        };
        slots.saturating_mul(BYTES_A_ROW)
    }

    /// The records as rows of a batch. `None`: one of them is wrong.
    ///
    /// # Errors
    /// The parser panics.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<Option<RecordBatch>, FeedError> {
        let parse = || match self {
            Self::Csv(parser) => parser.parse(records),
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

    /// The fault of a record that [`parse`](Self::parse) refuses.
    #[cold]
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        match self {
            Self::Csv(parser) => parser.explain(record),
            Self::Json(parser) => parser.explain(record),
            Self::Whole(_) => {
                FeedError::new(FeedErrorKind::Internal, "expected bytes that are a record, found others")
            }
        }
    }
}

/// Records without their line ends.
fn parse_whole(schema: &SchemaRef, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
    let records = LargeBinaryArray::from_iter_values(records.iter().map(|record| {
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        record.strip_suffix(b"\r").unwrap_or(record)
    }));
    RecordBatch::try_new(schema.clone(), vec![Arc::new(records)])
}
