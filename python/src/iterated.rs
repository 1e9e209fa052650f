//! The batches of a Python iterator as a reader.

use std::collections::VecDeque;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::prelude::*;

use crate::argument::wrong_type;
use crate::batch;
use crate::errors::io_error;
use crate::foreign;
use crate::object::Object;
use crate::shutdown::try_attach;
use crate::stream::c_text;

/// Iterates over the batches of a Python iterator, which must have one schema. Python errors keep their types.
pub(crate) struct Iterated {
    /// Name of the argument, for messages.
    argument: String,
    iterator: Object,
    schema: SchemaRef,
    /// Batches that were converted before they are requested.
    next: VecDeque<RecordBatch>,
    has_failed: bool,
}

impl Iterated {
    /// Wraps an iterator over objects of Arrow's C interface, whose first batch determines the schema.
    pub(crate) fn new(argument: &str, iterator: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut next = VecDeque::new();
        while next.is_empty() {
            let Some(item) = item(iterator)? else {
                let message = format!("{argument}: expected one or more batches or rows, found none");
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            };
            next.extend(batches(argument, &item)?);
        }
        let schema = next[0].schema();
        Ok(Self { next, ..Self::with_schema(argument, iterator, schema) })
    }

    /// Wraps an iterator over batches of this schema.
    pub(crate) fn with_schema(argument: &str, iterator: &Bound<'_, PyAny>, schema: SchemaRef) -> Self {
        let iterator = Object::new(iterator.clone().unbind());
        Self { argument: argument.to_owned(), iterator, schema, next: VecDeque::new(), has_failed: false }
    }

    fn take_next(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        while self.next.is_empty() {
            let found = try_attach(|py| {
                let found = item(self.iterator.bind(py))
                    .and_then(|item| item.map(|item| batches(&self.argument, &item)).transpose());
                found.map_err(|error| FeedError::io(io_error(py, error)))
            });
            let ended = || FeedError::new(FeedErrorKind::Internal, "expected a running Python interpreter");
            match found.ok_or_else(ended)?? {
                None => return Ok(None),
                Some(batches) => self.next.extend(batches),
            }
        }
        let batch = self.next.pop_front();
        match &batch {
            Some(batch) if batch.schema_ref() != &self.schema => {
                let (argument, expected) = (&self.argument, columns(&self.schema));
                let found = columns(batch.schema_ref());
                let message = format!(
                    "{argument}: expected batches with the columns {expected}, found one with {found}"
                );
                Err(FeedError::new(FeedErrorKind::Schema, message))
            }
            _ => Ok(batch),
        }
    }
}

impl Iterator for Iterated {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let next = self.take_next();
        self.has_failed = next.is_err();
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for Iterated {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The same, with errors as the texts that the C interface transfers.
pub(crate) struct WithTexts(pub(crate) Iterated);

impl Iterator for WithTexts {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map_err(|error| ArrowError::ExternalError(c_text(&error).into())))
    }
}

impl RecordBatchReader for WithTexts {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

/// The names, types and nullability of columns, for messages.
fn columns(schema: &SchemaRef) -> String {
    let columns = schema.fields().iter().map(|field| {
        let null = if field.is_nullable() { "" } else { " not null" };
        format!("{}: {}{null}", field.name(), field.data_type())
    });
    columns.collect::<Vec<_>>().join(", ")
}

/// The next item of an iterator.
fn item<'py>(iterator: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    iterator.try_iter()?.next().transpose()
}

/// The batches of an object of the C interface.
fn batches(argument: &str, item: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let py = item.py();
    let collected = |batches: &mut dyn Iterator<Item = Result<RecordBatch, ArrowError>>| {
        batches
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| crate::write::failure(py, crate::write::source_error(error)))
    };
    if let Ok(batch) = item.cast::<batch::RecordBatch>() {
        return Ok(vec![batch.get().batch.clone()]);
    }
    if item.hasattr("__arrow_c_array__")? {
        return collected(&mut foreign::record_batch(argument, item)?);
    }
    if item.hasattr("__arrow_c_stream__")? {
        return collected(&mut foreign::stream(argument, item)?);
    }
    Err(wrong_type(argument, "batches, tables, dicts or dataclass instances", item))
}
