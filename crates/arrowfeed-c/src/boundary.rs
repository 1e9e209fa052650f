//! The boundary between C and Rust: arguments from C, results for C, and panics.
//!
//! Unsafe: pointers of C are read and written. Each function refuses NULL. Beyond that, a caller of C must obey `arrowfeed.h`:
//! texts have the given length or end with NUL, results are places of their type, and handles are those of this library that
//! were not freed.
#![expect(unsafe_code, reason = "reads and writes through the pointers of C")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

use arrowfeed::FeedError;

use crate::error::Error;

/// The result of a function without an error.
const OK: c_int = 0;

/// The length of a text that ends with NUL: `ARROWFEED_NUL_TERMINATED`.
pub const NUL_TERMINATED: usize = usize::MAX;

/// Runs `work`, stores its error in `error`, and returns its kind. A panic is an error. Without an error, `error` is NULL.
///
/// # Safety
/// `error` is NULL or a place for a pointer.
pub(crate) unsafe fn call(error: *mut *mut Error, work: impl FnOnce() -> Result<(), Error>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(work));
    let failed = match result {
        Ok(Ok(())) => None,
        Ok(Err(failed)) => Some(failed),
        Err(panic) => Some(FeedError::from_panic(&*panic).into()),
    };
    let kind = failed.as_ref().map_or(OK, |failed| failed.parts().kind as c_int);
    if let Some(error) = NonNull::new(error) {
        let failed = failed.map_or(ptr::null_mut(), handle);
        // SAFETY: it is a place for a pointer.
        unsafe { error.write(failed) };
    }
    kind
}

/// Like [`call`], and stores the result of `work` in `out`; first, and if there is no result, the value `none`.
///
/// # Safety
/// As [`call`]; `out` is NULL or a place for a `T`.
pub(crate) unsafe fn call_into<T>(
    out: *mut T,
    none: T,
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<T, Error>,
) -> c_int {
    let store = || {
        let out = place(out, "out")?;
        // SAFETY: it is a place for a `T`.
        unsafe { out.write(none) };
        let made = work()?;
        // SAFETY: as above.
        unsafe { out.write(made) };
        Ok(())
    };
    // SAFETY: as above.
    unsafe { call(error, store) }
}

/// Like [`call_into`], for a pointer, which is NULL if there is no result.
///
/// # Safety
/// As [`call_into`].
pub(crate) unsafe fn call_for<T>(
    out: *mut *mut T,
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<*mut T, Error>,
) -> c_int {
    // SAFETY: as above.
    unsafe { call_into(out, ptr::null_mut(), error, work) }
}

/// Runs `work`, and returns `otherwise` if it panics.
pub(crate) fn guarded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// Hands a value over to C.
pub(crate) fn handle<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Frees a handle.
///
/// # Safety
/// The handle is NULL, or comes from [`handle`] and is not used any more.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller hands the value back.
        guarded((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// The value of a handle.
///
/// # Safety
/// The handle is NULL, or comes from [`handle`] and is not freed during the call.
pub(crate) unsafe fn borrowed<'a, T>(handle: *const T, name: &str) -> Result<&'a T, Error> {
    // SAFETY: as above.
    unsafe { handle.as_ref() }.ok_or_else(|| null(name))
}

/// The place of a result.
pub(crate) fn place<T>(place: *mut T, name: &str) -> Result<NonNull<T>, Error> {
    NonNull::new(place).ok_or_else(|| null(name))
}

#[cold]
fn null(name: &str) -> Error {
    Error::argument(format!("{name}: expected a pointer, found NULL"))
}

/// A text of C. `None`: it is NULL.
///
/// # Safety
/// `text` is NULL, has `len` bytes, or ends with NUL if `len` is [`NUL_TERMINATED`]. It does not change during the call.
pub(crate) unsafe fn optional_text<'a>(
    text: *const c_char,
    len: usize,
    name: &str,
) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    let bytes = match len {
        // SAFETY: the text ends with NUL.
        NUL_TERMINATED => unsafe { CStr::from_ptr(text) }.to_bytes(),
        _ if isize::try_from(len).is_err() => {
            return Err(Error::argument(format!("{name}: expected a length below 2^63, found {len}")));
        }
        // SAFETY: the text has this length, which is that of an object.
        _ => unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) },
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = error.valid_up_to();
            Err(Error::argument(format!("{name}: expected UTF-8, found an invalid byte at {at}")))
        }
    }
}

/// A text of C that is not NULL.
///
/// # Safety
/// As [`optional_text`].
pub(crate) unsafe fn text<'a>(text: *const c_char, len: usize, name: &str) -> Result<&'a str, Error> {
    // SAFETY: as above.
    unsafe { optional_text(text, len, name) }?.ok_or_else(|| null(name))
}

/// A text for C, which `arrowfeed_string_free` frees.
pub(crate) fn given_text(text: String) -> Result<*mut c_char, Error> {
    let text = CString::new(text).map_err(|_| Error::argument("expected a text without NUL, found one"))?;
    Ok(text.into_raw())
}

/// Frees a text that a function of this library stored in `out`. NULL has no effect.
///
/// # Safety
/// The text comes from a function of this library, was not changed, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it comes from `given_text`, which is the only source of such texts.
        drop(unsafe { CString::from_raw(text) });
    }
}
