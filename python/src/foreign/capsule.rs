//! The structs in capsules of the Arrow PyCapsule interface.
//!
//! Unsafe: a capsule contains a raw pointer. Its name identifies the type of the struct, and pyo3 compares the name. Arrays
//! and streams are moved out and leave an empty struct, so each has one owner. `arrowfeed_ffi` checks the content of a
//! struct. The producer guarantees that the pointers of the struct point to the data that the interface describes.
#![expect(unsafe_code, reason = "reads raw pointers to C structs from capsules of other libraries")]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{Field, SchemaRef};
use arrowfeed_ffi::{ForeignBatch, ForeignStream, Invalid, Refused, describe, import_field};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::invalid_arrow;
use crate::shutdown::call_method;

/// The schema of a capsule.
pub(super) struct ForeignSchema<'a>(&'a FFI_ArrowSchema);

impl<'a> ForeignSchema<'a> {
    pub(super) fn new(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
        // SAFETY: the capsule is alive and owns the struct.
        let schema = unsafe { pointer.as_ref() };
        match schema.release {
            Some(_) => Ok(Self(schema)),
            None => Err(invalid_arrow(capsule.py(), &Invalid::released())),
        }
    }

    /// Returns the field that the schema describes.
    pub(super) fn field(&self) -> Result<Field, Invalid> {
        // SAFETY: the producer guarantees valid pointers; see the module documentation.
        unsafe { import_field(self.0) }
    }

    /// Appends an injective description of the schema without its metadata.
    pub(super) fn describe(&self, text: &mut Vec<u8>) -> Result<(), Invalid> {
        // SAFETY: the producer guarantees valid pointers; see the module documentation.
        unsafe { describe(self.0, text) }
    }
}

/// The array moved out of a capsule.
pub(super) struct Taken(FFI_ArrowArray);

impl Taken {
    /// Moves the array out of the capsule.
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
        // SAFETY: the capsule is alive, and it owned the struct until now.
        let array = unsafe { FFI_ArrowArray::from_raw(pointer.as_ptr()) };
        match array.release {
            Some(_) => Ok(Self(array)),
            None => Err(invalid_arrow(capsule.py(), &Invalid::released())),
        }
    }

    /// Exports the array of a pyarrow batch, without its schema.
    pub(super) fn of_pyarrow(batch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut array = FFI_ArrowArray::empty();
        // pyarrow writes to a live struct that this function owns, and leaves it empty if it fails.
        call_method(batch, intern!(batch.py(), "_export_to_c"), ((&raw mut array).expose_provenance(),))?;
        Ok(Self(array))
    }

    /// Imports the array as a batch, of which only the columns with `is_read` are read.
    pub(super) fn batch(
        self,
        schema: SchemaRef,
        is_read: impl Fn(usize) -> bool,
    ) -> Result<ForeignBatch, Refused> {
        // SAFETY: the producer guarantees valid pointers; see the module documentation.
        unsafe { ForeignBatch::new(self.0, schema, is_read) }
    }
}

/// The stream moved out of a capsule.
pub(super) struct OwnedStream(FFI_ArrowArrayStream);

impl OwnedStream {
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: the capsule is alive, and it owned the struct until now.
        Ok(Self(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) }))
    }

    pub(super) fn batches(self) -> Result<ForeignStream, Refused> {
        // SAFETY: the producer guarantees valid pointers; see the module documentation.
        unsafe { ForeignStream::new(self.0) }
    }
}
