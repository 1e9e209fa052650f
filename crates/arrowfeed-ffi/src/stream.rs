//! Import of streams of arrays.
//!
//! Unsafe: functions of the producer are called. Each is checked for null, and none is called on a stream that was
//! released. A function may unwind: it may run Python code on a thread that the interpreter ends.
#![expect(unsafe_code, reason = "calls the functions of other libraries' streams")]

use std::ffi::{CStr, c_int};
use std::mem::ManuallyDrop;

use arrow_array::RecordBatch;
use arrow_array::RecordBatchReader;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{ArrowError, Field, SchemaRef};

use crate::batch::{ForeignBatch, Refused};
use crate::invalid::{Checked, Invalid};
use crate::schema::{columns, import_field};
use crate::types::name;

/// Iterator over the record batches of a stream of struct arrays. Errors of its data are an [`Invalid`] inside Arrow's
/// error type; errors that the stream itself reports are not.
#[derive(Debug)]
pub struct ForeignStream {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl ForeignStream {
    /// Requests the schema of the stream. If its arrays are not structs, the error is [`Refused::NoBatch`] with their
    /// type.
    ///
    /// # Safety
    ///
    /// The functions of the stream, and the structs that they return, comply with the C stream interface. No other code
    /// uses the stream.
    pub unsafe fn new(stream: FFI_ArrowArrayStream) -> Result<Self, Refused> {
        // If a call unwinds, the stream is not released: the thread may no longer be allowed to call it.
        let mut stream = ManuallyDrop::new(stream);
        let field = field(&mut stream);
        let (stream, field) = (ManuallyDrop::into_inner(stream), field?);
        match columns(&field) {
            Some(schema) => Ok(Self { stream, schema }),
            None => Err(Refused::NoBatch(name(field.data_type()))),
        }
    }
}

impl Iterator for ForeignStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let array = next(&mut self.stream).transpose()?;
        let schema = self.schema.clone();
        Some(array.and_then(|array| {
            // SAFETY: the caller of `new` guarantees that the stream returns such arrays.
            let batch = unsafe { ForeignBatch::new(array, schema, |_| true) };
            batch.and_then(ForeignBatch::into_batch).map_err(|refused| match refused {
                Refused::Invalid(invalid) => invalid.into(),
                Refused::NoBatch(found) => Invalid::new(found).into(),
            })
        }))
    }
}

impl RecordBatchReader for ForeignStream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn field(stream: &mut FFI_ArrowArrayStream) -> Checked<Field> {
    let mut schema = FFI_ArrowSchema::empty();
    let Some(get) = stream.get_schema.filter(|_| stream.release.is_some()) else {
        return Err(Invalid::released());
    };
    // SAFETY: the stream is not released; the other struct is empty and owned by this function.
    match unsafe { may_unwind(get)(stream, &raw mut schema) } {
        // SAFETY: the caller of `new` guarantees that the stream returns such a schema.
        0 => unsafe { import_field(&schema) },
        _ => Err(Invalid::new(failure(stream))),
    }
}

/// The next array; `None` at the end.
fn next(stream: &mut FFI_ArrowArrayStream) -> Result<Option<FFI_ArrowArray>, ArrowError> {
    let mut array = FFI_ArrowArray::empty();
    let Some(get) = stream.get_next.filter(|_| stream.release.is_some()) else {
        return Err(Invalid::released().into());
    };
    // SAFETY: as above.
    match unsafe { may_unwind(get)(stream, &raw mut array) } {
        0 => Ok((!array.is_released()).then_some(array)),
        _ => Err(ArrowError::CDataInterface(failure(stream))),
    }
}

/// A function that fills a struct of type `T`.
type Get<T> = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut T) -> c_int;
/// The same function type, except that it may unwind.
type GetOrUnwind<T> = unsafe extern "C-unwind" fn(*mut FFI_ArrowArrayStream, *mut T) -> c_int;

fn may_unwind<T>(get: Get<T>) -> GetOrUnwind<T> {
    // SAFETY: the types differ only in the permission to unwind, and are compatible.
    unsafe { std::mem::transmute::<Get<T>, GetOrUnwind<T>>(get) }
}

/// The message of the stream for its last error.
fn failure(stream: &mut FFI_ArrowArrayStream) -> String {
    // SAFETY: the stream is not released; it owns the text until it is called again.
    let text = stream.get_last_error.map(|get| unsafe { get(stream) });
    let text = text.filter(|text| !text.is_null());
    // SAFETY: as above; the text is NUL-terminated.
    let text = text.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    text.unwrap_or_else(|| "a stream that failed without a message".to_owned())
}
