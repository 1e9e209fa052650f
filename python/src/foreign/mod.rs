//! Schemas, batches and streams of other Arrow libraries, through the Arrow PyCapsule interface.
//!
//! | step | file |
//! |---|---|
//! | structs are moved out of their capsules | `capsule` |
//! | the schema of a batch is compared with that of the previous batch | `known`, `pyarrow` |
//! | structs are checked, and arrays are created over their memory | the crate arrowfeed-ffi |
//! | an index of pandas that its stream lacks is added | `pandas` |

mod capsule;
mod known;
mod pandas;
mod pyarrow;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, SchemaRef};
use arrowfeed_ffi::ForeignStream;
pub(crate) use arrowfeed_ffi::{ForeignBatch, Refused, check_text};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::call::caught;
use crate::errors::{invalid_arrow, to_python};
use crate::shutdown::{attribute, call, call_method, foreign_call, guarded, try_attach};
use capsule::{ForeignSchema, OwnedStream, Taken};
pub(crate) use known::SchemaCache;
use pyarrow::PyarrowSchema;

/// The field that the schema of a capsule describes.
pub(crate) fn field(capsule: &Bound<'_, PyCapsule>) -> PyResult<FieldRef> {
    let field = ForeignSchema::new(capsule)?.field();
    field.map(Arc::new).map_err(|invalid| invalid_arrow(capsule.py(), &invalid))
}

/// The schema of an object with `__arrow_c_schema__`. `None` if it does not describe a struct of columns.
pub(crate) fn schema(value: &Bound<'_, PyAny>) -> PyResult<Option<SchemaRef>> {
    let capsule = call_method(value, "__arrow_c_schema__", ())?.cast_into::<PyCapsule>()?;
    Ok(arrowfeed_ffi::columns(&*field(&capsule)?))
}

/// The type of an object with `__arrow_c_schema__`: a type, or a field.
pub(crate) fn data_type(value: &Bound<'_, PyAny>) -> PyResult<DataType> {
    let capsule = call_method(value, "__arrow_c_schema__", ())?.cast_into::<PyCapsule>()?;
    Ok(field(&capsule)?.data_type().clone())
}

/// Number of rows that are checked at once, which cannot be interrupted.
const PIECE: usize = 1 << 18;

/// The batch of an object with `__arrow_c_array__`, which is an array of structs. A large batch is split into pieces, and
/// this function checks the first one.
pub(crate) fn record_batch(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Pieces> {
    let py = value.py();
    let (schema, array) = capsules(&attribute(value, intern!(py, "__arrow_c_array__"))?)?;
    let field = field(&schema)?;
    let taken = Taken::new(&array)?;
    let batch = || {
        let schema = arrowfeed_ffi::columns(&field);
        let schema = schema.ok_or_else(|| Refused::NoBatch(field.data_type().to_string()))?;
        let batch = taken.batch(schema, |_| true)?;
        let end = batch.rows().min(PIECE);
        Ok(Pieces { first: Some(batch.batch_of(0..end)?), batch, next: end })
    };
    let batch = py.detach(|| caught(|| Ok(batch()))).map_err(|error| to_python(py, error))?;
    batch.map_err(|refused| refusal(py, argument, refused))
}

/// The rows of a batch of another library, in order.
pub(crate) struct Pieces {
    batch: ForeignBatch,
    first: Option<RecordBatch>,
    /// The first row of the next piece.
    next: usize,
}

impl Iterator for Pieces {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let (start, end) = (self.next, self.batch.rows().min(self.next + PIECE));
        self.next = end;
        (start < end).then(|| {
            self.batch.batch_of(start..end).map_err(|refused| match refused {
                Refused::Invalid(invalid) => invalid.into(),
                Refused::NoBatch(found) => ArrowError::CDataInterface(found),
            })
        })
    }
}

impl RecordBatchReader for Pieces {
    fn schema(&self) -> SchemaRef {
        self.batch.schema().clone()
    }
}

/// The batch of an object with the method `__arrow_c_array__`, of which some columns are read. `None` if it has no such
/// method.
pub(crate) fn projected_batch(
    argument: &str,
    value: &Bound<'_, PyAny>,
    projection: &SchemaCache,
) -> PyResult<Option<ForeignBatch>> {
    let py = value.py();
    let (known, taken) = match PyarrowSchema::known(value, projection)? {
        Some(known) => (known, Taken::of_pyarrow(value)?),
        None => {
            let Some(method) = value.getattr_opt(intern!(py, "__arrow_c_array__"))? else { return Ok(None) };
            let (schema, array) = capsules(&method)?;
            let known = projection.known(&ForeignSchema::new(&schema)?);
            let known = known.map_err(|invalid| invalid_arrow(py, &invalid))?;
            PyarrowSchema::remember(value, &known, projection)?;
            (known, Taken::new(&array)?)
        }
    };
    let batch = match &known.schema {
        Ok(schema) => taken.batch(schema.clone(), |index| projection.is_read(index)),
        Err(found) => Err(Refused::NoBatch(found.clone())),
    };
    batch.map(Some).map_err(|refused| refusal(py, argument, refused))
}

/// Calls `__arrow_c_array__`. Returns the capsules of the schema and the array.
fn capsules<'py>(method: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let capsules = call(method, ())?.cast_into::<PyTuple>()?;
    Ok((capsules.get_item(0)?.cast_into()?, capsules.get_item(1)?.cast_into()?))
}

/// The batches of an object with `__arrow_c_stream__`. A named index of a pandas frame is a column.
pub(crate) fn stream(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let py = value.py();
    let value = &pandas::with_named_index(value)?;
    let capsule = call_method(value, "__arrow_c_stream__", ())?.cast_into::<PyCapsule>()?;
    let taken = OwnedStream::new(&capsule)?;
    let batches = py.detach(|| foreign_call(|| taken.batches()));
    batches.map(|batches| Stream(Some(batches))).map_err(|refused| match refused {
        Refused::Invalid(invalid) => invalid_arrow(py, &invalid),
        Refused::NoBatch(found) => {
            let message = format!("{argument}: expected a stream of record batches, found arrays of {found}");
            PyTypeError::new_err(message)
        }
    })
}

/// A stream of batches, which Python code may produce. It is `Some` until the destructor runs.
pub(crate) struct Stream(Option<ForeignStream>);

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        foreign_call(|| self.0.as_mut()?.next())
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.0.as_ref().map_or_else(|| Arc::new(Schema::empty()), RecordBatchReader::schema)
    }
}

/// Drops the stream while attached, because the producer may need the interpreter to release it.
impl Drop for Stream {
    fn drop(&mut self) {
        try_attach(|_| guarded(|| drop(self.0.take())));
    }
}

/// The exception for an array that is not a batch.
pub(crate) fn refusal(py: Python<'_>, argument: &str, refused: Refused) -> PyErr {
    match refused {
        Refused::Invalid(invalid) => invalid_arrow(py, &invalid),
        Refused::NoBatch(found) => PyValueError::new_err(format!(
            "{argument}: expected an array of structs without nulls, found {found}"
        )),
    }
}
