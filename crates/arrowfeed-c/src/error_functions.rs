//! The parts of an error for C.
//!
//! Unsafe: handles of C, which are checked for NULL. The texts belong to the error.
#![expect(unsafe_code, reason = "receives handles of C")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use crate::boundary::free;
use crate::error::{Error, ErrorKind, Parts};

/// The parts of an error of C.
///
/// # Safety
/// The handle is NULL, or an error of this library that is not freed while the value is used.
unsafe fn of<'a>(error: *const Error) -> Option<&'a Parts> {
    // SAFETY: as above.
    unsafe { error.as_ref() }.map(Error::parts)
}

fn text(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// A number, or -1 if it is unknown.
fn number(number: Option<u64>) -> i64 {
    number.map_or(-1, |number| i64::try_from(number).unwrap_or(i64::MAX))
}

/// The kind: one of the constants `ARROWFEED_ERROR_...`; 0 for NULL.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_kind(error: *const Error) -> c_int {
    // SAFETY: as above.
    unsafe { of(error) }.map_or(0, |error| error.kind as c_int)
}

/// The name of a kind, such as `corrupt block`. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn arrowfeed_error_kind_name(kind: c_int) -> *const c_char {
    let name: &'static CStr = match (kind, ErrorKind::of(kind)) {
        (_, Some(kind)) => kind.name(),
        (0, None) => c"no error",
        (_, None) => c"unknown",
    };
    name.as_ptr()
}

/// The whole message, with the place; empty for NULL. The error owns the text.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed while the text is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_message(error: *const Error) -> *const c_char {
    // SAFETY: as above.
    unsafe { of(error) }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// The file, as the caller named it; NULL if it is unknown. The error owns the text.
///
/// # Safety
/// As [`arrowfeed_error_message`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_file(error: *const Error) -> *const c_char {
    // SAFETY: as above.
    text(unsafe { of(error) }.and_then(|error| error.file.as_ref()))
}

/// The path of the field, such as `user.scores[4]`; NULL if it is unknown. The error owns the text.
///
/// # Safety
/// As [`arrowfeed_error_message`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_field(error: *const Error) -> *const c_char {
    // SAFETY: as above.
    text(unsafe { of(error) }.and_then(|error| error.field.as_ref()))
}

/// The name of the exceeded limit, for `ARROWFEED_ERROR_LIMIT`; otherwise NULL. The error owns the text.
///
/// # Safety
/// As [`arrowfeed_error_message`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_limit(error: *const Error) -> *const c_char {
    // SAFETY: as above.
    text(unsafe { of(error) }.and_then(|error| error.limit.as_ref()))
}

/// The number of the block in the file, or in the byte range that is read, from 0; -1 if it is unknown.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_block(error: *const Error) -> i64 {
    // SAFETY: as above.
    number(unsafe { of(error) }.and_then(|error| error.block))
}

/// The number of the record in its block, from 0; -1 if it is unknown.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_record(error: *const Error) -> i64 {
    // SAFETY: as above.
    number(unsafe { of(error) }.and_then(|error| error.record))
}

/// The byte offset in the file, of the block or of the value; -1 if it is unknown.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_offset(error: *const Error) -> i64 {
    // SAFETY: as above.
    number(unsafe { of(error) }.and_then(|error| error.offset))
}

/// The error number of the system, such as `ENOENT`; 0 if there is none.
///
/// # Safety
/// The error is NULL, or one of this library that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_errno(error: *const Error) -> c_int {
    // SAFETY: as above.
    unsafe { of(error) }.and_then(|error| error.os_error).unwrap_or(0)
}

/// Frees an error. NULL has no effect.
///
/// # Safety
/// The error is NULL, or one of this library that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_error_free(error: *mut Error) {
    // SAFETY: as above.
    unsafe { free(error) };
}
