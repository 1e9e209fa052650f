//! Descriptions of tensors and their source columns, parsed and validated.

use std::fmt;

use crate::column_path::ColumnPath;
use crate::error::{RepresentationError, RepresentationErrorKind, count};
use crate::padding::Padding;
use crate::row_splits::SplitsDType;
use crate::transform::Transform;

mod source_message;
mod wire;

pub use source_message::SourceMessage;

pub(crate) use wire::{dims, sizes};

/// A description of a tensor and its source columns.
///
/// Names of columns follow [`ColumnPath`]: `a.b` is the column with that name, or else the field `b` of column `a`.
///
/// ```
/// use arrowfeed_tensor::{Dense, DefaultValue, Representation};
///
/// let dense = Representation::Dense(Dense {
///     column: "pixels".to_owned(),
///     shape: vec![28, 28],
///     default: Some(DefaultValue::Float(0.0)),
///     ..Dense::default()
/// });
/// assert_eq!(Representation::from_proto(&dense.to_proto())?, dense);
/// # Ok::<(), arrowfeed_tensor::RepresentationError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Representation {
    /// Every row has the same shape.
    Dense(Dense),
    /// Rows of any length, as coordinates and values.
    VarLenSparse(VarLenSparse),
    /// Coordinates and values from separate columns.
    Sparse(Sparse),
    /// Rows of any length, as values and row splits, divided by partitions.
    Ragged(Ragged),
    /// Rows of any length and depth, as values and row splits.
    VarLenRagged(VarLenRagged),
    /// Tensors of several columns, with the nesting of the columns.
    Structured(Structured),
}

/// Dense tensor `[batch, shape...]`. Each row has as many values as the product of `shape`, or lists nested like `shape`.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    /// The column.
    pub column: String,
    /// Sizes of the dimensions after the batch.
    pub shape: Vec<usize>,
    /// Value for missing rows, of the type of the tensor. Without it, a missing row is an error.
    pub default: Option<DefaultValue>,
    /// Whether to pad rows that are too short, including empty rows, with the default value.
    pub pad: bool,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The message that it was made from.
    pub source: SourceMessage,
}

/// Sparse tensor `[batch, longest, ...]`, one dimension for each list of the column; at least one.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VarLenSparse {
    /// The column.
    pub column: String,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
}

/// Sparse tensor `[batch, dense_shape...]`. In each row all columns have the same number of entries.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sparse {
    /// One column of indices for each dimension.
    pub index_columns: Vec<String>,
    /// The column of values.
    pub value_column: String,
    /// Sizes of the dimensions after the batch. `None` means one more than the largest index in the batch.
    pub dense_shape: Vec<Option<usize>>,
    /// Whether the entries of each row are already sorted by their indices. If so, they are not sorted, and their order is
    /// not checked.
    pub already_sorted: bool,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The message that it was made from.
    pub source: SourceMessage,
}

/// Ragged tensor: one ragged dimension for each list on the path, then one for each partition.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ragged {
    /// Path of the values.
    pub path: ColumnPath,
    /// Partitions of the innermost lists, outermost first. Uniform partitions at the end become inner dimensions.
    pub partitions: Vec<Partition>,
    /// The integer type of the row splits.
    pub row_splits_dtype: SplitsDType,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The message that it was made from.
    pub source: SourceMessage,
}

/// A partition of lists into rows.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partition {
    /// Rows of this length, which is not 0.
    Uniform(usize),
    /// Rows whose lengths are in a column beside the values.
    RowLength(String),
}

/// Ragged tensor: one ragged dimension for each list of the column; at least one. With a padding, the tensor is dense.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VarLenRagged {
    /// The column.
    pub column: String,
    /// The integer type of the row splits.
    pub row_splits_dtype: SplitsDType,
    /// Pads the rows. The column must have at most one list.
    pub padding: Option<Padding>,
    /// Conversions of the values, in this order.
    pub transforms: Vec<Transform>,
    /// The message that it was made from.
    pub source: SourceMessage,
}

/// Tensors of several columns or their fields, with the nesting of the columns. The fields of one list of structs share
/// their row splits.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Structured {
    /// The columns. A struct stands for all its fields.
    pub columns: Vec<String>,
    /// The integer type of the row splits.
    pub row_splits_dtype: SplitsDType,
    /// The message that it was made from.
    pub source: SourceMessage,
}

/// A default value, of one of the types in the wire format.
///
/// [`Representation`] has an example.
#[derive(Debug, Clone, PartialEq)]
pub enum DefaultValue {
    /// For floating-point columns.
    Float(f64),
    /// For integer columns; 0 or 1 for bool columns.
    Int(i64),
    /// For integer columns.
    UInt(u64),
    /// For columns of byte strings; must be UTF-8 for columns of strings.
    Bytes(Vec<u8>),
}

impl fmt::Display for DefaultValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(value) => write!(f, "the float {value:?}"),
            Self::Int(value) => write!(f, "the integer {value}"),
            Self::UInt(value) => write!(f, "the integer {value}"),
            Self::Bytes(value) => write!(f, "the bytes \"{}\"", value.escape_ascii()),
        }
    }
}

