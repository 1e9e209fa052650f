//! Schemas and batches of any Arrow library as arguments.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::argument::wrong_type;
use crate::argument_types::Argument;
use crate::arrow_schema::Schema;
use crate::call::caught;
use crate::column_types::ColumnTypes;
use crate::errors::to_python;
use crate::foreign::{ForeignBatch, Refused, SchemaCache};
use crate::write::{batches, failure, source_error};
use crate::{batch, foreign};

/// The schema of an argument, or of its attribute `schema`, because pyarrow batches and tables do not export a schema
/// directly.
pub(crate) fn schema(value: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    schema_or(value, || wrong_type("schema", "an object with __arrow_c_schema__", value))
}

fn schema_or(value: &Bound<'_, PyAny>, wrong: impl FnOnce() -> PyErr) -> PyResult<SchemaRef> {
    if let Ok(schema) = value.cast::<Schema>() {
        return Ok(schema.get().0.clone());
    }
    let given = match value.hasattr("__arrow_c_schema__")? {
        true => Some(value.clone()),
        false => {
            value.getattr_opt("schema")?.filter(|own| own.hasattr("__arrow_c_schema__").unwrap_or(false))
        }
    };
    let schema = foreign::schema(&given.ok_or_else(wrong)?)?;
    schema.ok_or_else(|| wrong_type("schema", "the schema of a record batch", value))
}

/// The columns of files.
impl Argument for SchemaRef {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<PyMapping>() {
            Ok(types) => ColumnTypes::parse(name, types.as_any()).map(|ColumnTypes(schema)| schema),
            Err(_) => {
                let expected = "an object with __arrow_c_schema__, or a dict of names of columns to types";
                schema_or(value, || wrong_type(name, expected, value))
            }
        }
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Schema(self.clone()).into_pyobject(given.py())?.into_any())
    }
}

/// Number of values that are converted in less than 0.1 ms.
const FEW: usize = 1 << 15;

/// A batch of this or another library.
pub(super) enum BatchArgument {
    Whole(RecordBatch),
    Foreign(ForeignBatch),
}

impl BatchArgument {
    /// Imports the batch of an argument: a batch, or a stream of one batch.
    pub(super) fn new(value: &Bound<'_, PyAny>, projection: &SchemaCache) -> PyResult<Self> {
        let py = value.py();
        if let Ok(batch) = value.cast::<batch::RecordBatch>() {
            return Ok(Self::Whole(batch.get().batch.clone()));
        }
        if let Some(batch) = foreign::projected_batch("batch", value, projection)? {
            return Ok(Self::Foreign(batch));
        }
        if !value.hasattr("__arrow_c_stream__")? {
            let expected = "an object with __arrow_c_array__, or with an __arrow_c_stream__ of one batch";
            return Err(wrong_type("batch", expected, value));
        }
        let mut stream = batches("batch", value)?;
        let schema = stream.schema();
        let batches = py.detach(|| caught(|| Ok([stream.next(), stream.next()])));
        one(py, schema, batches.map_err(|error| to_python(py, error))?).map(Self::Whole)
    }

    /// Whether releasing the interpreter costs more than it gains. It takes 0.2 µs, and a batch of 1,024 rows takes 6 µs.
    pub(super) fn is_small(&self) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Foreign(batch) => batch.values() <= FEW,
        }
    }

    /// Returns the batch. Columns that are not read may have only nulls.
    pub(super) fn batch(self) -> Result<RecordBatch, Refused> {
        match self {
            Self::Whole(batch) => Ok(batch),
            Self::Foreign(batch) => batch.into_batch(),
        }
    }
}

/// Returns the only batch of a stream, or an empty batch for an empty stream. Two batches suffice to detect an error.
fn one(
    py: Python<'_>,
    schema: SchemaRef,
    batches: [Option<Result<RecordBatch, ArrowError>>; 2],
) -> PyResult<RecordBatch> {
    let failed = |error| failure(py, source_error(error));
    match batches {
        [None, _] => Ok(RecordBatch::new_empty(schema)),
        [Some(batch), None] => batch.map_err(failed),
        [Some(batch), Some(more)] => {
            batch.and(more).map_err(failed)?;
            let message = "batch: expected a stream of one batch, found more: convert them one by one";
            Err(PyValueError::new_err(message))
        }
    }
}
