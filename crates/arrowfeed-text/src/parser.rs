//! Records to batches: cells of CSV, JSON objects, or whole lines.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{LargeBinaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, panic_text};

use crate::csv::CsvParser;
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
    /// A record is a value of the only column, `line`, whose type is `large_binary`.
    Lines(SchemaRef),
}

impl Parser {
    /// The parser of lines.
    pub(crate) fn lines() -> Self {
        let line = Field::new("line", DataType::LargeBinary, false);
        Self::Lines(Arc::new(Schema::new(vec![line])))
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        match self {
            Self::Csv(parser) => parser.schema(),
            Self::Json(parser) => parser.schema(),
            Self::Lines(schema) => schema,
        }
    }

    pub(crate) fn framing(&self) -> Framing {
        match self {
            Self::Csv(parser) => parser.dialect().framing(),
            Self::Json(_) | Self::Lines(_) => Framing::Lines,
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
            Self::Lines(schema) => Self::Lines(schema.clone()),
        })
    }

    /// The bytes that stand for an empty line where it is a record.
    pub(crate) fn blank_record(&self) -> &[u8] {
        match self {
            Self::Csv(parser) => parser.blank_record(),
            Self::Json(_) | Self::Lines(_) => b"",
        }
    }

    /// Records that are parsed together, at most.
    pub(crate) fn most_records(&self) -> usize {
        let columns = match self {
            Self::Csv(parser) => parser.width(),
            Self::Json(parser) => parser.width(),
            Self::Lines(_) => 1,
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
            Self::Lines(_) => 1,
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
            Self::Lines(schema) => parse_lines(schema, records),
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
            Self::Lines(_) => FeedError::new(FeedErrorKind::Internal, "expected a line, found no line"),
        }
    }
}

fn parse_lines(schema: &SchemaRef, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
    let lines = LargeBinaryArray::from_iter_values(records.iter());
    RecordBatch::try_new(schema.clone(), vec![Arc::new(lines)])
}
