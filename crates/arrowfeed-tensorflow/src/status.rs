//! TensorFlow's status: what a function of its C API says of its success.
//!
//! Unsafe: the status is alive as long as its owner, and a message ends with a zero.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};

use crate::api::{self, Api};
use crate::feed::{Code, Failure};

/// A status of our own. Dropped, it is deleted.
pub(crate) struct Status<'a> {
    api: &'a Api,
    status: *mut api::Status,
}

impl<'a> Status<'a> {
    pub(crate) fn new(api: &'a Api) -> Self {
        // SAFETY: the function takes nothing.
        Self { api, status: unsafe { (api.new_status)() } }
    }

    /// What a function of TensorFlow writes to.
    pub(crate) fn as_ptr(&self) -> *mut api::Status {
        self.status
    }

    /// The error that a function has written, if any.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        // SAFETY: see above.
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

    /// Writes an error. A zero in its message would end it.
    pub(crate) fn set(&self, failure: &Failure) {
        let message = CString::new(failure.message.replace('\0', "\u{fffd}")).unwrap_or_default();
        // SAFETY: see above. The message is copied.
        unsafe { (self.api.set_status)(self.status, failure.code as i32, message.as_ptr()) }
    }
}

impl Drop for Status<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { (self.api.delete_status)(self.status) }
    }
}
