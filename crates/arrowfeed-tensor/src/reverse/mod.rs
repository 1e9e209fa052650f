//! Conversion of tensors back to columns.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | the converter: one plan for each tensor, sorted by name |
//! | `plan` | the columns of a tensor, and the representation that makes the tensor from them |
//! | `columns` | the columns of one batch |

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::infer::Representations;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

mod columns;
mod plan;

use plan::ReversePlan;

/// Options for writing sparse tensors.
///
/// [`TensorsToRecordBatch`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorsToRecordBatchOptions {
    /// Name of the column of a sparse tensor's values; `{tensor_name}` stands for the tensor's name.
    pub sparse_value_column: String,
    /// Name of the columns of a sparse tensor's indices; `{tensor_name}` stands for the tensor's name, and `{index}` for the
    /// dimension, counted from 0.
    pub sparse_index_column: String,
    /// Names of sparse tensors `[batch, size]` of unknown size that are written as indices and values. Others are written as
    /// lists, if the entries of each row have the positions 0, 1, 2, ….
    pub generic_sparse: Vec<String>,
}

impl Default for TensorsToRecordBatchOptions {
    fn default() -> Self {
        Self {
            sparse_value_column: "{tensor_name}$values".to_owned(),
            sparse_index_column: "{tensor_name}$index{index}".to_owned(),
            generic_sparse: Vec::new(),
        }
    }
}

/// Converts tensors to batches from which [`representations`](Self::representations) make the same tensors again.
///
/// | tensor | columns |
/// |---|---|
/// | dense | a large list with the values of the row |
/// | sparse `[batch, size]` of unknown size | a large list with the values of the row |
/// | other sparse | a large list of values, and one of indices for each dimension |
/// | ragged | large lists, nested like the row splits; the innermost list has the inner dimensions |
///
/// Byte strings become large binary. Columns are in the order of the names of their tensors.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::Int64Array;
/// use arrowfeed_tensor::{DType, DenseTensor, Tensor, TensorAdapter, TensorSpec, TensorsToRecordBatch, Values};
///
/// let values = Values::try_new(Arc::new(Int64Array::from(vec![1, 2, 3, 4])))?;
/// let tensors = vec![("x".to_owned(), Tensor::Dense(DenseTensor::try_new(values, vec![2, 2])?))];
///
/// let specs = [("x".to_owned(), TensorSpec::dense(DType::Int64, &[2]))];
/// let converter = TensorsToRecordBatch::try_new(&specs, &Default::default())?;
/// let batch = converter.convert(&tensors)?;
///
/// let again = converter.representations().iter().map(|(name, representation)| (name, representation));
/// let adapter = TensorAdapter::try_new(converter.schema().clone(), again)?;
/// assert_eq!(adapter.convert(&batch)?[..], tensors[..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TensorsToRecordBatch {
    schema: SchemaRef,
    plans: Vec<(String, ReversePlan)>,
    representations: Representations,
}

impl TensorsToRecordBatch {
    /// Plans the columns of each tensor.
    ///
    /// # Errors
    /// A tensor cannot become columns, because it is structured, because it is dense and has no batch dimension or an unknown
    /// size, or because it is ragged and has an inner size of 0; or two tensors or two columns have the same name.
    pub fn try_new(
        specs: &[(String, TensorSpec)],
        options: &TensorsToRecordBatchOptions,
    ) -> Result<Self, RepresentationError> {
        let mut specs: Vec<&(String, TensorSpec)> = specs.iter().collect();
        specs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let generic: HashSet<&String> = options.generic_sparse.iter().collect();
        let (mut plans, mut fields) = (Vec::new(), Vec::<arrow_schema::Field>::new());
        let mut known = HashSet::new();
        for (name, spec) in specs {
            let plan = ReversePlan::new(name, spec, options, generic.contains(name));
            let plan = plan.map_err(|error| error.in_tensor(name))?;
            for field in plan.fields() {
                if !known.insert(field.name().clone()) {
                    let kind = RepresentationErrorKind::Name;
                    let expected = "a column name that no other tensor has";
                    let error = RepresentationError::new(kind, expected, format!("{:?}", field.name()));
                    return Err(error.in_tensor(name));
                }
                fields.push(field);
            }
            plans.push((name.clone(), plan));
        }
        let representations =
            plans.iter().map(|(name, plan)| (name.clone(), plan.representation())).collect();
        Ok(Self { schema: Arc::new(Schema::new(fields)), plans, representations })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The representations that make the same tensors from the batches.
    pub fn representations(&self) -> &[(String, crate::Representation)] {
        &self.representations
    }

    /// Converts the tensors, which may be in any order, to a batch.
    ///
    /// # Errors
    /// A tensor is missing or unknown, or has another spec or another number of rows; or the entries of a sparse tensor are not
    /// in order.
    pub fn convert(&self, tensors: &[(String, Tensor)]) -> Result<RecordBatch, ConversionError> {
        if tensors.len() != self.plans.len() {
            let (expected, found) = (count(self.plans.len(), "tensor"), tensors.len().to_string());
            return Err(ConversionError::new(ConversionErrorKind::Name, expected, found));
        }
        let rows = tensors.first().map_or(0, |(_, tensor)| tensor.rows());
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        // The first of several tensors with the same name counts.
        let by_name: HashMap<&String, &Tensor> =
            tensors.iter().rev().map(|(name, tensor)| (name, tensor)).collect();
        for (name, plan) in &self.plans {
            let made = match by_name.get(name) {
                Some(tensor) if tensor.rows() != rows => {
                    let (expected, found) = (count(rows, "row"), tensor.rows().to_string());
                    Err(ConversionError::new(ConversionErrorKind::Length, expected, found))
                }
                Some(tensor) => plan.columns(tensor),
                None => Err(ConversionError::new(ConversionErrorKind::Name, "a tensor of this name", "none")),
            };
            columns.extend(made.map_err(|error| error.in_tensor(name))?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map_err(|error| {
            ConversionError::new(
                ConversionErrorKind::Tensor,
                "columns that fit the schema",
                error.to_string(),
            )
        })
    }
}
