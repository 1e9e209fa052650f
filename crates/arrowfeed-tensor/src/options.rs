//! Choices of an adapter.

/// What to do with nulls among the values: inside of lists that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InnerNulls {
    /// They are errors.
    #[default]
    Error,
    /// The default value takes their place; where the representation has none, zero, false or the empty string.
    Fill,
}

/// What to do with two entries of a sparse tensor that have the same coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// Both are kept, in the order of the columns.
    #[default]
    Keep,
    /// They are errors.
    Error,
}

/// Choices that hold for all tensors of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterOptions {
    /// Nulls among the values.
    pub inner_nulls: InnerNulls,
    /// Entries of sparse tensors with the same coordinates.
    pub duplicates: Duplicates,
    /// Most bytes that the values of a dictionary may take in one tensor, where each row gets its own copy.
    pub batch_bytes: usize,
}

impl AdapterOptions {
    /// The default of `batch_bytes`: 512 MiB.
    pub const BATCH_BYTES: usize = 512 << 20;
}

impl Default for AdapterOptions {
    fn default() -> Self {
        let (inner_nulls, duplicates) = (InnerNulls::default(), Duplicates::default());
        Self { inner_nulls, duplicates, batch_bytes: Self::BATCH_BYTES }
    }
}
