//! Definitions of features.

use crate::dtype::DType;
use crate::options::Duplicates;
use crate::representation::DefaultValue;
use crate::row_splits::SplitsDType;

/// A tensor of the values that a key expression selects.
///
/// Values have the type of their field and are never converted. With a `dtype`, a field of another type is an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Every row has the same shape.
    Dense(Dense),
    /// Rows of any length, padded to the longest of the batch.
    FixedLenSequence(FixedLenSequence),
    /// Rows of any length, as coordinates and values.
    VarLen(VarLen),
    /// Values at indices that other keys select.
    Sparse(Sparse),
    /// Rows of any length, as values and row splits.
    Ragged(Ragged),
}

/// Dense tensor `[batch, shape...]`.
///
/// The key has as many dimensions as the shape, or one dimension whose elements fill the shape in row-major order. A default
/// fills missing rows, the ends of lists that are too short, and null values. Without a default, a missing value is an
/// error. A list that is too long is always an error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch.
    pub shape: Vec<usize>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Replaces missing values.
    pub default: Option<RowDefault>,
}

/// The default that replaces missing values.
#[derive(Debug, Clone, PartialEq)]
pub enum RowDefault {
    /// The same value everywhere.
    Scalar(DefaultValue),
    /// A row with exactly the shape of the feature. Its value at the same position replaces a missing value.
    Row {
        /// Sizes of its dimensions.
        shape: Vec<usize>,
        /// Its values, in row-major order.
        values: Vec<DefaultValue>,
    },
}

/// Dense tensor `[batch, longest, shape...]`, where `longest` is the length of the longest row of the batch.
///
/// The key has one dimension more than the shape, or one dimension whose elements fill consecutive items of the shape. A key
/// of two or more dimensions with a shape of as many gives `[batch, shape...]`. Missing values are filled as in [`Dense`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FixedLenSequence {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions of one item. `None` means the length of the longest list of the batch.
    pub shape: Vec<Option<usize>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Replaces missing values.
    pub default: Option<DefaultValue>,
}

/// Sparse tensor `[batch, longest, ...]`, with one dimension for each dimension of the key.
///
/// If the key has no dimensions, a row has one value, or none if the value is missing. A null in a list is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VarLen {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch, one for each dimension of the key. A list of another length is an error. A size
    /// of `None` means the length of the longest list of the batch. No shape means this for all sizes.
    pub shape: Option<Vec<Option<usize>>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
}

/// Sparse tensor `[batch, size...]`: all keys select the same number of elements in each row.
///
/// Index and value keys are relative to the feature's key unless they begin with `@`. If the feature's key selects an array,
/// its `[*]` is implied. `size` has an entry for each index key. To keep the dimensions of the feature's key, it has one more
/// entry for each of them, in front.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sparse {
    /// The key expression, if one of the other keys is relative to it.
    pub key: String,
    /// One key of integers for each dimension.
    pub index_keys: Vec<String>,
    /// The key of the values.
    pub value_key: String,
    /// Sizes of the dimensions after the batch. `None` means one more than the largest index of the batch or, for a dimension of
    /// the feature's key, the length of its longest list.
    pub size: Vec<Option<usize>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Whether the entries of each row are already sorted by their indices. If so, they are not sorted, and their order is not
    /// checked.
    pub already_sorted: bool,
    /// Handling of entries of a row with the same indices, also with `already_sorted`.
    pub duplicates: Duplicates,
}

/// Ragged tensor with one ragged dimension for each dimension of the key. A key without dimensions works as in [`VarLen`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ragged {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the ragged ones. The elements of each innermost list fill consecutive blocks of this shape.
    pub inner_shape: Vec<usize>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// The integer type of the row splits.
    pub row_splits_dtype: SplitsDType,
}
