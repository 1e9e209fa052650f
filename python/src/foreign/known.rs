//! The schemas of batches that come one after the other: mostly one, which is read once and compared after that.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};

use super::pyarrow::Seen;

/// The columns that somebody reads of batches, and the schema of the last batch.
#[derive(Debug)]
pub(crate) struct Projection {
    /// Indices, in order.
    pub(super) columns: Vec<usize>,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    known: Option<Arc<Known>>,
    pyarrow: Option<Arc<Seen>>,
    /// What the next schema is written to.
    text: Vec<u8>,
}

/// A schema that was read.
#[derive(Debug)]
pub(super) struct Known {
    /// All of it but for metadata, which no array depends on.
    text: Vec<u8>,
    pub(super) field: FieldRef,
    /// Its columns; those that nobody reads are of the type of nulls. `None` where it is of something else than rows.
    pub(super) schema: Option<SchemaRef>,
}

impl Projection {
    pub(crate) fn new(columns: Vec<usize>) -> Self {
        Self { columns, last: Mutex::default() }
    }

    /// Panics where the struct contradicts itself.
    pub(super) fn known(&self, schema: &FFI_ArrowSchema) -> Result<Arc<Known>, ArrowError> {
        let mut last = self.lock();
        last.text.clear();
        describe(schema, &mut last.text);
        if let Some(known) = last.known.as_ref().filter(|known| known.text == last.text) {
            return Ok(known.clone());
        }
        let field = Arc::new(Field::try_from(schema)?);
        let (text, schema) = (last.text.clone(), self.schema(&field));
        Ok(last.known.insert(Arc::new(Known { text, field, schema })).clone())
    }

    /// The last schema of a batch of pyarrow.
    pub(super) fn pyarrow(&self) -> Option<Arc<Seen>> {
        self.lock().pyarrow.clone()
    }

    pub(super) fn set_pyarrow(&self, seen: Seen) {
        let before = self.lock().pyarrow.replace(Arc::new(seen));
        // Objects of Python may run its code when they go: without the lock.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn schema(&self, field: &FieldRef) -> Option<SchemaRef> {
        let DataType::Struct(fields) = field.data_type() else { return None };
        let fields = fields.iter().enumerate().map(|(index, field)| {
            match self.columns.binary_search(&index).is_ok() {
                true => field.clone(),
                false => Arc::new(Field::new(field.name(), DataType::Null, true)),
            }
        });
        Some(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
    }
}

/// Other bytes for any other schema: texts end with a zero, and what is in a field comes after how much that is.
fn describe(schema: &FFI_ArrowSchema, text: &mut Vec<u8>) {
    for part in [schema.format(), schema.name().unwrap_or_default()] {
        text.extend_from_slice(part.as_bytes());
        text.push(0);
    }
    let flags = schema.flags().map_or(-1, |flags| flags.bits());
    let children = schema.children().size_hint().0;
    text.extend_from_slice(&flags.to_ne_bytes());
    text.extend_from_slice(&children.to_ne_bytes());
    text.push(schema.dictionary().is_some().into());
    schema.children().chain(schema.dictionary()).for_each(|inside| describe(inside, text));
}
