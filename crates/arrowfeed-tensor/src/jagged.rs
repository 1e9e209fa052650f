//! Other forms of ragged tensors: lengths, segment numbers, and several tensors in one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Int32Array, Int64Array, PrimitiveArray, downcast_primitive_array,
};

use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::gather::{overflow, reserved};
use crate::row_splits::{RowSplits, SplitsDType};
use crate::tensor::{DenseTensor, RaggedTensor, Tensor, tensor_error};
use crate::values::Values;

impl RaggedTensor {
    /// The number of values of each row, `[rows]`, in the integer type of the row splits.
    ///
    /// # Errors
    /// The tensor has several ragged dimensions.
    pub fn lengths(&self) -> Result<DenseTensor, ConversionError> {
        let splits = self.only_splits()?;
        let mut lengths = Integers::reserved(splits.rows(), splits.dtype())?;
        splits.for_each_row(|_, length| lengths.push(length, 1));
        lengths.into_tensor()
    }

    /// The row of each value, `[values]`, in the integer type of the row splits.
    ///
    /// # Errors
    /// The tensor has several ragged dimensions.
    pub fn segment_ids(&self) -> Result<DenseTensor, ConversionError> {
        let splits = self.only_splits()?;
        let mut rows = Integers::reserved(splits.last(), splits.dtype())?;
        splits.for_each_row(|row, length| rows.push(row, length));
        rows.into_tensor()
    }

    /// The row splits of a tensor with one ragged dimension.
    pub(crate) fn only_splits(&self) -> Result<&RowSplits, ConversionError> {
        match self.row_splits() {
            [splits] => Ok(splits),
            all => Err(tensor_error("one ragged dimension", all.len().to_string())),
        }
    }
}

/// Integers of the type of row splits.
enum Integers {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
}

impl Integers {
    fn reserved(len: usize, dtype: SplitsDType) -> Result<Self, ConversionError> {
        let made = match dtype {
            SplitsDType::Int32 => reserved(len).map(Self::Int32),
            SplitsDType::Int64 => reserved(len).map(Self::Int64),
        };
        made.map_err(|error| overflow(len, &error))
    }

    /// Adds the value, `count` times. It is at most the last row split or the number of rows, so it fits the type.
    fn push(&mut self, value: usize, count: usize) {
        match self {
            Self::Int32(values) => values.extend(std::iter::repeat_n(value as i32, count)),
            Self::Int64(values) => values.extend(std::iter::repeat_n(value as i64, count)),
        }
    }

    fn into_tensor(self) -> Result<DenseTensor, ConversionError> {
        let array: ArrayRef = match self {
            Self::Int32(values) => Arc::new(Int32Array::from(values)),
            Self::Int64(values) => Arc::new(Int64Array::from(values)),
        };
        flat(array)
    }
}

fn flat(array: ArrayRef) -> Result<DenseTensor, ConversionError> {
    let len = array.len();
    DenseTensor::try_new(Values::try_new(array)?, vec![len])
}

/// The values of several tensors in one, key after key, and the lengths of their rows: the parts of TorchRec's
/// `KeyedJaggedTensor`.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Int64Array;
/// use arrowfeed_tensor::{DenseTensor, KeyedJagged, RaggedTensor, RowSplits, Tensor, Values};
///
/// let flat = |values: Vec<i64>| {
///     let shape = vec![values.len()];
///     DenseTensor::try_new(Values::try_new(Arc::new(Int64Array::from(values)))?, shape)
/// };
/// let splits = RowSplits::from_i64(vec![0, 2, 2].into())?;
/// let words = Tensor::Ragged(RaggedTensor::try_new(flat(vec![7, 8])?, vec![splits])?);
/// let user = Tensor::Dense(flat(vec![1, 2])?);
/// let joined = KeyedJagged::join([("words", &words), ("user", &user)])?;
/// assert_eq!(joined.values.values().as_i64(), Some(&[7, 8, 1, 2][..]));
/// assert_eq!(joined.lengths.values().as_i32(), Some(&[2, 0, 1, 1][..]));
/// assert_eq!(joined.values_per_key, [2, 2]);
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KeyedJagged {
    /// The values of the first key, then those of the next one, `[values]`.
    pub values: DenseTensor,
    /// The number of values of each row, `[keys * rows]`, as 32-bit integers, which TorchRec uses.
    pub lengths: DenseTensor,
    /// The number of values of each key.
    pub values_per_key: Vec<usize>,
}

