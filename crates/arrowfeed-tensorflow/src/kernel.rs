//! Common parts of all kernels, which TensorFlow creates, calls and deletes.
//!
//! Unsafe: TensorFlow passes the address of a kernel that `create` returned, until it calls `delete`, and a construction or a
//! context that is valid for the call. No panic leaves these functions.
#![expect(
    unsafe_code,
    reason = "receives the address of a kernel from TensorFlow, and frees the kernel at its request"
)]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::op::{Registered, registered};
use crate::source::{Code, Failure};
use crate::status::Status;

/// The state of an op in a running graph, and its step. Several threads may call it at once.
pub(crate) trait Kernel: Send + Sync + Sized {
    fn new(api: &Api, construction: *mut OpKernelConstruction) -> Result<Self, Failure>;

    fn step(&self, registered: &Registered, context: *mut OpKernelContext) -> Result<(), Failure>;
}

/// Reads an attribute that is a string.
pub(crate) fn attribute(
    api: &Api,
    construction: *mut OpKernelConstruction,
    name: &CStr,
) -> Result<Vec<u8>, Failure> {
    let status = Status::new(api);
    let (mut list, mut total) = (0, 0);
    // SAFETY: the construction is that of the call, and there is room for the bytes of the attribute.
    let bytes = unsafe {
        (api.get_attr_size)(construction, name.as_ptr(), &raw mut list, &raw mut total, status.as_ptr());
        status.check()?;
        let mut bytes = vec![0_u8; usize::try_from(total).unwrap_or(0)];
        let place = bytes.as_mut_ptr().cast::<c_char>();
        (api.get_attr_string)(construction, name.as_ptr(), place, bytes.len(), status.as_ptr());
        bytes
    };
    status.check()?;
    Ok(bytes)
}

/// Runs `work` and converts a panic to an error. A panic is a defect of this library.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Failure::new(Code::Internal, format!("a defect of arrowfeed: {text}")))
    })
}

pub(crate) unsafe extern "C" fn create<K: Kernel>(construction: *mut OpKernelConstruction) -> *mut c_void {
    let Some(Registered { api, .. }) = registered() else { return ptr::null_mut() };
    match caught(|| K::new(api, construction)) {
        Ok(kernel) => Box::into_raw(Box::new(kernel)).cast(),
        Err(failure) => {
            let status = Status::new(api);
            status.set(&failure);
            // SAFETY: the construction is that of the call.
            unsafe { (api.construction_failure)(construction, status.as_ptr()) };
            ptr::null_mut()
        }
    }
}

pub(crate) unsafe extern "C" fn compute<K: Kernel>(kernel: *mut c_void, context: *mut OpKernelContext) {
    // SAFETY: `create` returned the kernel, and it is not deleted yet. Several threads may call at once: a kernel is `Sync`.
    let (Some(kernel), Some(registered)) = (unsafe { kernel.cast::<K>().as_ref() }, registered()) else {
        return;
    };
    if let Err(failure) = caught(|| kernel.step(registered, context)) {
        let status = Status::new(&registered.api);
        status.set(&failure);
        // SAFETY: the context is that of the call.
        unsafe { (registered.api.context_failure)(context, status.as_ptr()) };
    }
}

pub(crate) unsafe extern "C" fn delete<K: Kernel>(kernel: *mut c_void) {
    if !kernel.is_null() {
        // SAFETY: `create` made the kernel, and TensorFlow does not use it any more.
        let kernel = unsafe { Box::from_raw(kernel.cast::<K>()) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(kernel)));
    }
}
