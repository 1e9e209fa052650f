//! Specs of tensors, known before any batch.

use std::fmt;

use crate::dtype::DType;
use crate::row_splits::SplitsDType;

/// The kind of a tensor.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TensorKind {
    /// [`DenseTensor`](crate::DenseTensor).
    Dense,
    /// [`SparseTensor`](crate::SparseTensor).
    Sparse,
    /// [`RaggedTensor`](crate::RaggedTensor).
    Ragged,
    /// [`StructuredTensor`](crate::StructuredTensor).
    Structured,
}

impl TensorKind {
    /// `dense`, `sparse`, `ragged` or `structured`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Sparse => "sparse",
            Self::Ragged => "ragged",
            Self::Structured => "structured",
        }
    }
}

/// The properties that all tensors of a representation share.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSpec {
    /// The kind of tensor.
    pub kind: TensorKind,
    /// The type of the values; `None` for structured tensors, whose fields have their own types.
    pub dtype: Option<DType>,
    /// Sizes of all dimensions, the batch first. `None` means that the size varies between batches or rows.
    pub shape: Vec<Option<usize>>,
    /// Number of ragged dimensions, each with row splits.
    pub ragged_rank: usize,
    /// The integer type of the row splits; `None` if there are none.
    pub row_splits_dtype: Option<SplitsDType>,
    /// The fields of a structured tensor, in order.
    pub fields: Vec<(String, TensorSpec)>,
}

impl TensorSpec {
    /// The spec of a dense tensor. `inner` has the dimensions after the batch.
    pub fn dense(dtype: DType, inner: &[usize]) -> Self {
        Self::plain(TensorKind::Dense, dtype, inner.iter().map(|size| Some(*size)))
    }

    /// The spec of a sparse tensor. `inner` has the dimensions after the batch.
    pub fn sparse(dtype: DType, inner: &[Option<usize>]) -> Self {
        Self::plain(TensorKind::Sparse, dtype, inner.iter().copied())
    }

    /// The spec of a ragged tensor with `ragged_rank` ragged dimensions after the batch, then dimensions of fixed size.
    pub fn ragged(dtype: DType, ragged_rank: usize, inner: &[usize], splits: SplitsDType) -> Self {
        let ragged = std::iter::repeat_n(None, ragged_rank);
        let inner = inner.iter().map(|size| Some(*size));
        let spec = Self::plain(TensorKind::Ragged, dtype, ragged.chain(inner));
        Self { ragged_rank, row_splits_dtype: Some(splits), ..spec }
    }

    fn plain(kind: TensorKind, dtype: DType, inner: impl Iterator<Item = Option<usize>>) -> Self {
        let shape = std::iter::once(None).chain(inner).collect();
        Self { kind, dtype: Some(dtype), shape, ragged_rank: 0, row_splits_dtype: None, fields: Vec::new() }
    }
}

/// Formats like `dense float32 [?, 3]`, `ragged int64 [?, ?] (row splits int32)`, `structured [?] {a: dense int64 [?]}`.
impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.name())?;
        if let Some(dtype) = self.dtype {
            write!(f, " {dtype}")?;
        }
        let sizes = self.shape.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string()));
        write!(f, " [{}]", sizes.collect::<Vec<_>>().join(", "))?;
        if let Some(splits) = self.row_splits_dtype {
            write!(f, " (row splits {})", splits.name())?;
        }
        if self.kind == TensorKind::Structured {
            let fields = self.fields.iter().map(|(name, spec)| format!("{name}: {spec}"));
            write!(f, " {{{}}}", fields.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}