impl KeyedJagged {
    /// Joins tensors of numbers, with one copy of the values. Each is ragged with one ragged dimension, or dense with one or two
    /// dimensions.
    ///
    /// # Errors
    /// A tensor has another kind or shape, or another type or number of rows than the first one. There are none.
    pub fn join<'a>(
        tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    ) -> Result<Self, ConversionError> {
        let keys = tensors.into_iter().map(|(name, tensor)| {
            let key = Key::of(tensor).map_err(|error| error.in_tensor(name))?;
            Ok((name, key))
        });
        let keys = keys.collect::<Result<Vec<_>, ConversionError>>()?;
        let Some((_, first)) = keys.first() else {
            return Err(tensor_error("at least one tensor to join", "none"));
        };
        let rows = first.rows;
        for (name, key) in &keys {
            first.check_same(key).map_err(|error| error.in_tensor(name))?;
        }
        let lengths_len = keys.len().saturating_mul(rows);
        let mut lengths: Vec<i32> = reserved(lengths_len).map_err(|error| overflow(lengths_len, &error))?;
        for (name, key) in &keys {
            key.push_lengths(&mut lengths).map_err(|error| error.in_tensor(name))?;
        }
        let values_per_key = keys.iter().map(|(_, key)| key.values.len()).collect();
        let arrays: Vec<&ArrayRef> = keys.iter().map(|(_, key)| key.values.array()).collect();
        let array: &dyn Array = first.values.array();
        let values = downcast_primitive_array!(
            array => joined(array, &arrays)?,
            _ => return Err(tensor_error("numbers", first.values.dtype().to_string()).in_tensor(keys[0].0))
        );
        let lengths = flat(Arc::new(Int32Array::from(lengths)))?;
        Ok(Self { values: flat(values)?, lengths, values_per_key })
    }
}

/// A tensor to join.
struct Key<'a> {
    values: &'a Values,
    rows: usize,
    lengths: Lengths<'a>,
}

enum Lengths<'a> {
    Ragged(&'a RowSplits),
    Equal(usize),
}

impl<'a> Key<'a> {
    fn of(tensor: &'a Tensor) -> Result<Self, ConversionError> {
        let (dense, lengths) = match tensor {
            Tensor::Ragged(ragged) if ragged.flat_values().shape().len() == 1 => {
                (ragged.flat_values(), Some(Lengths::Ragged(ragged.only_splits()?)))
            }
            Tensor::Dense(dense) => match dense.shape() {
                [_] => (dense, Some(Lengths::Equal(1))),
                [_, length] => (dense, Some(Lengths::Equal(*length))),
                _ => (dense, None),
            },
            _ => return Err(unfit(tensor)),
        };
        let lengths = lengths.ok_or_else(|| unfit(tensor))?;
        Ok(Self { values: dense.values(), rows: tensor.rows(), lengths })
    }

    fn check_same(&self, other: &Self) -> Result<(), ConversionError> {
        if other.rows != self.rows {
            return Err(tensor_error(count(self.rows, "row"), other.rows.to_string()));
        }
        if other.values.array().data_type() != self.values.array().data_type() {
            let expected = format!("{} as in the first tensor", self.values.dtype());
            return Err(tensor_error(expected, other.values.dtype().to_string()));
        }
        Ok(())
    }

    fn push_lengths(&self, lengths: &mut Vec<i32>) -> Result<(), ConversionError> {
        match self.lengths {
            Lengths::Equal(length) => {
                let length = as_i32(length)?;
                lengths.extend(std::iter::repeat_n(length, self.rows));
            }
            Lengths::Ragged(splits) => {
                // No length is greater than the number of values.
                if splits.last() > i32::MAX as usize {
                    splits
                        .iter()
                        .zip(splits.iter().skip(1))
                        .try_for_each(|(start, end)| as_i32(end - start).map(drop))?;
                }
                splits.for_each_row(|_, length| lengths.push(length as i32));
            }
        }
        Ok(())
    }
}

fn as_i32(length: usize) -> Result<i32, ConversionError> {
    i32::try_from(length).map_err(|_| {
        let kind = ConversionErrorKind::Overflow;
        ConversionError::new(kind, "rows of at most 2147483647 values", count(length, "value"))
    })
}

#[cold]
fn unfit(tensor: &Tensor) -> ConversionError {
    let found = match tensor {
        Tensor::Dense(dense) => format!("a dense tensor of {}", count(dense.shape().len(), "dimension")),
        Tensor::Sparse(_) => "a sparse tensor".to_owned(),
        Tensor::Ragged(_) => "a ragged tensor with inner dimensions".to_owned(),
        Tensor::Structured(_) => "a structured tensor".to_owned(),
    };
    tensor_error(
        "a ragged tensor of numbers with one ragged dimension, or a dense one of 1 or 2 dimensions",
        found,
    )
}

