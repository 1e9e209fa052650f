//! Arrow data of any library: the one way in, for schemas, arrays, batches and streams.
//!
//! | step | file |
//! |---|---|
//! | what capsules carry | `capsule` |
//! | schemas that were read before | `known`, `pyarrow` |
//! | batches of which some columns are read | `given` |
//! | columns of numbers, straight from there | `direct` |
//! | refused where its numbers lead out of it | `valid` |
//! | made arrays, without arrow-rs's mistake about slices of structs | `offsets` |
//!
//! Of a batch of 1,024 rows with two columns of lists, schema and columns take 1.5 µs; by arrow-rs alone, and with all
//! checks, they take 4.4. pyarrow takes as long again to hand it over.

mod capsule;
mod direct;
mod given;
mod known;
mod offsets;
mod pyarrow;
mod valid;

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use arrowfeed::AvroError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::invalid_arrow;
use capsule::{Taken, TakenStream};
pub(crate) use given::Given;
pub(crate) use known::Projection;

/// Data that is not what Arrow's columnar format says: where, and what was found.
#[derive(Debug)]
pub(crate) struct Invalid {
    pub(crate) field: Option<String>,
    found: String,
}

impl Invalid {
    fn new(found: String) -> Self {
        Self { field: None, found }
    }

    /// The error that a [`Stream`] has put into one of Arrow's.
    pub(crate) fn of(error: &ArrowError) -> Option<&Self> {
        if let ArrowError::ExternalError(error) = error { error.downcast_ref() } else { None }
    }

    fn inside(mut self, name: &str) -> Self {
        self.field = Some(self.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}")));
        self
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "column {field:?}: ")?;
        }
        write!(f, "expected valid Arrow data, found {}", self.found)
    }
}

impl Error for Invalid {}

/// The schema of an object with `__arrow_c_schema__`. `None`: it is of something else than rows.
pub(crate) fn schema(value: &Bound<'_, PyAny>) -> PyResult<Option<SchemaRef>> {
    let capsule = value.call_method0("__arrow_c_schema__")?.cast_into::<PyCapsule>()?;
    let field = field(&capsule)?;
    Ok(as_schema(&field))
}

/// The batch of an object with `__arrow_c_array__`: an array of structs.
pub(crate) fn record_batch(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let py = value.py();
    let (schema, array) = capsules(&value.getattr(intern!(py, "__arrow_c_array__"))?)?;
    let (field, taken) = (field(&schema)?, Taken::new(&array)?);
    let batch = py.detach(|| whole(taken, &field));
    batch.map_err(|refused| refused.into_python(py, argument))
}

/// Why there is no batch.
#[derive(Debug)]
pub(crate) enum Refused {
    Invalid(Invalid),
    /// Valid data that is no batch, such as this.
    NoBatch(String),
}

impl Refused {
    pub(crate) fn into_python(self, py: Python<'_>, argument: &str) -> PyErr {
        match self {
            Self::Invalid(invalid) => invalid_arrow(py, &invalid),
            Self::NoBatch(found) => PyValueError::new_err(format!(
                "{argument}: expected an array of structs without nulls, found {found}"
            )),
        }
    }
}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Schema and array.
fn capsules<'py>(method: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let capsules = method.call0()?.cast_into::<PyTuple>()?;
    Ok((capsules.get_item(0)?.cast_into()?, capsules.get_item(1)?.cast_into()?))
}

/// The batches of an object with `__arrow_c_stream__`.
pub(crate) fn stream(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let py = value.py();
    let capsule = value.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let mut taken = TakenStream::new(&capsule)?;
    let field = py.detach(|| caught(|| taken.field().map_err(|error| Invalid::new(text(error)))));
    let field = Arc::new(field.map_err(|invalid| invalid_arrow(py, &invalid))?);
    match as_schema(&field) {
        Some(schema) => Ok(Stream { taken, schema }),
        None => {
            let found = field.data_type();
            let message = format!("{argument}: expected a stream of record batches, found arrays of {found}");
            Err(PyTypeError::new_err(message))
        }
    }
}

/// Batches as they come. Errors of data are [`Invalid`].
pub(crate) struct Stream {
    taken: TakenStream,
    schema: SchemaRef,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let taken = self.taken.next().transpose()?;
        Some(taken.and_then(|taken| {
            let data_type = DataType::Struct(self.schema.fields().clone());
            let invalid = |invalid| ArrowError::ExternalError(Box::new(invalid));
            batch(imported(taken, &data_type).map_err(invalid)?.as_struct(), self.schema.clone())
        }))
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn field(capsule: &Bound<'_, PyCapsule>) -> PyResult<FieldRef> {
    read(capsule, |schema| Field::try_from(schema).map(Arc::new))
}

/// What is made of the schema in a capsule, or what is wrong with it.
fn read<T>(
    capsule: &Bound<'_, PyCapsule>,
    make: impl FnOnce(&FFI_ArrowSchema) -> Result<T, ArrowError>,
) -> PyResult<T> {
    let py = capsule.py();
    let made = caught(|| Ok(capsule::schema(capsule, make)));
    let made = made.map_err(|invalid| invalid_arrow(py, &invalid))??;
    made.map_err(|error| invalid_arrow(py, &Invalid::new(text(error))))
}

fn as_schema(field: &FieldRef) -> Option<SchemaRef> {
    let DataType::Struct(fields) = field.data_type() else { return None };
    Some(Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone())))
}

/// The array that was taken, if it is valid.
fn imported(taken: Taken, data_type: &DataType) -> Result<ArrayRef, Invalid> {
    caught(|| {
        let data = taken.into_data(data_type.clone()).map_err(|error| Invalid::new(text(error)))?;
        valid::check(&data, 0..data.len())?;
        Ok(offsets::array(data))
    })
}

/// arrow-rs panics where a struct of the interface contradicts itself, such as by the number of its children.
fn caught<T>(import: impl FnOnce() -> Result<T, Invalid>) -> Result<T, Invalid> {
    let done = catch_unwind(AssertUnwindSafe(import));
    done.unwrap_or_else(|panic| {
        let error = AvroError::from_panic(&*panic);
        let text = error.message().rsplit(": ").next().unwrap_or_default();
        Err(Invalid::new(format!("parts that do not fit together ({text})")))
    })
}

fn text(error: ArrowError) -> String {
    match error {
        ArrowError::CDataInterface(text) => text,
        other => other.to_string(),
    }
}

/// An array of structs as the batch that it stands for.
fn whole(taken: Taken, field: &FieldRef) -> Result<RecordBatch, Refused> {
    let array = imported(taken, field.data_type())?;
    let Some(structs) = array.as_struct_opt() else {
        return Err(Refused::NoBatch(array.data_type().to_string()));
    };
    if structs.null_count() > 0 {
        return Err(Refused::NoBatch(format!("structs, {} of them null", structs.null_count())));
    }
    let schema = Schema::new_with_metadata(structs.fields().clone(), field.metadata().clone());
    batch(structs, Arc::new(schema)).map_err(|failure| Refused::NoBatch(failure.to_string()))
}

fn batch(structs: &StructArray, schema: SchemaRef) -> Result<RecordBatch, ArrowError> {
    of_columns(schema, structs.columns().to_vec(), structs.len())
}

fn of_columns(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options)
}
