//! Columns of unions that become structs or JSON text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, StructArray, UnionArray};
use arrow_schema::Fields;

use super::context::{Context, Moved};
use super::fill::{Fill, Marks, MarksIter};
use super::json;
use super::union::UnionColumn;
use crate::plan::json_text::BYTES_PER_BYTE;
use crate::plan::node::Conversion;
use crate::wire::cursor::{Cursor, Stop};

/// A union that is decoded as a dense one, and converted when the batch ends. A column of its own, so that dense
/// unions do not pay for it.
#[derive(Debug)]
pub(crate) struct ConvertedUnion {
    union: UnionColumn,
    conversion: Conversion,
    /// Bytes of the result for each encoded byte.
    bytes_per_byte: usize,
}

impl ConvertedUnion {
    pub(crate) fn new(union: UnionColumn, conversion: Conversion) -> Self {
        let bytes_per_byte = match conversion {
            Conversion::Struct { .. } => 0,
            Conversion::Json { .. } => BYTES_PER_BYTE,
        };
        Self { union, conversion, bytes_per_byte }
    }

    pub(crate) fn read<'a>(&mut self, cur: Cursor<'a>, context: &mut Context) -> Moved<'a> {
        let left = cur.left();
        let after = self.union.read(cur, context)?;
        let text = (left - after.left()).saturating_mul(self.bytes_per_byte);
        let result = context.take_bytes(text).map(|()| after);
        context.moved(result)
    }
}

impl Fill for ConvertedUnion {
    fn deferred_bytes(&self) -> usize {
        let bytes = match &self.conversion {
            Conversion::Struct { slot_bytes, .. } => *slot_bytes,
            Conversion::Json { text_bytes, .. } => *text_bytes,
        };
        self.union.deferred_bytes().saturating_add(bytes)
    }

    fn prepare(&mut self) {
        self.union.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.union.pad(n);
    }

    fn mark(&self, marks: &mut Marks) {
        self.union.mark(marks);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.union.rollback(marks);
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        self.union.check_utf8()
    }

    fn finish(&mut self) -> ArrayRef {
        let dense = self.union.finish();
        match &self.conversion {
            Conversion::Struct { fields, branches, null, .. } => {
                structure(dense.as_union(), *null, fields, branches)
            }
            Conversion::Json { data_type, null, .. } => json::texts(dense.as_union(), *null, data_type),
        }
    }
}

/// Converts a dense union to a struct of `branches`.
fn structure(union: &UnionArray, null: Option<i8>, fields: &Fields, branches: &[i8]) -> ArrayRef {
    let (types, places) = (union.type_ids(), union.offsets().expect("a dense union has offsets"));
    let column = |branch: &i8| {
        let slots = types.iter().zip(places);
        let slots: Int32Array = slots.map(|(of, place)| (of == branch).then_some(*place)).collect();
        arrowfeed_select::take(union.child(*branch), &slots).expect("values that fitted one batch")
    };
    let columns = branches.iter().map(column).collect();
    let nulls = null.map(|null| types.iter().map(|branch| *branch != null).collect());
    let array = StructArray::try_new_with_length(fields.clone(), columns, nulls, union.len());
    Arc::new(array.expect("a column for each branch, with the slots of the union"))
}
