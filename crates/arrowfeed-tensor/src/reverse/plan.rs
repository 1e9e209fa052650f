//! The columns of a tensor, and the representation that makes the tensor from them.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};

use super::TensorsToRecordBatchOptions;
use super::columns;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind};
use crate::representation::{self, Partition, Representation};
use crate::row_splits::SplitsDType;
use crate::spec::{TensorKind, TensorSpec};
use crate::tensor::Tensor;

#[derive(Debug, Clone)]
pub(super) struct ReversePlan {
    name: String,
    spec: TensorSpec,
    dtype: DType,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Dense { shape: Vec<usize> },
    VarLen,
    Sparse { values: String, indices: Vec<String> },
    Ragged { inner: Vec<usize>, splits: SplitsDType },
}

impl ReversePlan {
    pub(super) fn new(
        name: &str,
        spec: &TensorSpec,
        options: &TensorsToRecordBatchOptions,
        is_generic: bool,
    ) -> Result<Self, RepresentationError> {
        let error = |expected: &str| {
            Err(RepresentationError::new(RepresentationErrorKind::Shape, expected, spec.to_string()))
        };
        let (Some(dtype), Some((None, inner))) = (spec.dtype, spec.shape.split_first()) else {
            return error("a dense, sparse or ragged tensor, of any number of rows");
        };
        let known = |sizes: &[Option<usize>]| sizes.iter().copied().collect::<Option<Vec<usize>>>();
        let form = match spec.kind {
            TensorKind::Dense => match known(inner) {
                Some(shape) if representation::size(&shape).is_some() => Form::Dense { shape },
                _ => return error("a dense tensor with known sizes"),
            },
            TensorKind::Sparse => match inner {
                [None] if !is_generic => Form::VarLen,
                _ => {
                    let fill = |template: &String| template.replace("{tensor_name}", name);
                    let index = fill(&options.sparse_index_column);
                    let indices = (0..inner.len()).map(|i| index.replace("{index}", &i.to_string()));
                    Form::Sparse { values: fill(&options.sparse_value_column), indices: indices.collect() }
                }
            },
            TensorKind::Ragged => {
                let ragged = spec.ragged_rank;
                let sizes = inner.get(ragged..).and_then(known);
                match sizes {
                    Some(sizes)
                        if ragged > 0
                            && !sizes.contains(&0)
                            && inner[..ragged].iter().all(Option::is_none) =>
                    {
                        let splits = spec.row_splits_dtype.unwrap_or_default();
                        Form::Ragged { inner: sizes, splits }
                    }
                    _ => return error("ragged dimensions, then sizes above 0"),
                }
            }
            TensorKind::Structured => return error("a dense, sparse or ragged tensor"),
        };
        Ok(Self { name: name.to_owned(), spec: spec.clone(), dtype, form })
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let values = || self.dtype.arrow_type();
        let field = |name: &str, of: DataType| Field::new(name, of, true);
        match &self.form {
            Form::Dense { .. } | Form::VarLen => vec![field(&self.name, list_of(values()))],
            Form::Ragged { .. } => {
                let nested = (0..self.spec.ragged_rank).fold(values(), |of, _| list_of(of));
                vec![field(&self.name, nested)]
            }
            Form::Sparse { values: name, indices } => {
                let indices = indices.iter().map(|name| field(name, list_of(DataType::Int64)));
                std::iter::once(field(name, list_of(values()))).chain(indices).collect()
            }
        }
    }

    pub(super) fn representation(&self) -> Representation {
        let column = self.name.clone();
        match &self.form {
            Form::Dense { shape } => {
                let shape = shape.clone();
                Representation::Dense(representation::Dense { column, shape, ..Default::default() })
            }
            Form::VarLen => {
                Representation::VarLenSparse(representation::VarLenSparse { column, ..Default::default() })
            }
            Form::Sparse { values, indices } => Representation::Sparse(representation::Sparse {
                index_columns: indices.clone(),
                value_column: values.clone(),
                dense_shape: self.spec.shape[1..].to_vec(),
                ..representation::Sparse::default()
            }),
            Form::Ragged { inner, splits } => Representation::Ragged(representation::Ragged {
                path: ColumnPath::from(self.name.as_str()),
                partitions: inner.iter().map(|size| Partition::Uniform(*size)).collect(),
                row_splits_dtype: *splits,
                ..representation::Ragged::default()
            }),
        }
    }

    pub(super) fn columns(&self, tensor: &Tensor) -> Result<Vec<ArrayRef>, ConversionError> {
        match (&self.form, tensor) {
            (Form::Dense { shape }, Tensor::Dense(dense))
                if dense.shape().get(1..) == Some(shape) && dense.values().dtype() == self.dtype =>
            {
                columns::dense(dense).map(|column| vec![column])
            }
            (Form::VarLen, Tensor::Sparse(sparse))
                if self.fits(sparse.values().dtype(), sparse.dense_shape()) =>
            {
                columns::varlen(sparse).map(|column| vec![column])
            }
            (Form::Sparse { .. }, Tensor::Sparse(sparse))
                if self.fits(sparse.values().dtype(), sparse.dense_shape()) =>
            {
                columns::sparse(sparse)
            }
            (Form::Ragged { inner, .. }, Tensor::Ragged(ragged))
                if ragged.flat_values().values().dtype() == self.dtype
                    && ragged.flat_values().shape().get(1..) == Some(inner)
                    && ragged.row_splits().len() == self.spec.ragged_rank =>
            {
                columns::ragged(ragged).map(|column| vec![column])
            }
            _ => Err(ConversionError::new(ConversionErrorKind::Tensor, self.spec.to_string(), found(tensor))),
        }
    }

    fn fits(&self, dtype: DType, shape: &[i64]) -> bool {
        let same =
            |(spec, size): (&Option<usize>, &i64)| spec.is_none_or(|spec| i64::try_from(spec) == Ok(*size));
        dtype == self.dtype
            && shape.len() == self.spec.shape.len()
            && self.spec.shape.iter().zip(shape).all(same)
    }
}

fn list_of(items: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(items, true)))
}

/// Describes a tensor in a message.
fn found(tensor: &Tensor) -> String {
    match tensor {
        Tensor::Dense(dense) => format!("dense {} {:?}", dense.values().dtype(), dense.shape()),
        Tensor::Sparse(sparse) => format!("sparse {} {:?}", sparse.values().dtype(), sparse.dense_shape()),
        Tensor::Ragged(ragged) => {
            let flat = ragged.flat_values();
            let rank = ragged.row_splits().len();
            format!("ragged {} of {rank} row splits over {:?}", flat.values().dtype(), flat.shape())
        }
        Tensor::Structured(_) => "a structured tensor".to_owned(),
    }
}
