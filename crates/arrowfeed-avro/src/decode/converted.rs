//! Dense unions that become structs or JSON text.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, StructArray, UnionArray};
use arrow_schema::Fields;
use arrowfeed_source::copied;

use super::context::Context;
use super::json;
use crate::plan::json_text::BYTES_PER_BYTE;
use crate::plan::node::UnionConversion;
use crate::wire::cursor::Stop;

/// Converts a dense union when the batch ends.
#[derive(Debug)]
pub(crate) struct Converter {
    conversion: UnionConversion,
    /// Bytes of the result for each encoded byte.
    bytes_per_byte: usize,
}

impl Converter {
    pub(crate) fn new(conversion: UnionConversion) -> Self {
        let bytes_per_byte = match conversion {
            UnionConversion::Struct { .. } => 0,
            UnionConversion::Json { .. } => BYTES_PER_BYTE,
        };
        Self { conversion, bytes_per_byte }
    }

    /// Counts the text of a value of `encoded` bytes.
    #[cold]
    pub(super) fn count(&self, encoded: usize, context: &mut Context) -> Result<(), Stop> {
        context.take_bytes(encoded.saturating_mul(self.bytes_per_byte))
    }

    /// Bytes of a slot of the result that reading it does not count.
    pub(super) fn deferred_bytes(&self) -> usize {
        match &self.conversion {
            UnionConversion::Struct { slot_bytes, .. } => *slot_bytes,
            UnionConversion::Json { text_bytes, .. } => *text_bytes,
        }
    }

    pub(super) fn convert(&self, dense: &UnionArray) -> ArrayRef {
        match &self.conversion {
            UnionConversion::Struct { fields, branches, null, .. } => {
                structure(dense, *null, fields, branches)
            }
            UnionConversion::Json { data_type, null, .. } => json::texts(dense, *null, data_type),
        }
    }
}

/// Converts a dense union to a struct of `branches`.
fn structure(union: &UnionArray, null: Option<i8>, fields: &Fields, branches: &[i8]) -> ArrayRef {
    let (types, places) = (union.type_ids(), union.offsets().expect("a dense union has offsets"));
    let column = |branch: &i8| {
        let slots = types.iter().zip(places);
        let slots: Int32Array = slots.map(|(of, place)| (of == branch).then_some(*place)).collect();
        copied(arrowfeed_select::take(union.child(*branch), &slots), "values that fitted one batch")
    };
    let columns = branches.iter().map(column).collect();
    let nulls = null.map(|null| types.iter().map(|branch| *branch != null).collect());
    let array = StructArray::try_new_with_length(fields.clone(), columns, nulls, union.len());
    Arc::new(array.expect("a column for each branch, with the slots of the union"))
}
