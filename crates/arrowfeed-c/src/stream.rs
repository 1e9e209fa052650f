//! Record batches as an `ArrowArrayStream`.
//!
//! Unsafe: the functions of the stream receive its struct from C, whose private data is a boxed [`Stream`] until `release` frees
//! it. Functions of this library recognize such a struct by its `release` function.
#![expect(unsafe_code, reason = "exports a stream, whose functions receive pointers of C")]

use std::ffi::{c_char, c_int};
use std::ptr;

use arrow_array::RecordBatch;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::SchemaRef;
use arrowfeed::FileReader;
use arrowfeed::dataset::BatchIterator;
use arrowfeed::source::Report;

use crate::boundary::{call, call_for, given_text, guarded, handle, place, text};
use crate::error::Error;
use crate::exclusive::{Exclusive, in_use};
use crate::exported::{array, schema};

/// The source of the record batches.
pub(crate) enum Content {
    Batches(Box<BatchIterator>),
    Split(Box<FileReader>),
}

impl Content {
    fn schema(&self) -> SchemaRef {
        match self {
            Self::Batches(batches) => batches.schema(),
            Self::Split(reader) => reader.schema(),
        }
    }

    fn next(&mut self) -> Option<Result<RecordBatch, Error>> {
        match self {
            Self::Batches(batches) => Some(batches.next()?.map_err(Error::from)),
            Self::Split(reader) => Some(reader.next()?.map_err(Error::from)),
        }
    }

    fn report(&self) -> Report {
        match self {
            Self::Batches(batches) => batches.report(),
            Self::Split(reader) => reader.report(),
        }
    }

    /// The iteration over a dataset, which has a state.
    fn batches(&mut self) -> Result<&mut BatchIterator, Error> {
        match self {
            Self::Batches(batches) => Ok(batches),
            Self::Split(_) => {
                let message = "stream: expected a stream of arrowfeed_read, found one of arrowfeed_read_split, which has no state";
                Err(Error::argument(message))
            }
        }
    }
}

/// The private data of a stream.
pub(crate) struct Stream(Exclusive<Content>);

impl Stream {
    /// Runs `work`, and returns the number of its error.
    fn run(&self, work: impl FnOnce(&mut Content) -> Result<(), Error>) -> c_int {
        match self.0.attempt(work) {
            Some(result) => result.map_or_else(|error| error.errno(), |()| 0),
            None => libc::EBUSY,
        }
    }
}

/// Hands a stream over to C.
pub(crate) fn export(content: Content) -> FFI_ArrowArrayStream {
    FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: handle(Stream(Exclusive::new(content))).cast(),
    }
}

/// The private data of a stream of this library that is not released.
///
/// # Safety
/// The stream is NULL, or a valid struct whose private data is that of [`export`] if `release` is.
unsafe fn private<'a>(stream: *const FFI_ArrowArrayStream) -> Option<&'a Stream> {
    // SAFETY: as above.
    let stream = unsafe { stream.as_ref() }?;
    let is_own = stream.release.is_some_and(|found| ptr::fn_addr_eq(found, release as Release));
    // SAFETY: the private data is a `Stream` until the stream is released, which removes `release`.
    if is_own { unsafe { stream.private_data.cast::<Stream>().as_ref() } } else { None }
}

type Release = unsafe extern "C" fn(*mut FFI_ArrowArrayStream);

/// As [`private`], with an error.
///
/// # Safety
/// As [`private`].
unsafe fn own<'a>(stream: *const FFI_ArrowArrayStream) -> Result<&'a Stream, Error> {
    // SAFETY: as above.
    unsafe { private(stream) }.ok_or_else(|| {
        Error::argument("stream: expected a stream of arrowfeed that is not released, found another")
    })
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: C calls the function with a stream of this library.
    let Some(stream) = (unsafe { private(stream) }) else { return libc::EINVAL };
    stream.run(|content| {
        let exported = schema(&content.schema())?;
        // SAFETY: C passes a place for the struct.
        unsafe { place(out, "out")?.write(exported) };
        Ok(())
    })
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: C calls the function with a stream of this library.
    let Some(stream) = (unsafe { private(stream) }) else { return libc::EINVAL };
    stream.run(|content| {
        let out = place(out, "out")?;
        let next = content.next().transpose()?;
        // The end is an array without `release`.
        let exported = next.map_or_else(FFI_ArrowArray::empty, array);
        // SAFETY: C passes a place for the struct.
        unsafe { out.write(exported) };
        Ok(())
    })
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: C calls the function with a stream of this library.
    let Some(stream) = (unsafe { private(stream) }) else { return ptr::null() };
    // The text stays until the next call.
    let message =
        stream.0.last_error(|error| error.map_or(ptr::null(), |error| error.parts().message.as_ptr()));
    message.unwrap_or(c"the stream is in use by another thread".as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: C calls the function once, with a stream of this library that no other thread uses.
    unsafe {
        let Some(stream) = stream.as_mut() else { return };
        let private = std::mem::replace(&mut stream.private_data, ptr::null_mut());
        stream.release = None;
        crate::boundary::free(private.cast::<Stream>());
    }
}

/// Copies the error of the last call of a stream, with its kind and place.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_stream_error(stream: *const FFI_ArrowArrayStream) -> *mut Error {
    let copied = || {
        // SAFETY: as above.
        let last = unsafe { private(stream) }?.0.last_error(|error| error.cloned());
        last.unwrap_or_else(|| Some(in_use()))
    };
    guarded(None, copied).map_or(ptr::null_mut(), handle)
}

/// The counts of a stream, and the skipped parts, as a JSON object.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_stream_report(
    stream: *const FFI_ArrowArrayStream,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let report = || {
        // SAFETY: as above.
        let stream = unsafe { own(stream) }?;
        given_text(crate::report::json(&stream.0.with(|content| Ok(content.report()))?))
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, report) }
}

/// The position after the last record batch, as text.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_stream_state(
    stream: *const FFI_ArrowArrayStream,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let state = || {
        // SAFETY: as above.
        let stream = unsafe { own(stream) }?;
        given_text(stream.0.with(|content| Ok(content.batches()?.state()?))?)
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, state) }
}

/// Moves a stream to a position.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_stream_load_state(
    stream: *mut FFI_ArrowArrayStream,
    state: *const c_char,
    state_len: usize,
    error: *mut *mut Error,
) -> c_int {
    let load = || {
        // SAFETY: as above.
        let (state, stream) = unsafe { (text(state, state_len, "state")?, own(stream)?) };
        stream.0.with(|content| Ok(content.batches()?.load_state(state)?))
    };
    // SAFETY: as above.
    unsafe { call(error, load) }
}
