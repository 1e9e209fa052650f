//! Tensors: buffers and shapes that are known to match.

use arrow_buffer::ScalarBuffer;

use crate::aligned::Aligned;
use crate::buffer_pool;
use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::row_splits::RowSplits;
use crate::spec::TensorKind;
use crate::values::Values;

/// One tensor of a batch.
///
/// [`TensorAdapter`](crate::TensorAdapter) has an example.
#[derive(Debug, Clone, PartialEq)]
pub enum Tensor {
    /// All values, row after row.
    Dense(DenseTensor),
    /// Coordinates and values.
    Sparse(SparseTensor),
    /// Values and row splits.
    Ragged(RaggedTensor),
    /// Named tensors.
    Structured(StructuredTensor),
}

/// A dense tensor: as many values as the shape has elements, in row-major order.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Float32Array;
/// use arrowfeed_tensor::{DenseTensor, Values};
///
/// let values = Values::try_new(Arc::new(Float32Array::from(vec![0.0; 6])))?;
/// let tensor = DenseTensor::try_new(values.clone(), vec![2, 3])?;
/// assert_eq!(tensor.shape(), [2, 3]);
///
/// let error = DenseTensor::try_new(values, vec![2, 2]).unwrap_err();
/// assert_eq!(error.to_string(), "expected 4 values for the shape [2, 2], found 6");
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DenseTensor {
    values: Values,
    shape: Vec<usize>,
}

impl DenseTensor {
    /// Creates a tensor. Fails if the number of values does not match the shape.
    pub fn try_new(values: Values, shape: Vec<usize>) -> Result<Self, ConversionError> {
        let size = shape.iter().try_fold(1_usize, |size, dim| size.checked_mul(*dim));
        if size == Some(values.len()) {
            return Ok(Self { values, shape });
        }
        let size = size.map_or("more".to_owned(), |size| size.to_string());
        let expected = format!("{size} values for the shape {shape:?}");
        Err(tensor_error(expected, values.len().to_string()))
    }

    /// Creates a tensor from parts that are known to match, without checks.
    #[cfg(feature = "ndarray")]
    pub(crate) fn of(values: Values, shape: Vec<usize>) -> Self {
        Self { values, shape }
    }

    /// The values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Sizes of all dimensions, the batch first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
}

/// A sparse tensor: one coordinate for each value, inside the shape.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Int64Array;
/// use arrowfeed_tensor::{SparseTensor, Values};
///
/// let values = Values::try_new(Arc::new(Int64Array::from(vec![7, 8])))?;
/// let tensor = SparseTensor::try_new(vec![0, 0, 1, 2].into(), values, vec![2, 3])?;
/// assert_eq!((tensor.rank(), &tensor.indices()[2..]), (2, &[1, 2][..]));
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SparseTensor {
    indices: ScalarBuffer<i64>,
    values: Values,
    dense_shape: Vec<i64>,
}

impl SparseTensor {
    /// Creates a tensor. `indices` is `[values, rank]`, row-major. Fails if the parts do not match or an index is out of bounds.
    pub fn try_new(
        indices: ScalarBuffer<i64>,
        values: Values,
        dense_shape: Vec<i64>,
    ) -> Result<Self, ConversionError> {
        let rank = dense_shape.len();
        if rank == 0 {
            return Err(tensor_error("a shape with at least the batch dimension", "none"));
        }
        if values.len().checked_mul(rank) != Some(indices.len()) {
            let expected = format!("{rank} indices for each of {}", count(values.len(), "value"));
            return Err(tensor_error(expected, indices.len().to_string()));
        }
        for coordinate in indices.chunks_exact(rank) {
            let inside = coordinate.iter().zip(&dense_shape).all(|(index, size)| (0..*size).contains(index));
            if !inside {
                let expected = format!("indices inside of the shape {dense_shape:?}");
                let found = format!("{coordinate:?}");
                return Err(ConversionError::new(ConversionErrorKind::Bounds, expected, found));
            }
        }
        Ok(Self { indices, values, dense_shape })
    }

    /// Creates a tensor from parts that are known to match, without checks.
    pub(crate) fn of(indices: Aligned<i64>, values: Values, dense_shape: Vec<i64>) -> Self {
        Self { indices: buffer_pool::buffer(indices), values, dense_shape }
    }

    /// Coordinates, `[values, rank]` in row-major order.
    pub fn indices(&self) -> &ScalarBuffer<i64> {
        &self.indices
    }

    /// The values, one for each coordinate.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Sizes of all dimensions, the batch first.
    pub fn dense_shape(&self) -> &[i64] {
        &self.dense_shape
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dense_shape.len()
    }
}

/// A ragged tensor: row splits, outermost first, each over the rows of the next, the last over the flat values.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Int64Array;
/// use arrowfeed_tensor::{DenseTensor, RaggedTensor, RowSplits, Values};
///
/// let values = Values::try_new(Arc::new(Int64Array::from(vec![1, 2, 3])))?;
/// let flat = DenseTensor::try_new(values, vec![3])?;
/// let splits = RowSplits::from_i64(vec![0, 1, 1, 3].into())?; // [[1], [], [2, 3]]
/// let tensor = RaggedTensor::try_new(flat, vec![splits])?;
/// assert_eq!(tensor.rows(), 3);
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RaggedTensor {
    flat_values: DenseTensor,
    row_splits: Vec<RowSplits>,
}

