//! Definitions of features.

use crate::dtype::DType;
use crate::options::Duplicates;
use crate::padding::Padding;
use crate::representation::DefaultValue;
use crate::row_splits::SplitsDType;
use crate::transform::Transform;

/// A tensor of the values that a key expression selects.
///
/// Values have the type of their field, or the `dtype` of the feature, to which they are converted as [`Casts`] allow. Dates,
/// times and byte strings are never converted; a `dtype` that differs from their type is an error. Transforms come before
/// this conversion, and defaults after it. The keys of a [`Transform::Crossed`] begin at the record.
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

/// The conversions of the values of a field to the `dtype` of a feature.
///
/// Integers and floats are converted to each other, bools to the numbers 0 and 1, decimals to `float32` and `float64`, and
/// the symbols of an Avro enum to their codes: the indices of the symbols in the list `avro.enum.symbols` in the metadata of
/// the field.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Float64Array, RecordBatch};
/// use arrow_schema::{DataType, Field, Schema};
/// use arrowfeed_tensor::feature::{Casts, Dense, Feature};
/// use arrowfeed_tensor::{DType, TensorAdapter};
///
/// let schema = Arc::new(Schema::new(vec![Field::new("price", DataType::Float64, false)]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Float64Array::from(vec![0.1, -2.5]))])?;
/// let price = |dtype, casts| {
///     Feature::Dense(Dense { key: "price".to_owned(), dtype: Some(dtype), casts, ..Dense::default() })
/// };
/// let adapter = TensorAdapter::from_features(schema.clone(), [("price", price(DType::Float32, Casts::Lossy))])?;
/// let tensors = adapter.convert(&batch)?;
/// assert_eq!(tensors.dense("price")?.values().as_f32(), Some(&[0.1, -2.5][..]));
///
/// let error = TensorAdapter::from_features(schema, [("price", price(DType::Float32, Casts::Exact))]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"key "price": expected values that float32 holds exactly, found float64 (`lossy` converts them)"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Casts {
    /// Those to a type that holds every value of the field's type exactly.
    #[default]
    Exact,
    /// All of them. Numbers become the nearest floats, and the fractions of integers are cut. A value out of the range of the
    /// type is an error that names its row.
    Lossy,
    /// None: a field of another type is an error.
    Refused,
}

/// Dense tensor `[batch, shape...]`.
///
/// The key has as many dimensions as the shape, or one dimension whose elements fill the shape in row-major order. A default
/// fills missing rows, the ends of lists that are too short, and null values. Without a default, a missing value is an
/// error. A list that is too long is an error, unless `truncate` is set.
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch.
    pub shape: Vec<usize>,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The type of the values, after the transforms. `None` means the type of the field, or of the transformed values.
    pub dtype: Option<DType>,
    /// The conversions to `dtype` that are allowed.
    pub casts: Casts,
    /// Replaces missing values. For a float type, an integer that the type holds exactly is a float.
    pub default: Option<RowDefault>,
    /// Whether lists that are too long are cut at their ends, in each dimension. If the elements of one list fill the shape,
    /// those past its end are dropped.
    pub truncate: bool,
}

/// The default that replaces missing values.
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
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
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FixedLenSequence {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions of one item. `None` means the length of the longest list of the batch.
    pub shape: Vec<Option<usize>>,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The type of the values, after the transforms. `None` means the type of the field, or of the transformed values.
    pub dtype: Option<DType>,
    /// The conversions to `dtype` that are allowed.
    pub casts: Casts,
    /// Replaces missing values. For a float type, an integer that the type holds exactly is a float.
    pub default: Option<DefaultValue>,
    /// Whether lists that are longer than their size are cut at their ends. At least one size must be known, and the key must
    /// have two or more dimensions.
    pub truncate: bool,
}

/// Sparse tensor `[batch, longest, ...]`, with one dimension for each dimension of the key.
///
/// If the key has no dimensions, a row has one value, or none if the value is missing. A null in a list is an error.
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VarLen {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the batch, one for each dimension of the key. A list of another length is an error. A size
    /// of `None` means the length of the longest list of the batch. No shape means this for all sizes.
    pub shape: Option<Vec<Option<usize>>>,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The type of the values, after the transforms. `None` means the type of the field, or of the transformed values.
    pub dtype: Option<DType>,
    /// The conversions to `dtype` that are allowed.
    pub casts: Casts,
    /// Whether lists that are longer than their size are cut at their ends. At least one size must be known.
    pub truncate: bool,
}

/// Sparse tensor `[batch, size...]`: all keys select the same number of elements in each row.
///
/// Index and value keys are relative to the feature's key unless they begin with `@`. If the feature's key selects an array,
/// its `[*]` is implied. `size` has an entry for each index key. To keep the dimensions of the feature's key, it has one more
/// entry for each of them, in front.
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
#[derive(Debug, Clone, PartialEq, Default)]
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
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The type of the values, after the transforms. `None` means the type of the field, or of the transformed values.
    pub dtype: Option<DType>,
    /// The conversions to `dtype` that are allowed.
    pub casts: Casts,
    /// Whether the entries of each row are already sorted by their indices. If so, they are not sorted, and their order is not
    /// checked.
    pub already_sorted: bool,
    /// Handling of entries of a row with the same indices, also with `already_sorted`.
    pub duplicates: Duplicates,
}

/// Ragged tensor with one ragged dimension for each dimension of the key. A key without dimensions works as in [`VarLen`].
/// With a padding, the tensor is dense.
///
/// [`TensorAdapter::from_features`](crate::TensorAdapter::from_features) has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ragged {
    /// The key expression.
    pub key: String,
    /// Sizes of the dimensions after the ragged ones. The elements of each innermost list fill consecutive blocks of this shape.
    pub inner_shape: Vec<usize>,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The type of the values, after the transforms. `None` means the type of the field, or of the transformed values.
    pub dtype: Option<DType>,
    /// The conversions to `dtype` that are allowed.
    pub casts: Casts,
    /// The integer type of the row splits.
    pub row_splits_dtype: SplitsDType,
    /// Pads the rows. The key must have at most one dimension.
    pub padding: Option<Padding>,
}
