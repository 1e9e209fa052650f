//! Adapters of a reader for Arrow's C stream interface and for `write_avro`.

use std::io;
use std::sync::{Arc, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, FieldRef, SchemaRef};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3_arrow::ffi::ArrayReader;

use crate::batch::struct_field;
use crate::cast::cast;
use crate::consumed::Failure;
use crate::guarded::CallError;
use crate::shared::SharedReader;
use crate::signals;
use crate::skipped;

/// Iterates over batches as struct arrays.
pub(crate) struct CStream<B> {
    batches: B,
    field: FieldRef,
    cast: bool,
}

impl<B: RecordBatchReader> CStream<B> {
    /// With `cast_to`, the arrays are cast to that type.
    pub(crate) fn new(batches: B, cast_to: Option<FieldRef>) -> Self {
        let cast = cast_to.is_some();
        let field = cast_to.unwrap_or_else(|| struct_field(&batches.schema()));
        Self { batches, field, cast }
    }
}

impl<B: RecordBatchReader> Iterator for CStream<B> {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.batches.next()?.and_then(|batch| {
            let rows: ArrayRef = Arc::new(StructArray::from(batch));
            if self.cast { cast(&rows, &self.field) } else { Ok(rows) }
        }))
    }
}

impl<B: RecordBatchReader> ArrayReader for CStream<B> {
    fn field(&self) -> FieldRef {
        self.field.clone()
    }
}

/// Iterates over the batches of a reader that was handed over. Errors become texts, because the C interface transfers only
/// texts.
pub(crate) struct HandedOver {
    shared: Arc<SharedReader>,
    failure: Option<Failure>,
}

impl HandedOver {
    /// `failure` receives the error that ends the stream.
    pub(crate) fn new(shared: Arc<SharedReader>, failure: Option<Failure>) -> Self {
        Self { shared, failure }
    }

    fn failed(&self, refusal: CallError) -> ArrowError {
        let Some(failure) = &self.failure else { return as_text(refusal) };
        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        ArrowError::ExternalError("the reader failed".into())
    }
}

impl Iterator for HandedOver {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        next(&self.shared).map_err(|refusal| self.failed(refusal)).transpose()
    }
}

impl RecordBatchReader for HandedOver {
    fn schema(&self) -> SchemaRef {
        self.shared.schema().clone()
    }
}

/// Returns the next batch, and warns of skipped parts. The caller may be a thread of another library.
fn next(reader: &SharedReader) -> Result<Option<RecordBatch>, CallError> {
    let mut first_skipped = Vec::new();
    let next = reader.next_of_stream(&mut first_skipped);
    skipped::warn_from_any_thread(&first_skipped);
    next
}

fn as_text(refusal: CallError) -> ArrowError {
    let error = match refusal {
        CallError::State(text) => return ArrowError::ExternalError(text.into()),
        CallError::Error(error) => error,
    };
    if error.kind() == FeedErrorKind::Interrupted {
        signals::repeat_interrupt();
    }
    let text = c_text(&error);
    if error.kind() == FeedErrorKind::Io {
        return ArrowError::IoError(text.clone(), io::Error::other(text));
    }
    ArrowError::ExternalError(text.into())
}

/// The text of an error as a C string, which ends at a NUL.
pub(crate) fn c_text(error: &impl ToString) -> String {
    error.to_string().replace('\0', "\\0")
}

/// Iterates over batches and keeps the types of errors.
pub(crate) struct Direct(pub(crate) Arc<SharedReader>);

impl Iterator for Direct {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = next(&self.0).map_err(|refusal| match refusal {
            CallError::State(text) => FeedError::new(FeedErrorKind::Options, text).into(),
            CallError::Error(error) => error.into(),
        });
        batch.transpose()
    }
}

impl RecordBatchReader for Direct {
    fn schema(&self) -> SchemaRef {
        self.0.schema().clone()
    }
}
