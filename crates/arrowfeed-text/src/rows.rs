//! The rows of a batch. Records are stored, and parsed together.

use arrow_array::RecordBatch;
use arrowfeed_select::concat_batches;
use arrowfeed_source::format::records::RowBuilder;
use arrowfeed_source::format::{FileFormat, records::FramedFormat};
use arrowfeed_source::{FeedError, FeedErrorKind, copy_error, thousands};

use crate::format::TextFormat;
use crate::group::Group;

/// Number of bytes from which on a group of records is parsed.
const GROUP_BYTES: usize = 1 << 20;

/// The rows of the batch that is being built.
pub(crate) struct TextRows {
    format: TextFormat,
    /// Records that are not parsed yet.
    group: Group,
    parts: Vec<RecordBatch>,
    len: usize,
    bytes: usize,
}

impl TextRows {
    pub(crate) fn new(format: TextFormat) -> Self {
        Self { format, group: Group::default(), parts: Vec::new(), len: 0, bytes: 0 }
    }
}

impl RowBuilder for TextRows {
    const IS_DEFERRED: bool = true;

    fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let parser = self.format.parser();
        let (beside, most) = (parser.overhead_bytes(record), self.format.batch_bytes());
        if beside > most {
            let (most, found) = (thousands(most as u64), thousands(beside as u64));
            let message = format!("expected objects with at most {most} bytes of nulls, found up to {found}");
            return Err(FeedError::limit_reached("batch_bytes", message));
        }
        if self.bytes == 0 {
            self.bytes = parser.fixed_bytes();
        }
        self.bytes = self.bytes.saturating_add(parser.most_bytes(record));
        self.group.push(record);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.group.len() >= self.format.parser().most_records() || self.group.bytes() >= GROUP_BYTES
    }

    fn decode(&mut self, ends_at_error: bool) -> Vec<Result<usize, FeedError>> {
        let parsed = self.group.parse(self.format.parser(), ends_at_error);
        self.group.clear();
        let parsed = parsed.into_iter().map(|part| {
            let batch = part.map_err(|error| self.format.explained(error))?;
            let rows = batch.num_rows();
            self.len += rows;
            self.parts.push(batch);
            Ok(rows)
        });
        parsed.collect()
    }

    fn rows(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        (self.len, self.bytes) = (0, 0);
        let mut parts = std::mem::take(&mut self.parts);
        if parts.len() < 2 {
            return Ok(parts.pop());
        }
        let parts: Vec<_> = parts.iter().collect();
        let batch = concat_batches(self.format.schema(), &parts).map_err(|error| {
            copy_error(error, || FeedError::new(FeedErrorKind::Internal, "expected parts of one schema"))
        });
        batch.map(Some)
    }
}
