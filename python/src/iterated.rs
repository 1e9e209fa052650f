//! The batches of a Python iterator as a reader.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, FieldRef, SchemaRef};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::prelude::*;
use pyo3_arrow::ffi::ArrayReader;

use crate::argument::wrong_type;
use crate::batch::{self, struct_field};
use crate::cast::cast;
use crate::errors::io_error;
use crate::foreign;
use crate::object::Object;
use crate::shutdown::try_attach;

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

/// An iteration as a stream of the C interface, which transfers errors as texts.
pub(crate) struct IteratedStream {
    batches: Iterated,
    field: FieldRef,
    cast: bool,
}

impl IteratedStream {
    /// With `cast_to`, the arrays are cast to that type.
    pub(crate) fn new(batches: Iterated, cast_to: Option<FieldRef>) -> Self {
        let cast = cast_to.is_some();
        let field = cast_to.unwrap_or_else(|| struct_field(&batches.schema));
        Self { batches, field, cast }
    }
}

impl Iterator for IteratedStream {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        // A C string ends at a NUL.
        let batch =
            batch.map_err(|error| ArrowError::ExternalError(error.to_string().replace('\0', "\\0").into()));
        Some(batch.and_then(|batch| {
            let rows: ArrayRef = Arc::new(StructArray::from(batch));
            if self.cast { cast(&rows, &self.field) } else { Ok(rows) }
        }))
    }
}

impl ArrayReader for IteratedStream {
    fn field(&self) -> FieldRef {
        self.field.clone()
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
