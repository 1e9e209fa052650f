//! A source of the records of a dataset in Avro's binary encoding.

use std::sync::Arc;

use arrow_array::BinaryArray;
use arrowfeed::avro::{AvroSchema, encode_records};
use arrowfeed::dataset::BatchIterator;
use arrowfeed::tensor::{DenseTensor, Tensor, Tensors, Values};
use arrowfeed::{Dataset, DatasetError, IterationOptions};
use arrowfeed_tensorflow::{Failure, TensorSource, TensorStream};

use super::failure::{failure, not_a_state};
use crate::ctrl_c::CtrlC;
use crate::skipped;

/// The records of a dataset, as one string vector per batch.
pub(super) struct RecordVectors {
    pub(super) dataset: Dataset,
    /// The schema of the records.
    pub(super) schema: AvroSchema,
    pub(super) options: IterationOptions,
}

struct Pass {
    batches: BatchIterator,
    schema: AvroSchema,
    ctrl_c: CtrlC,
}

impl TensorSource for RecordVectors {
    fn start(&self, state: &[u8]) -> Result<Box<dyn TensorStream>, Failure> {
        let ctrl_c = CtrlC::watched();
        let options = IterationOptions { interrupt: Some(ctrl_c.interrupt()), ..self.options.clone() };
        let mut batches = self.dataset.record_batches(options).map_err(failure)?;
        if !state.is_empty() {
            let state = std::str::from_utf8(state).map_err(|_| failure(not_a_state()))?;
            batches.load_state(state).map_err(failure)?;
        }
        Ok(Box::new(Pass { batches, schema: self.schema.clone(), ctrl_c }))
    }
}

impl Pass {
    fn records(&mut self) -> Result<Option<Tensors>, DatasetError> {
        let Some(batch) = self.batches.next().transpose()? else { return Ok(None) };
        let records = encode_records(&batch, Some(&self.schema))?;
        let values = Values::try_new(Arc::new(BinaryArray::from_iter_values(&records)))?;
        let tensor = DenseTensor::try_new(values, vec![records.len()])?;
        Ok(Some(Tensors::from(vec![("records".to_owned(), Tensor::Dense(tensor))])))
    }
}

impl TensorStream for Pass {
    fn next(&mut self) -> Result<Option<Tensors>, Failure> {
        self.ctrl_c.begin_step();
        let records = self.records();
        skipped::warn_from_any_thread(&self.batches.take_first_skipped());
        records.map_err(failure)
    }

    fn state(&mut self) -> Result<Vec<u8>, Failure> {
        self.batches.state().map(String::into_bytes).map_err(failure)
    }
}
