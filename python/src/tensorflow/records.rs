//! The records of a dataset, each in Avro's binary encoding.

use std::sync::Arc;

use arrow_array::BinaryArray;
use arrowfeed::avro::{AvroSchema, encode_records};
use arrowfeed::dataset::BatchIterator;
use arrowfeed::tensor::{DenseTensor, Tensor, Tensors, Values};
use arrowfeed::{Dataset, DatasetError, IterationOptions};
use arrowfeed_tensorflow::{Code, Failure, Feed, Source};

use super::failure::failure;

/// The records of a dataset, a vector of strings for each batch.
pub(super) struct Records {
    pub(super) dataset: Dataset,
    /// Of the records.
    pub(super) schema: AvroSchema,
    pub(super) options: IterationOptions,
}

struct Pass {
    batches: BatchIterator,
    schema: AvroSchema,
}

impl Source for Records {
    fn start(&self, state: &[u8]) -> Result<Box<dyn Feed>, Failure> {
        let mut batches = self.dataset.record_batches(self.options.clone()).map_err(failure)?;
        if !state.is_empty() {
            let state = std::str::from_utf8(state);
            let state = state.map_err(|error| Failure::new(Code::InvalidArgument, error.to_string()))?;
            batches.load_state(state).map_err(failure)?;
        }
        Ok(Box::new(Pass { batches, schema: self.schema.clone() }))
    }
}

impl Pass {
    fn records(&mut self) -> Result<Option<Tensors>, DatasetError> {
        let Some(batch) = self.batches.next().transpose()? else { return Ok(None) };
        let records = encode_records(&batch, Some(&self.schema))?;
        let values = Values::try_new(Arc::new(BinaryArray::from_iter_values(&records)))?;
        let tensor = DenseTensor::try_new(values, vec![records.len()])?;
        Ok(Some(vec![("records".to_owned(), Tensor::Dense(tensor))]))
    }
}

impl Feed for Pass {
    fn next(&mut self) -> Result<Option<Tensors>, Failure> {
        self.records().map_err(failure)
    }

    fn state(&mut self) -> Result<Vec<u8>, Failure> {
        self.batches.state().map(String::into_bytes).map_err(failure)
    }
}
