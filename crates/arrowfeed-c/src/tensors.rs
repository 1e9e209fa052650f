//! Iterations over the tensors of a dataset.
//!
//! Unsafe: pointers of C, through the functions of `boundary`.
#![expect(unsafe_code, reason = "receives pointers of C")]

use std::ffi::{c_char, c_int};
use std::ptr;

use arrowfeed::dataset::TensorIterator;
use arrowfeed::tensor::TensorSpec;
use serde_json::{Value, json};

use crate::boundary::{borrowed, call, call_for, free, given_text, handle, optional_text, text};
use crate::cancel::{Cancel, interrupt};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::exclusive::Exclusive;
use crate::options::of_iteration;
use crate::tensor_batch::TensorBatch;

/// An iteration over tensors.
pub struct TensorStream(Exclusive<TensorIterator>);

impl std::fmt::Debug for TensorStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TensorStream").finish_non_exhaustive()
    }
}

/// Iterates over the tensors of batches.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensors(
    dataset: *const Dataset,
    options: *const c_char,
    options_len: usize,
    cancel: *const Cancel,
    out: *mut *mut TensorStream,
    error: *mut *mut Error,
) -> c_int {
    let open = || {
        // SAFETY: as above.
        let (dataset, options, interrupt) = unsafe {
            let options = optional_text(options, options_len, "options")?;
            (borrowed(dataset, "dataset")?, options, interrupt(cancel))
        };
        let options = of_iteration(options, interrupt.clone())?;
        let tensors = dataset.tensors(interrupt.as_ref())?.tensors(options)?;
        Ok(handle(TensorStream(Exclusive::new(tensors))))
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, open) }
}

/// The tensors of the next batch; NULL at the end.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_stream_next(
    stream: *mut TensorStream,
    out: *mut *mut TensorBatch,
    error: *mut *mut Error,
) -> c_int {
    let next = || {
        // SAFETY: as above.
        let stream = unsafe { borrowed(stream, "stream") }?;
        let tensors = stream.0.with(|tensors| Ok(tensors.next().transpose()?))?;
        Ok(tensors.map_or_else(ptr::null_mut, |tensors| handle(TensorBatch::new(tensors))))
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, next) }
}

/// The position after the last batch, as text.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_stream_state(
    stream: *const TensorStream,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let state = || {
        // SAFETY: as above.
        let stream = unsafe { borrowed(stream, "stream") }?;
        given_text(stream.0.with(|tensors| Ok(tensors.state()?))?)
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, state) }
}

/// Moves an iteration to a position.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_stream_load_state(
    stream: *mut TensorStream,
    state: *const c_char,
    state_len: usize,
    error: *mut *mut Error,
) -> c_int {
    let load = || {
        // SAFETY: as above.
        let (state, stream) = unsafe { (text(state, state_len, "state")?, borrowed(stream, "stream")?) };
        stream.0.with(|tensors| Ok(tensors.load_state(state)?))
    };
    // SAFETY: as above.
    unsafe { call(error, load) }
}

/// Frees an iteration, and stops its threads. NULL has no effect.
///
/// # Safety
/// The stream is NULL, or comes from [`arrowfeed_tensors`] and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_stream_free(stream: *mut TensorStream) {
    // SAFETY: as above.
    unsafe { free(stream) };
}

/// The names and specs of the tensors, as a JSON array.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_tensor_specs(
    dataset: *const Dataset,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let specs = || {
        // SAFETY: as above.
        let dataset = unsafe { borrowed(dataset, "dataset") }?;
        let tensors = dataset.tensors(None)?;
        given_text(Value::Array(tensors.specs().iter().map(spec).collect()).to_string())
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, specs) }
}

fn spec((name, spec): &(String, TensorSpec)) -> Value {
    let TensorSpec { kind, dtype, shape, ragged_rank, row_splits_dtype, fields } = spec;
    json!({
        "name": name,
        "kind": kind.name(),
        "dtype": dtype.map(|dtype| dtype.name()),
        "shape": shape,
        "ragged_rank": ragged_rank,
        "row_splits_dtype": row_splits_dtype.map(|dtype| dtype.name()),
        "fields": fields.iter().map(self::spec).collect::<Vec<_>>(),
    })
}