impl Representation {
    /// The source columns of the tensor: indices before values, values before row lengths, and those of a cross last.
    pub fn source_columns(&self) -> Vec<ColumnPath> {
        let of = |name: &String| ColumnPath::from(name.as_str());
        let mut columns = match self {
            Self::Dense(Dense { column, .. })
            | Self::VarLenSparse(VarLenSparse { column, .. })
            | Self::VarLenRagged(VarLenRagged { column, .. }) => vec![of(column)],
            Self::Sparse(sparse) => {
                sparse.index_columns.iter().chain([&sparse.value_column]).map(of).collect()
            }
            Self::Ragged(ragged) => {
                let lengths = ragged.partitions.iter().filter_map(|partition| match partition {
                    Partition::Uniform(_) => None,
                    Partition::RowLength(name) => Some(ragged.path.sibling(name)),
                });
                std::iter::once(ragged.path.clone()).chain(lengths).collect()
            }
            Self::Structured(structured) => structured.columns.iter().map(of).collect(),
        };
        columns.extend(self.transforms().iter().flat_map(Transform::with).map(of));
        columns
    }

    /// The conversions of the values. A structured tensor has none.
    pub fn transforms(&self) -> &[Transform] {
        match self {
            Self::Dense(dense) => &dense.transforms,
            Self::VarLenSparse(varlen) => &varlen.transforms,
            Self::Sparse(sparse) => &sparse.transforms,
            Self::Ragged(ragged) => &ragged.transforms,
            Self::VarLenRagged(varlen) => &varlen.transforms,
            Self::Structured(_) => &[],
        }
    }

    /// The same tensor with these conversions of its values. A structured tensor has none.
    #[must_use]
    pub fn with_transforms(mut self, transforms: Vec<Transform>) -> Self {
        match &mut self {
            Self::Dense(dense) => dense.transforms = transforms,
            Self::VarLenSparse(varlen) => varlen.transforms = transforms,
            Self::Sparse(sparse) => sparse.transforms = transforms,
            Self::Ragged(ragged) => ragged.transforms = transforms,
            Self::VarLenRagged(varlen) => varlen.transforms = transforms,
            Self::Structured(_) => {}
        }
        self
    }

    /// Checks the rules that do not depend on a schema.
    pub(crate) fn validate(&self) -> Result<(), RepresentationError> {
        use RepresentationErrorKind as Kind;
        let error =
            |kind, expected: String, found: String| Err(RepresentationError::new(kind, expected, found));
        self.transforms().iter().try_for_each(Transform::validate)?;
        match self {
            Self::Dense(dense) => {
                if size(&dense.shape).is_none() {
                    let found = format!("{:?}", dense.shape);
                    return error(Kind::Shape, "a shape of less than 2^63 values".to_owned(), found);
                }
                if dense.pad && dense.default.is_none() {
                    return error(Kind::Default, "a default value to pad with".to_owned(), "none".to_owned());
                }
            }
            Self::Sparse(sparse) if sparse.index_columns.len() != sparse.dense_shape.len() => {
                let indices = sparse.index_columns.len();
                let expected = format!("{}, one for each index column", count(indices, "dimension"));
                return error(Kind::Shape, expected, sparse.dense_shape.len().to_string());
            }
            Self::Sparse(sparse) => {
                let large = sparse.dense_shape.iter().flatten().find(|size| **size >= SIZE_LIMIT);
                if let Some(large) = large {
                    return error(Kind::Shape, format!("sizes below {SIZE_LIMIT}"), large.to_string());
                }
            }
            Self::Ragged(ragged) => {
                let odd = ragged.partitions.iter().find_map(|partition| match partition {
                    Partition::Uniform(length) => {
                        Some(*length).filter(|length| *length == 0 || *length >= SIZE_LIMIT)
                    }
                    Partition::RowLength(_) => None,
                });
                if let Some(odd) = odd {
                    let expected = format!("a uniform row length above 0 and below {SIZE_LIMIT}");
                    return error(Kind::Partition, expected, odd.to_string());
                }
            }
            Self::VarLenRagged(varlen) => return varlen.padding.as_ref().map_or(Ok(()), Padding::validate),
            Self::Structured(structured) if structured.columns.is_empty() => {
                return error(Kind::Proto, "at least one column".to_owned(), "none".to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Exclusive upper bound of sizes: they are signed on the wire, and so is the index after the last one.
const SIZE_LIMIT: usize = i64::MAX as usize;

/// Number of values of a shape. `None` if this number or a dimension is not below [`SIZE_LIMIT`].
pub(crate) fn size(shape: &[usize]) -> Option<usize> {
    let size = shape.iter().try_fold(1_usize, |size, dim| size.checked_mul(*dim));
    size.filter(|size| *size < SIZE_LIMIT && shape.iter().all(|dim| *dim < SIZE_LIMIT))
}
