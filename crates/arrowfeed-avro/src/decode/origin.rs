//! Where the rows of a batch come from: what it takes to go on after any of them.

use arrow_array::RecordBatch;

/// A batch, and where its rows come from.
#[derive(Debug)]
pub(crate) struct LocatedBatch {
    pub(crate) batch: RecordBatch,
    /// By row; the first is of row 0.
    pub(crate) origins: Vec<RowOrigin>,
}

/// From `row` of a batch on, rows are those of a block, after its first `before` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrigin {
    /// Row of the batch.
    pub row: usize,
    /// Number of the block in its file.
    pub block: u64,
    /// Where the block starts in its file.
    pub offset: u64,
    /// Rows of the block that are not in this batch, because they come before.
    pub before: u64,
}

impl LocatedBatch {
    /// Bytes of memory that it takes, its own structs included: a batch without columns takes some too.
    pub(crate) fn memory_size(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.origins[..]) + self.batch.get_array_memory_size()
    }

    /// The batch of the first `rows` rows.
    pub(crate) fn first_rows(mut self, rows: usize) -> Self {
        self.origins.retain(|origin| origin.row < rows);
        Self { batch: self.batch.slice(0, rows), origins: self.origins }
    }
}
