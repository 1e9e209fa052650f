//! The result of reading: rows, and the fault that ended it.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use arrowfeed_avro::{FeedError, FeedErrorKind, FileReader};

/// An error without the name of its file, which depends on the way of reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FeedErrorKind,
    pub(crate) limit: Option<&'static str>,
    pub(crate) block: Option<u64>,
    pub(crate) field: Option<String>,
    text: String,
}

impl Fault {
    /// Removes the number of the block, because a split counts blocks from its own start.
    pub(crate) fn without_block(mut self) -> Self {
        if let Some(block) = self.block.take() {
            self.text = self.text.replacen(&format!("block {block} at "), "", 1);
        }
        self
    }
}

impl From<&FeedError> for Fault {
    fn from(error: &FeedError) -> Self {
        let location = error.location();
        let text = error.to_string();
        let name = location.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
        let text = text.strip_prefix(&name).unwrap_or(&text).to_owned();
        let (block, field) = (location.block, location.field.clone());
        Self { kind: error.kind(), limit: error.limit(), block, field, text }
    }
}

/// `CorruptBlock: block 1 at byte 93: expected ...`, `Limit header_bytes: ...`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.limit.map(|limit| format!(" {limit}")).unwrap_or_default();
        write!(f, "{:?}{limit}: {}", self.kind, self.text)
    }
}

/// The complete output of a reader.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    pub(crate) batches: Vec<RecordBatch>,
    pub(crate) fault: Option<Fault>,
}

impl Outcome {
    /// Reads to the end or to the first error, and checks that nothing follows.
    pub(crate) fn of(reader: Result<FileReader, FeedError>) -> Self {
        let mut outcome = Self::default();
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(error) => return Self { fault: Some(Fault::from(&error)), ..outcome },
        };
        for batch in reader.by_ref() {
            match batch {
                Ok(batch) => outcome.batches.push(batch),
                Err(error) => {
                    assert!(outcome.fault.is_none(), "one error is the last");
                    outcome.fault = Some(Fault::from(&error));
                }
            }
        }
        assert!(reader.next().is_none(), "nothing comes after the end");
        outcome
    }

    pub(crate) fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// All rows as one batch; `None` if there is no batch.
    pub(crate) fn table(&self) -> Option<RecordBatch> {
        let schema = self.batches.first()?.schema();
        Some(concat_batches(&schema, &self.batches).expect("batches of one schema"))
    }

    /// The text of the fault, or `ok`.
    pub(crate) fn verdict(&self) -> String {
        self.fault.as_ref().map_or_else(|| "ok".to_owned(), Fault::to_string)
    }
}
