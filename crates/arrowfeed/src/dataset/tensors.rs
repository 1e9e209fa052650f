//! Iteration over a dataset as tensors.

use std::fmt;

use arrow_array::{Array, RecordBatch};
use arrowfeed_source::{Report, Skipped};
use arrowfeed_tensor::{Tensor, TensorAdapter, Tensors};

use super::history::Recorded;
use super::iteration::Conversion;
use crate::error::DatasetError;

/// Iterator over the tensors of a dataset, batch by batch. Created by [`Dataset::tensors`](super::Dataset::tensors).
pub struct TensorIterator(Recorded<ToTensors>);

/// Conversion of batches to tensors.
pub(super) struct ToTensors(pub(super) TensorAdapter);

impl Conversion for ToTensors {
    type Output = Tensors;

    const TAKES_WORK: bool = true;

    fn convert(&self, batch: RecordBatch) -> Result<Tensors, DatasetError> {
        Ok(self.0.convert(&batch)?)
    }

    fn bytes(output: &Tensors) -> usize {
        output.iter().map(|(_, tensor)| bytes(tensor)).sum()
    }
}

impl TensorIterator {
    pub(super) fn new(iteration: Recorded<ToTensors>) -> Self {
        Self(iteration)
    }

    /// See [`BatchIterator::report`](super::BatchIterator::report).
    pub fn report(&self) -> Report {
        self.0.iteration.report()
    }

    /// See [`BatchIterator::take_first_skipped`](super::BatchIterator::take_first_skipped).
    pub fn take_first_skipped(&mut self) -> Vec<Skipped> {
        self.0.take_first_skipped()
    }

    /// See [`BatchIterator::close`](super::BatchIterator::close).
    pub fn close(&mut self) {
        self.0.iteration.close();
    }

    /// See [`BatchIterator::state`](super::BatchIterator::state).
    ///
    /// # Errors
    /// As the method of the same name of [`BatchIterator`](super::BatchIterator).
    pub fn state(&mut self) -> Result<String, DatasetError> {
        self.0.iteration.state()
    }

    /// See [`BatchIterator::start_at_epoch`](super::BatchIterator::start_at_epoch).
    pub fn start_at_epoch(&mut self, epoch: u64) {
        self.0.iteration.start_at_epoch(epoch);
    }

    /// See [`BatchIterator::load_state`](super::BatchIterator::load_state).
    ///
    /// # Errors
    /// As the method of the same name of [`BatchIterator`](super::BatchIterator).
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.0.load_state(state)
    }
}

impl Iterator for TensorIterator {
    type Item = Result<Tensors, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl fmt::Debug for TensorIterator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorIterator")
            .field("options", &self.0.iteration.options())
            .field("epoch", &self.0.iteration.epoch())
            .finish_non_exhaustive()
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
