//! The parser of records for the op in graphs.

#![expect(
    clippy::disallowed_types,
    reason = "decoders that no thread uses; TensorFlow does not run in a child"
)]

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrowfeed::avro::{AvroOptions, AvroSchema};
use arrowfeed::dataset::TensorDefinitions;
use arrowfeed::tensor::Tensors;
use arrowfeed::{DatasetError, FeedError, TensorRecordDecoder, printable};
use arrowfeed_tensorflow::{Failure, Parser};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::MODULE;
use super::failure::{failure, raised};
use crate::schema::parse;
use crate::shutdown::call_method;
use crate::tensor::tensor_definitions;

/// Converts Avro records of one schema to tensors.
pub(super) struct AvroParser {
    schema: AvroSchema,
    tensors: Option<TensorDefinitions>,
    /// Idle decoders without rows.
    decoders: Mutex<Vec<TensorRecordDecoder>>,
}

impl AvroParser {
    /// Opens the parser that a graph describes.
    pub(super) fn open(py: Python<'_>, config: &[u8]) -> Result<Self, Failure> {
        let described = || -> PyResult<_> {
            let module = py.import(MODULE)?;
            let made = call_method(module.as_any(), "described", (PyBytes::new(py, config),))?;
            let (schema, features) = made.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            Ok((parse("schema", &schema)?, tensor_definitions(Some(features), None)?))
        };
        let (schema, tensors) = described().map_err(|error| raised(py, error))?;
        Ok(Self { schema, tensors, decoders: Mutex::default() })
    }

    fn decoder(&self) -> Result<TensorRecordDecoder, DatasetError> {
        if let Some(kept) = self.decoders.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(kept);
        }
        let mut decoder =
            TensorRecordDecoder::new(&self.schema, self.tensors.clone(), AvroOptions::default())?;
        // One batch must contain all records of a call.
        decoder.records.set_batch_size(usize::MAX)?;
        Ok(decoder)
    }
}

impl Parser for AvroParser {
    fn parse(&self, records: &mut dyn Iterator<Item = &[u8]>) -> Result<Tensors, Failure> {
        // After an error, the decoder and its rows are dropped.
        let mut decoder = self.decoder().map_err(failure)?;
        for record in records {
            decoder.records.decode(record).map_err(|error| failure(located(error)))?;
        }
        let tensors = match decoder.flush_tensors().map_err(failure)? {
            Some(tensors) => tensors,
            None => {
                let batch = RecordBatch::new_empty(decoder.records.schema().clone());
                decoder.tensor_adapter().convert(&batch).map_err(|error| failure(error.into()))?
            }
        };
        if decoder.records.rows() > 0 {
            let rows = decoder.records.rows();
            let message = format!("serialized: expected records that fit in one batch, found {rows} more");
            return Err(failure(FeedError::limit_reached("batch_bytes", message).into()));
        }
        self.decoders.lock().unwrap_or_else(PoisonError::into_inner).push(decoder);
        Ok(tensors)
    }
}

/// Converts an error so that it gives the index of the record in the input tensor.
fn located(error: FeedError) -> DatasetError {
    let location = error.location();
    let Some(record) = location.record else { return error.into() };
    let field = location.field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default();
    let message = format!("serialized[{record}]: {field}{}", printable(error.message()));
    FeedError::new(error.kind(), message).into()
}
