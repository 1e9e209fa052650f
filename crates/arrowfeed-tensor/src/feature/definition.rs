//! Features as the caller gives them.

use crate::dtype::DType;
use crate::options::Duplicates;
use crate::representation::DefaultValue;
use crate::row_splits::SplitsDType;

/// A tensor of what a key expression selects.
///
/// Values have the type of their field and are never converted. With a `dtype`, a field of another type is an error;
/// without one it is the field's.
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

/// Tensor `[batch, shape...]`.
///
/// The key has as many dimensions as the shape, or one, whose elements fill the shape in row-major order. With a
/// default, what is missing of a row is filled: whole rows, ends of lists, null values. Without one it is an error. A
/// list that is too long always is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch.
    pub shape: Vec<usize>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Takes the place of what is missing.
    pub default: Option<RowDefault>,
}

/// What takes the place of missing values.
#[derive(Debug, Clone, PartialEq)]
pub enum RowDefault {
    /// The same value everywhere.
    Scalar(DefaultValue),
    /// A row of exactly the shape of the feature: what is missing is taken from the same place of it.
    Row {
        /// Sizes of its dimensions.
        shape: Vec<usize>,
        /// Its values, in row-major order.
        values: Vec<DefaultValue>,
    },
}

/// Tensor `[batch, longest, shape...]`, with `longest` as in the batch.
///
/// The key has one dimension more than the shape; or one, whose elements fill items of the shape one after the other.
/// A key of two or more dimensions with a shape of as many gives `[batch, shape...]`. What is missing is filled, as in
/// [`Dense`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FixedLenSequence {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions of one item. `None`: as long as the longest list of the batch.
    pub shape: Vec<Option<usize>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Takes the place of what is missing.
    pub default: Option<DefaultValue>,
}

/// Sparse tensor `[batch, longest, ...]`, one dimension for each of the key.
///
/// Without dimensions, a row has one value, or none where it is missing. In lists, a null is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VarLen {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch, one for each of the key: a list of another length is an error. `None`
    /// in it: as long as the longest list of the batch. `None` in its place: all are.
    pub shape: Option<Vec<Option<usize>>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
}

/// Sparse tensor `[batch, size...]`: all keys select the same number of elements in each row.
///
/// Index and value keys go on from the feature's key, and begin with `@` where they do not. If that key is an array,
/// its `[*]` is implied. `size` has an entry for each index key; or, to keep the dimensions of the feature's key, one
/// more for each of them, in front.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sparse {
    /// The key expression, if one of the others goes on from it.
    pub key: String,
    /// One key of integers for each dimension.
    pub index_keys: Vec<String>,
    /// The key of the values.
    pub value_key: String,
    /// Sizes of the dimensions after the batch. `None`: one more than the largest index of the batch; of a dimension
    /// of the feature's key, its longest list.
    pub size: Vec<Option<usize>>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// Whether the entries of each row are sorted by their indices: they are not sorted again, and not checked.
    pub already_sorted: bool,
    /// Entries of a row with the same indices. After `already_sorted` only neighbours are compared.
    pub duplicates: Duplicates,
}

/// Ragged tensor, one ragged dimension for each of the key; without dimensions as in [`VarLen`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ragged {
    /// The key expression.
    pub key: String,
    /// Sizes of dimensions after the ragged ones: the elements of each innermost list fill blocks of this shape, one
    /// after the other.
    pub inner_shape: Vec<usize>,
    /// The type that the values must have.
    pub dtype: Option<DType>,
    /// The integers of the row splits.
    pub row_splits_dtype: SplitsDType,
}