impl RaggedTensor {
    /// Creates a tensor. Fails if there are no row splits, or if a level does not cover exactly the level below it.
    pub fn try_new(flat_values: DenseTensor, row_splits: Vec<RowSplits>) -> Result<Self, ConversionError> {
        if row_splits.is_empty() {
            return Err(tensor_error("at least one level of row splits", "none"));
        }
        let Some(values) = flat_values.shape.first() else {
            return Err(tensor_error("flat values with at least one dimension", "none"));
        };
        let below = row_splits[1..].iter().map(RowSplits::rows).chain([*values]);
        for (level, (splits, below)) in row_splits.iter().zip(below).enumerate() {
            if splits.last() != below {
                let expected = format!("row splits of level {level} up to {below}");
                return Err(tensor_error(expected, splits.last().to_string()));
            }
        }
        Ok(Self { flat_values, row_splits })
    }

    /// The values of all rows. The innermost row splits divide their first dimension.
    pub fn flat_values(&self) -> &DenseTensor {
        &self.flat_values
    }

    /// Row splits, outermost first.
    pub fn row_splits(&self) -> &[RowSplits] {
        &self.row_splits
    }

    /// Number of rows of the batch.
    pub fn rows(&self) -> usize {
        self.row_splits[0].rows()
    }
}

/// Named tensors with the same rows: those of the innermost of `row_splits`, or of the batch if there are none.
///
/// The row splits of each field begin with these row splits, in the same memory.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Int64Array;
/// use arrowfeed_tensor::{DenseTensor, StructuredTensor, Tensor, Values};
///
/// let values = Values::try_new(Arc::new(Int64Array::from(vec![7, 8])))?;
/// let age = Tensor::Dense(DenseTensor::try_new(values, vec![2])?);
/// let user = StructuredTensor::try_new(2, Vec::new(), vec![("age".to_owned(), age)])?;
/// assert_eq!(user.field("age").map(Tensor::rows), Some(2));
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredTensor {
    rows: usize,
    row_splits: Vec<RowSplits>,
    fields: Vec<(String, Tensor)>,
}

impl StructuredTensor {
    /// Creates a tensor. Fails if a field does not begin with these row splits, or has another number of rows.
    pub fn try_new(
        rows: usize,
        row_splits: Vec<RowSplits>,
        fields: Vec<(String, Tensor)>,
    ) -> Result<Self, ConversionError> {
        for (name, tensor) in &fields {
            if tensor.rows() != rows {
                let expected = format!("{} in field {name:?}", count(rows, "row"));
                return Err(tensor_error(expected, tensor.rows().to_string()));
            }
            if !tensor.row_splits().starts_with(&row_splits) {
                return Err(tensor_error(
                    format!("the same row splits in field {name:?}"),
                    "different row splits",
                ));
            }
        }
        Ok(Self { rows, row_splits, fields })
    }

    /// Creates a tensor from parts that are known to match, without checks.
    pub(crate) fn of(rows: usize, row_splits: Vec<RowSplits>, fields: Vec<(String, Tensor)>) -> Self {
        Self { rows, row_splits, fields }
    }

    /// Number of rows of the batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Row splits that all fields share, outermost first; none for a plain struct.
    pub fn row_splits(&self) -> &[RowSplits] {
        &self.row_splits
    }

    /// The tensors, in the order of the columns.
    pub fn fields(&self) -> &[(String, Tensor)] {
        &self.fields
    }

    /// The tensor of a field.
    pub fn field(&self, name: &str) -> Option<&Tensor> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, tensor)| tensor)
    }
}

impl Tensor {
    /// Number of rows of the batch.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(dense) => dense.shape.first().copied().unwrap_or(1),
            Self::Sparse(sparse) => usize::try_from(sparse.dense_shape[0]).unwrap_or(0),
            Self::Ragged(ragged) => ragged.rows(),
            Self::Structured(structured) => structured.rows,
        }
    }

    /// The kind of the tensor.
    pub fn kind(&self) -> TensorKind {
        match self {
            Self::Dense(_) => TensorKind::Dense,
            Self::Sparse(_) => TensorKind::Sparse,
            Self::Ragged(_) => TensorKind::Ragged,
            Self::Structured(_) => TensorKind::Structured,
        }
    }

    /// Row splits, outermost first; none for dense and sparse tensors.
    pub fn row_splits(&self) -> &[RowSplits] {
        match self {
            Self::Dense(_) | Self::Sparse(_) => &[],
            Self::Ragged(ragged) => &ragged.row_splits,
            Self::Structured(structured) => &structured.row_splits,
        }
    }

    /// The tensor, if it is dense.
    pub fn as_dense(&self) -> Option<&DenseTensor> {
        if let Self::Dense(dense) = self { Some(dense) } else { None }
    }

    /// The tensor, if it is sparse.
    pub fn as_sparse(&self) -> Option<&SparseTensor> {
        if let Self::Sparse(sparse) = self { Some(sparse) } else { None }
    }

    /// The tensor, if it is ragged.
    pub fn as_ragged(&self) -> Option<&RaggedTensor> {
        if let Self::Ragged(ragged) = self { Some(ragged) } else { None }
    }

    /// The tensor, if it is structured.
    pub fn as_structured(&self) -> Option<&StructuredTensor> {
        if let Self::Structured(structured) = self { Some(structured) } else { None }
    }
}

#[cold]
pub(crate) fn tensor_error(expected: impl Into<String>, found: impl Into<String>) -> ConversionError {
    ConversionError::new(ConversionErrorKind::Tensor, expected, found)
}
