//! Schemas and record batches as structs of Arrow's C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::Schema;
use arrowfeed::source::quoted;
use arrowfeed_ffi::first_nul;

use crate::error::{Error, ErrorKind};

/// The struct of a schema.
///
/// # Errors
/// A name or a time zone contains NUL, or a type cannot be exported.
pub(crate) fn schema(schema: &Schema) -> Result<FFI_ArrowSchema, Error> {
    if let Some(found) = first_nul(schema.fields()) {
        let (path, what, text) = (found.path.join("."), found.what, quoted(found.text));
        let message = format!(
            "{path}: expected {what} without the character NUL, which Arrow's C data interface needs, found {text}"
        );
        return Err(Error::new(ErrorKind::Schema, message));
    }
    FFI_ArrowSchema::try_from(schema).map_err(|error| Error::new(ErrorKind::Schema, error.to_string()))
}

/// The struct of a record batch.
pub(crate) fn array(batch: RecordBatch) -> FFI_ArrowArray {
    FFI_ArrowArray::new(&StructArray::from(batch).into_data())
}
