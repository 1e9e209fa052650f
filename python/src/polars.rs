//! Batches as frames of polars.
//!
//! polars panics when it imports a type that it does not have. So the types are compared before, and each type for which
//! polars has an equal one is cast to it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch;
use crate::cast::cast;
use crate::errors::to_python;
use crate::foreign;
use crate::libraries::needed;
use crate::shutdown::call_method;

/// Maximum number of digits of a decimal in polars.
const DIGITS: u8 = 38;

/// A field of a type that polars does not have.
struct Missing {
    /// Path of the field.
    path: String,
    reason: String,
}

impl Missing {
    fn exception(self, py: Python<'_>) -> PyErr {
        to_python(py, FeedError::new(FeedErrorKind::Schema, self.reason).in_field(self.path))
    }
}

/// The schema whose columns polars imports, with equal values.
///
/// # Errors
/// polars has no type for a column.
pub(crate) fn importable(py: Python<'_>, schema: &SchemaRef) -> PyResult<SchemaRef> {
    let fields = schema.fields().iter().map(|field| importable_field(field, field.name()));
    let fields: Vec<FieldRef> =
        fields.collect::<Result<_, _>>().map_err(|missing: Missing| missing.exception(py))?;
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

fn importable_field(field: &FieldRef, path: &str) -> Result<FieldRef, Missing> {
    let kind = importable_type(field.data_type(), path)?;
    Ok(if kind == *field.data_type() {
        field.clone()
    } else {
        Arc::new(field.as_ref().clone().with_data_type(kind))
    })
}

fn importable_type(kind: &DataType, path: &str) -> Result<DataType, Missing> {
    let items = |field| importable_field(field, &format!("{path}[]"));
    let missing = |reason: String| Missing { path: path.to_owned(), reason };
    Ok(match kind {
        DataType::Union(..) => {
            let advice = "read it with unions=\"struct\" or unions=\"json\", or leave it out";
            return Err(missing(format!("expected a type of polars, found a union: {advice}")));
        }
        DataType::Interval(_) => {
            return Err(missing(format!("expected a type of polars, found {kind}: leave the column out")));
        }
        DataType::Decimal256(digits, scale) if *digits <= DIGITS => DataType::Decimal128(*digits, *scale),
        DataType::Decimal256(digits, _) => {
            let expected = format!("expected a decimal of at most {DIGITS} digits, as in polars");
            return Err(missing(format!("{expected}, found {digits} digits: leave the column out")));
        }
        DataType::FixedSizeBinary(0) => DataType::Binary,
        DataType::FixedSizeList(field, 0) | DataType::ListView(field) => DataType::List(items(field)?),
        DataType::LargeListView(field) => DataType::LargeList(items(field)?),
        DataType::List(field) => DataType::List(items(field)?),
        DataType::LargeList(field) => DataType::LargeList(items(field)?),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(items(field)?, *size),
        DataType::Map(field, sorted) => DataType::Map(items(field)?, *sorted),
        DataType::RunEndEncoded(_, values) => importable_type(values.data_type(), path)?,
        DataType::Dictionary(key, values) => {
            DataType::Dictionary(key.clone(), Box::new(importable_type(values, path)?))
        }
        DataType::Struct(fields) => {
            let fields =
                fields.iter().map(|field| importable_field(field, &format!("{path}.{}", field.name())));
            DataType::Struct(fields.collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    })
}

/// Converts a batch to a `polars.DataFrame`.
///
/// # Errors
/// polars has no type for a column, or is not installed.
pub(crate) fn frame<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyAny>> {
    let schema = importable(py, batch.schema_ref())?;
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = py.detach(|| {
        columns
            .map(|(column, field)| {
                if column.data_type() == field.data_type() { Ok(column.clone()) } else { cast(column, field) }
            })
            .collect::<Result<Vec<ArrayRef>, _>>()
    });
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let cast = columns.and_then(|columns| RecordBatch::try_new_with_options(schema.clone(), columns, &rows));
    let cast = cast.map_err(|error| PyValueError::new_err(error.to_string()))?;
    frame_of(Bound::new(py, batch::RecordBatch::new(cast))?.as_any(), &schema)
}

#[doc = docs!(polars_frame)]
#[pyfunction]
pub(crate) fn polars_frame<'py>(
    batch: &Bound<'py, batch::RecordBatch>,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, batch) = (batch.py(), &batch.get().batch);
    let columns = names.iter().map(|name| batch.schema_ref().index_of(name)).collect::<Result<Vec<_>, _>>();
    let selected = columns.and_then(|columns| batch.project(&columns));
    frame(py, &selected.map_err(|error| PyValueError::new_err(error.to_string()))?)
}

#[doc = docs!(polars_schema)]
#[pyfunction]
pub(crate) fn polars_schema<'py>(schema: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = schema.py();
    let polars = needed(py, "polars", "for scans")?;
    let types = PyDict::new(py);
    for field in foreign::schema(schema)?.iter().flat_map(|schema| schema.fields()) {
        types.set_item(field.name(), dtype(&polars, field).ok())?;
    }
    Ok(types)
}

/// Makes a `polars.DataFrame` of rows of importable columns.
///
/// # Errors
/// polars cannot import a column, although it has the type: it does not know all time zones.
pub(crate) fn frame_of<'py>(rows: &Bound<'py, PyAny>, schema: &SchemaRef) -> PyResult<Bound<'py, PyAny>> {
    let py = rows.py();
    let polars = needed(py, "polars", "for to_polars()")?;
    call_method(&polars, "DataFrame", (rows,)).map_err(|error| {
        let refused = |field: &&FieldRef| dtype(&polars, field).is_err();
        match schema.fields().iter().find(refused) {
            Some(field) => refusal(py, field.name(), &error),
            // A panic is no `Exception`, so most programs would not handle it.
            None if is_panic(py, &error) => refusal(py, "", &error),
            None => error,
        }
    })
}

/// The `polars.DataType` of a column.
fn dtype<'py>(polars: &Bound<'py, PyAny>, field: &FieldRef) -> PyResult<Bound<'py, PyAny>> {
    let py = polars.py();
    let column = importable(py, &Arc::new(Schema::new(vec![field.clone()])))?;
    call_method(polars, "Schema", (crate::arrow_schema::Schema(column),))?.get_item(field.name())
}

fn refusal(py: Python<'_>, column: &str, error: &PyErr) -> PyErr {
    let reason = format!("expected a column that polars imports, found its error: {}", error.value(py));
    let missing = FeedError::new(FeedErrorKind::Schema, reason);
    to_python(py, if column.is_empty() { missing } else { missing.in_field(column) })
}

fn is_panic(py: Python<'_>, error: &PyErr) -> bool {
    let name = error.get_type(py).name();
    !error.is_instance_of::<PyException>(py) && name.is_ok_and(|name| name == "PanicException")
}
