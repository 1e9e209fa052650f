//! Cancellation from another thread.
//!
//! Unsafe: handles of C. A cancellation is shared, so a handle may be freed while calls that received it still run.
#![expect(unsafe_code, reason = "receives handles of C")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrowfeed::source::{Interrupt, interrupt_or};

use crate::boundary::{free, handle};

/// A flag that calls and streams check regularly. It is never reset.
#[derive(Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    fn interrupt(&self) -> Interrupt {
        interrupt_or(self.0.clone(), None)
    }
}

/// The interrupt of a handle, which may be NULL.
///
/// # Safety
/// The handle is NULL, or one of [`arrowfeed_cancel_new`] that is not freed during the call.
pub(crate) unsafe fn interrupt(cancel: *const Cancel) -> Option<Interrupt> {
    // SAFETY: as above.
    unsafe { cancel.as_ref() }.map(Cancel::interrupt)
}

/// Creates a handle with which other threads cancel calls and streams that receive it. `arrowfeed_cancel_free` frees it.
#[unsafe(no_mangle)]
pub extern "C" fn arrowfeed_cancel_new() -> *mut Cancel {
    handle(Cancel::default())
}

/// Cancels all calls and streams that received the handle, also those that receive it later. May be called from any thread, and
/// from a signal handler. NULL has no effect.
///
/// # Safety
/// The handle is NULL, or one of [`arrowfeed_cancel_new`] that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_cancel(cancel: *const Cancel) {
    // SAFETY: as above.
    if let Some(cancel) = unsafe { cancel.as_ref() } {
        cancel.0.store(true, Ordering::Relaxed);
    }
}

/// Frees the handle. Calls and streams that received it are not cancelled, and need it no longer. NULL has no effect.
///
/// # Safety
/// The handle is NULL, or one of [`arrowfeed_cancel_new`] that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_cancel_free(cancel: *mut Cancel) {
    // SAFETY: as above.
    unsafe { free(cancel) };
}
