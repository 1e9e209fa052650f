//! The tensors of a dataset, batch after batch.

use arrowfeed_avro::Report;
use arrowfeed_tensor::{Adapter, Tensors};

use super::iterator::BatchIterator;
use crate::error::DatasetError;

/// Tensors of the batches of a dataset. Made by [`AvroDataset::tensors`](super::AvroDataset::tensors).
#[derive(Debug)]
pub struct TensorIterator {
    batches: BatchIterator,
    adapter: Adapter,
}

impl TensorIterator {
    pub(super) fn new(batches: BatchIterator, adapter: Adapter) -> Self {
        Self { batches, adapter }
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
        let converted = match self.batches.next()? {
            Ok(batch) => self.adapter.convert(&batch),
            Err(error) => return Some(Err(error)),
        };
        Some(converted.map_err(|error| {
            self.batches.step_back(before);
            error.into()
        }))
    }
}
