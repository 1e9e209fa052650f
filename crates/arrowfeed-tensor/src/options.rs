//! Options of an adapter.

/// Handling of nulls among the values, inside lists that are not null.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InnerNulls {
    /// A null is an error.
    #[default]
    Error,
    /// The default value replaces a null. Without a default, zero, false or the empty string does.
    Fill,
}

/// Handling of two entries of a sparse tensor with the same coordinates.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// Keeps both, in the order of the columns.
    #[default]
    Keep,
    /// Duplicates are errors.
    Error,
}

/// Options for all tensors of an adapter.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterOptions {
    /// Handling of nulls among the values.
    pub inner_nulls: InnerNulls,
    /// Handling of entries of sparse tensors with the same coordinates.
    pub duplicates: Duplicates,
    /// Limit on the bytes that the values of a dictionary take in one tensor, where each row has its own copy.
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
