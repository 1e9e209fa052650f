//! A compiled tensor, and the columns from which it is made.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::column_path::ColumnPath;
use crate::error::ConversionError;
use crate::explain::TensorPart;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

/// Makes one tensor of each batch. Columns are indices, and every type is known.
pub(crate) trait Conversion: Debug + Send + Sync {
    fn spec(&self) -> TensorSpec;

    /// Reports which parts share memory with the batch and which are copied.
    fn explain(&self) -> Vec<TensorPart>;

    /// Indices of the columns that the conversion reads.
    fn columns(&self) -> Vec<usize>;

    /// Makes the tensor. The caller has checked the types of the columns.
    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError>;
}

/// What representations and features are compiled to.
#[derive(Debug, Clone)]
pub(crate) struct TensorPlan {
    pub(crate) conversion: Arc<dyn Conversion>,
    /// Indices of the columns that the conversion reads.
    pub(crate) columns: Vec<usize>,
    /// The fields that the conversion reads.
    pub(crate) paths: Vec<ColumnPath>,
}

impl TensorPlan {
    pub(crate) fn new(conversion: impl Conversion + 'static, paths: Vec<ColumnPath>) -> Self {
        let columns = conversion.columns();
        Self { conversion: Arc::new(conversion), columns, paths }
    }
}
