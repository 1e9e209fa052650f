//! The C interface, called as C would call it.
#![expect(unsafe_code, reason = "calls the functions of the C interface")]
#![expect(clippy::result_large_err, reason = "errors with all of their parts")]

mod arguments;
mod cancellation;
mod errors;
mod interface;
#[path = "../../../../tests/cases/options/cases.rs"]
mod option_cases;
mod option_laws;
mod options;
mod reading;
mod support;
mod tensors;
