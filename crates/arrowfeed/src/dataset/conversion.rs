//! Conversions that are applied to each batch of an iteration.

use arrow_array::{Array, RecordBatch};
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_tensor::{Tensor, TensorAdapter, Tensors};

use crate::error::DatasetError;

/// A conversion that is applied to each batch.
pub trait Conversion: Send + Sync + 'static {
    /// The result of a conversion.
    type Output: Send + 'static;

    /// Whether the conversion takes enough work to run on a worker.
    const TAKES_WORK: bool;

    /// Converts a batch.
    ///
    /// # Errors
    /// A row does not fit the result.
    fn convert(&self, batch: RecordBatch) -> Result<Self::Output, DatasetError>;

    /// Memory of an output in bytes.
    fn bytes(output: &Self::Output) -> usize;
}

/// Identity conversion.
#[derive(Debug)]
pub struct Unchanged;

impl Conversion for Unchanged {
    type Output = RecordBatch;

    const TAKES_WORK: bool = false;

    fn convert(&self, batch: RecordBatch) -> Result<RecordBatch, DatasetError> {
        Ok(batch)
    }

    fn bytes(output: &RecordBatch) -> usize {
        output.get_array_memory_size()
    }
}

/// Conversion of batches to tensors.
#[derive(Debug)]
pub struct ToTensors(pub(crate) TensorAdapter);

impl Conversion for ToTensors {
    type Output = Tensors;

    const TAKES_WORK: bool = true;

    fn convert(&self, batch: RecordBatch) -> Result<Tensors, DatasetError> {
        let _converting = enter(Stage::Convert);
        Ok(self.0.convert(&batch)?)
    }

    fn bytes(output: &Tensors) -> usize {
        output.iter().map(|(_, tensor)| bytes(tensor)).sum()
    }
}

/// Memory of a tensor in bytes, including memory that it shares with the batch.
fn bytes(tensor: &Tensor) -> usize {
    match tensor {
        Tensor::Dense(dense) => dense.values().array().get_buffer_memory_size(),
        Tensor::Sparse(sparse) => {
            sparse.values().array().get_buffer_memory_size() + size_of_val(&sparse.indices()[..])
        }
        Tensor::Ragged(ragged) => {
            let splits: usize = ragged.row_splits().iter().map(|splits| splits.rows()).sum();
            ragged.flat_values().values().array().get_buffer_memory_size() + splits * size_of::<i64>()
        }
        Tensor::Structured(structured) => structured.fields().iter().map(|(_, field)| bytes(field)).sum(),
    }
}