/// Joins arrays of the type of `first`.
fn joined<T: ArrowPrimitiveType>(
    first: &PrimitiveArray<T>,
    arrays: &[&ArrayRef],
) -> Result<ArrayRef, ConversionError> {
    let len = arrays.iter().map(|array| array.len()).sum();
    let mut values: Vec<T::Native> = reserved(len).map_err(|error| overflow(len, &error))?;
    for array in arrays {
        values.extend_from_slice(array.as_primitive::<T>().values());
    }
    let array = PrimitiveArray::<T>::new(values.into(), None);
    Ok(Arc::new(array.with_data_type(first.data_type().clone())))
}

#[cfg(test)]
mod tests {
    use arrow_array::StringArray;

    use super::*;

    fn ints(values: Vec<i64>, shape: Vec<usize>) -> DenseTensor {
        DenseTensor::try_new(Values::try_new(Arc::new(Int64Array::from(values))).unwrap(), shape).unwrap()
    }

    fn ragged(splits: Vec<i32>) -> RaggedTensor {
        let len = *splits.last().unwrap();
        let splits = RowSplits::from_i32(splits.into()).unwrap();
        RaggedTensor::try_new(ints((0..len.into()).collect(), vec![len as usize]), vec![splits]).unwrap()
    }

    #[test]
    fn lengths_and_segments_have_the_type_of_the_row_splits() {
        let tensor = ragged(vec![0, 2, 2, 3]);
        assert_eq!(tensor.lengths().unwrap().values().as_i32(), Some(&[2, 0, 1][..]));
        assert_eq!(tensor.segment_ids().unwrap().values().as_i32(), Some(&[0, 0, 2][..]));
        let empty = ragged(vec![0]);
        assert_eq!(empty.lengths().unwrap().shape(), [0]);
        assert_eq!(empty.segment_ids().unwrap().shape(), [0]);
    }

    #[test]
    fn tensors_of_other_kinds_types_and_rows_are_not_joined() {
        let (first, rows) = (Tensor::Ragged(ragged(vec![0, 2, 2, 3])), vec![1, 2, 3]);
        let error =
            |other: Tensor| KeyedJagged::join([("a", &first), ("b", &other)]).unwrap_err().to_string();
        assert_eq!(error(Tensor::Ragged(ragged(vec![0, 1]))), r#"tensor "b": expected 3 rows, found 1"#);
        let texts = Values::try_new(Arc::new(StringArray::from(vec!["", "", ""]))).unwrap();
        let texts = Tensor::Dense(DenseTensor::try_new(texts, vec![3]).unwrap());
        assert_eq!(error(texts.clone()), r#"tensor "b": expected int64 as in the first tensor, found bytes"#);
        assert_eq!(
            error(Tensor::Dense(ints(rows.clone(), vec![3, 1, 1]))),
            "tensor \"b\": expected a ragged tensor of numbers with one ragged dimension, or a dense one of 1 or 2 \
             dimensions, found a dense tensor of 3 dimensions"
        );
        let deep = ragged(vec![0, 2, 2, 3]);
        let outer = RowSplits::from_i32(vec![0, 1, 3].into()).unwrap();
        let splits = vec![outer, deep.row_splits()[0].clone()];
        let deep = RaggedTensor::try_new(deep.flat_values().clone(), splits).unwrap();
        assert_eq!(error(Tensor::Ragged(deep)), r#"tensor "b": expected one ragged dimension, found 2"#);
        let error = KeyedJagged::join([("a", &texts)]).unwrap_err().to_string();
        assert_eq!(error, r#"tensor "a": expected numbers, found bytes"#);
        assert!(KeyedJagged::join([]).is_err());
    }

    #[test]
    fn dense_rows_have_equal_lengths() {
        let wide = Tensor::Dense(ints(vec![1, 2, 3, 4], vec![2, 2]));
        let joined =
            KeyedJagged::join([("wide", &wide), ("tags", &Tensor::Ragged(ragged(vec![0, 0, 1])))]).unwrap();
        assert_eq!(joined.values.values().as_i64(), Some(&[1, 2, 3, 4, 0][..]));
        assert_eq!(joined.lengths.values().as_i32(), Some(&[2, 2, 0, 1][..]));
        assert_eq!(joined.values_per_key, [4, 1]);
    }
}
