//! Batches of which somebody reads some columns: the others are not looked at.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, NullArray, RecordBatch};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;

use super::capsule::Taken;
use super::known::{Known, Projection};
use super::pyarrow::Seen;
use super::{Invalid, Refused, capsules, caught, direct, imported, of_columns, read, whole};

/// A batch on its way in, for somebody who does not read all of its columns.
pub(crate) struct Given {
    known: Arc<Known>,
    taken: Taken,
}

impl Given {
    /// What `method` gives, which is `__arrow_c_array__` of the object.
    pub(crate) fn new(
        value: &Bound<'_, PyAny>,
        method: &Bound<'_, PyAny>,
        projection: &Projection,
    ) -> PyResult<Self> {
        let (schema, array) = capsules(method)?;
        let known = read(&schema, |schema| projection.known(schema))?;
        if let Some(seen) = Seen::new(value, &known)? {
            projection.set_pyarrow(seen);
        }
        Ok(Self { known, taken: Taken::new(&array)? })
    }

    /// The same of a batch of pyarrow with the schema of the last one; `None` of any other object.
    pub(crate) fn again(value: &Bound<'_, PyAny>, projection: &Projection) -> PyResult<Option<Self>> {
        let Some(seen) = projection.pyarrow() else { return Ok(None) };
        let Some(known) = seen.of(value)? else { return Ok(None) };
        Ok(Some(Self { known, taken: Taken::of_pyarrow(value)? }))
    }

    /// Number of values on all levels, as far as the batch says.
    pub(crate) fn values(&self) -> usize {
        caught(|| Ok(self.taken.values())).unwrap_or(0)
    }

    /// The batch. Columns that are not read are nulls.
    pub(crate) fn batch(self, projection: &Projection) -> Result<RecordBatch, Refused> {
        let Self { known, taken } = self;
        let Some(schema) = &known.schema else { return whole(taken, &known.field) };
        match direct::Batch::new(taken, schema.fields().len()) {
            Ok(batch) => projected(&batch, schema, &projection.columns),
            Err(taken) => whole(taken, &known.field),
        }
    }
}

/// Some of the columns of a batch, nulls for the others.
fn projected(batch: &direct::Batch, schema: &SchemaRef, wanted: &[usize]) -> Result<RecordBatch, Refused> {
    let nulls: OnceCell<ArrayRef> = OnceCell::new();
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        if wanted.binary_search(&index).is_err() {
            return Ok(nulls.get_or_init(|| Arc::new(NullArray::new(batch.rows))).clone());
        }
        batch.column(index, field.data_type()).or_else(|taken| {
            let array = imported(taken, field.data_type()).and_then(|array| cut(array, batch.rows));
            array.map_err(|invalid| invalid.inside(field.name()))
        })
    });
    let columns = columns.collect::<Result<_, Invalid>>()?;
    of_columns(schema.clone(), columns, batch.rows).map_err(|failure| Refused::NoBatch(failure.to_string()))
}

/// A struct has as many rows as it says, its fields may have more.
fn cut(array: ArrayRef, rows: usize) -> Result<ArrayRef, Invalid> {
    match array.len().cmp(&rows) {
        Ordering::Less => {
            let found = format!("{} values of {} where {rows} are needed", array.len(), array.data_type());
            Err(Invalid::new(found))
        }
        Ordering::Equal => Ok(array),
        Ordering::Greater => Ok(array.slice(0, rows)),
    }
}
