//! TensorFlow's status: the result of a function of its C API.
//!
//! Unsafe: the status is alive as long as its owner, and a message is NUL-terminated.
#![expect(unsafe_code, reason = "reads, writes and deletes status objects of that API")]

use std::ffi::{CStr, CString};

use crate::api::{self, Api};
use crate::source::{Code, Failure};

/// An owned status, which is deleted when it is dropped.
pub(crate) struct Status<'a> {
    api: &'a Api,
    status: *mut api::Status,
}

impl<'a> Status<'a> {
    pub(crate) fn new(api: &'a Api) -> Self {
        // SAFETY: the function has no arguments.
        Self { api, status: unsafe { (api.new_status)() } }
    }

    /// The pointer that functions of TensorFlow write to.
    pub(crate) fn as_ptr(&self) -> *mut api::Status {
        self.status
    }

    /// Returns the error that a function has written, if any.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        // SAFETY: the status is alive, and its message is NUL-terminated.
        let (code, message) = unsafe {
            let message = (self.api.message)(self.status);
            ((self.api.get_code)(self.status), CStr::from_ptr(message).to_string_lossy().into_owned())
        };
        let code = match code {
            0 => return Ok(()),
            1 => Code::Cancelled,
            3 => Code::InvalidArgument,
            5 => Code::NotFound,
            11 => Code::OutOfRange,
            13 => Code::Internal,
            _ => Code::Unknown,
        };
        Err(Failure { code, message })
    }

    /// Writes an error. Replaces each NUL in its message, which would end it.
    pub(crate) fn set(&self, failure: &Failure) {
        let message = CString::new(failure.message.replace('\0', "\u{fffd}")).unwrap_or_default();
        // SAFETY: the status is alive, the message is NUL-terminated, and the function copies it.
        unsafe { (self.api.set_status)(self.status, failure.code as i32, message.as_ptr()) }
    }
}

impl Drop for Status<'_> {
    fn drop(&mut self) {
        // SAFETY: the status is not used any more.
        unsafe { (self.api.delete_status)(self.status) }
    }
}
