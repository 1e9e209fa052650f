//! Schemas and record batches as structs of Arrow's C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::Schema;
use arrowfeed::source::quoted;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_ffi::first_nul;

use crate::error::{Error, ErrorKind};

/// The struct of a schema.
///
/// # Errors
/// A name or a time zone contains NUL, or a type cannot be exported.
pub(crate) fn schema(schema: &Schema) -> Result<FFI_ArrowSchema, Error> {
    if let Some(found) = first_nul(schema.fields()) {
        let message = format!("expected {}, found {}", found.expected(), quoted(found.text));
        return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(found.path.join(".")).into());
    }
    FFI_ArrowSchema::try_from(schema).map_err(|error| Error::new(ErrorKind::Schema, error.to_string()))
}

/// The struct of a record batch.
pub(crate) fn array(batch: RecordBatch) -> FFI_ArrowArray {
    FFI_ArrowArray::new(&StructArray::from(batch).into_data())
}
