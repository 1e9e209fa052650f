//! The tensors of a dataset, batch after batch.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrowfeed_avro::Prepared;
use arrowfeed_source::{FeedError, Report};
use arrowfeed_tensor::{Adapter, ConversionError, Tensor, Tensors};

use super::indexed::Indexed;
use super::iterator::BatchIterator;
use super::options::IterationOptions;
use super::pieces::Rows;
use crate::error::DatasetError;

/// Tensors of the batches of a dataset. Made by [`AvroDataset::tensors`](super::AvroDataset::tensors).
#[derive(Debug)]
pub struct TensorIterator {
    batches: BatchIterator,
    adapter: Arc<Adapter>,
}

type Converted = Result<Tensors, ConversionError>;

impl TensorIterator {
    /// Threads that decode ahead convert too: what they have just written is near, and the caller finds tensors.
    pub(super) fn new(
        files: Arc<Indexed>,
        options: IterationOptions,
        adapter: Adapter,
    ) -> Result<Self, FeedError> {
        let adapter = Arc::new(adapter);
        let converting = adapter.clone();
        let prepare = Arc::new(move |batch: &RecordBatch| {
            let converted: Converted = converting.convert(batch);
            let tensors = converted.iter().flatten();
            Prepared { bytes: tensors.map(|(_, tensor)| bytes(tensor)).sum(), value: Box::new(converted) }
        });
        Ok(Self { batches: BatchIterator::new(files, options, Some(prepare))?, adapter })
    }

    /// See [`BatchIterator::report`].
    pub fn report(&self) -> Report {
        self.batches.report()
    }

    /// See [`BatchIterator::close`].
    pub fn close(&mut self) {
        self.batches.close();
    }

    /// See [`BatchIterator::state`].
    ///
    /// # Errors
    /// As there.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        self.batches.state()
    }

    /// See [`BatchIterator::load_state`].
    ///
    /// # Errors
    /// As there.
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.batches.load_state(state)
    }
}

impl Iterator for TensorIterator {
    type Item = Result<Tensors, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let before = self.batches.stand();
        let converted = match self.batches.next_rows()? {
            Ok(rows) => converted(rows, &self.adapter),
            Err(error) => return Some(Err(error)),
        };
        Some(converted.map_err(|error| {
            self.batches.step_back(before);
            error.into()
        }))
    }
}

fn converted(rows: Rows, adapter: &Adapter) -> Converted {
    let prepared = rows.prepared.and_then(|prepared| prepared.value.downcast::<Converted>().ok());
    prepared.map_or_else(|| adapter.convert(&rows.batch), |converted| *converted)
}

/// Bytes of a tensor, whether or not it shares them with the batch.
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
