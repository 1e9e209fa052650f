//! Capsules of the Arrow PyCapsule interface: the structs that they carry.
//!
//! Unsafe: a capsule carries a raw pointer. Its name says which struct is there, and pyo3 compares the name. Arrays and
//! streams are moved out, and an empty struct stays behind: so each has one owner. What is inside of a struct is checked
//! by `arrowfeed_ffi`; that its pointers lead to what the interface describes is the producer's promise.
#![allow(unsafe_code)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{Field, SchemaRef};
use arrowfeed_ffi::{ForeignBatch, ForeignStream, Invalid, Refused, describe, import_field};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::invalid_arrow;
use crate::shutdown::call_method;

/// The schema in a capsule.
pub(super) struct ForeignSchema<'a>(&'a FFI_ArrowSchema);

impl<'a> ForeignSchema<'a> {
    pub(super) fn new(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
        // SAFETY: the capsule is alive, and owns the struct.
        let schema = unsafe { pointer.as_ref() };
        match schema.release {
            Some(_) => Ok(Self(schema)),
            None => Err(invalid_arrow(capsule.py(), &Invalid::released())),
        }
    }

    /// The field that it describes.
    pub(super) fn field(&self) -> Result<Field, Invalid> {
        // SAFETY: the producer's promise.
        unsafe { import_field(self.0) }
    }

    /// Appends a text that is the same for the same schema only, whatever its metadata.
    pub(super) fn describe(&self, text: &mut Vec<u8>) -> Result<(), Invalid> {
        // SAFETY: the producer's promise.
        unsafe { describe(self.0, text) }
    }
}

/// The array of a capsule, which is left without one.
pub(super) struct Taken(FFI_ArrowArray);

impl Taken {
    /// Leaves the capsule empty.
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
        // SAFETY: the capsule is alive, and owned the struct until now.
        let array = unsafe { FFI_ArrowArray::from_raw(pointer.as_ptr()) };
        match array.release {
            Some(_) => Ok(Self(array)),
            None => Err(invalid_arrow(capsule.py(), &Invalid::released())),
        }
    }

    /// The array of a batch of pyarrow's, without its schema.
    pub(super) fn of_pyarrow(batch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut array = FFI_ArrowArray::empty();
        // pyarrow writes to a struct that is ours and alive, and leaves it empty where it fails.
        call_method(batch, intern!(batch.py(), "_export_to_c"), ((&raw mut array).expose_provenance(),))?;
        Ok(Self(array))
    }

    /// The batch that the array stands for. Of its columns some are read.
    pub(super) fn batch(
        self,
        schema: SchemaRef,
        is_read: impl Fn(usize) -> bool,
    ) -> Result<ForeignBatch, Refused> {
        // SAFETY: the producer's promise.
        unsafe { ForeignBatch::new(self.0, schema, is_read) }
    }
}

/// The stream of a capsule, which is left without one.
pub(super) struct TakenStream(FFI_ArrowArrayStream);

impl TakenStream {
    pub(super) fn new(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: the capsule is alive, and owned the struct until now.
        Ok(Self(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) }))
    }

    pub(super) fn batches(self) -> Result<ForeignStream, Refused> {
        // SAFETY: the producer's promise.
        unsafe { ForeignStream::new(self.0) }
    }
}
