//! The C interface, called as C would call it.
#![expect(unsafe_code, reason = "calls the functions of the C interface")]

mod arguments;
mod cancellation;
mod errors;
mod interface;
mod options;
mod reading;
mod support;
mod tensors;
