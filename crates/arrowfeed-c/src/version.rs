//! Versions of the library and of its interface.
#![expect(unsafe_code, reason = "exports functions by name")]

use std::ffi::c_char;

/// The version of the interface, `ARROWFEED_ABI_VERSION` in the header. It grows when the header gets a function or a
/// constant, except kinds of errors.
pub const ABI_VERSION: u32 = 1;

/// The version of the library, such as `0.1.0`. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn arrowfeed_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The version of the interface of the library.
#[unsafe(no_mangle)]
pub extern "C" fn arrowfeed_abi_version() -> u32 {
    ABI_VERSION
}
