//! Iterations over the tensors of a dataset.
//!
//! Unsafe: pointers of C, through the functions of `boundary`. A lock finds out if two threads call an iteration at once. It is
//! never waited for.
#![expect(unsafe_code, reason = "receives pointers of C")]
#![expect(clippy::disallowed_types, reason = "a mutex on which only `try_lock` is called")]

use std::ffi::{c_char, c_int};
use std::panic::resume_unwind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use arrowfeed::dataset::TensorIterator;
use arrowfeed::tensor::TensorSpec;
use serde_json::{Value, json};

use crate::boundary::{borrowed, call, cleared, free, given_text, handle, optional_text, text};
use crate::cancel::{Cancel, interrupt};
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind};
use crate::in_use::{IN_USE, unused};
use crate::options::iteration;
use crate::tensor_batch::TensorBatch;

/// An iteration over tensors. `None`: a call panicked, so the iteration may be in any state.
#[derive(Debug)]
pub struct TensorStream(Mutex<Option<TensorIterator>>);

impl TensorStream {
    /// Runs `work` with the iteration.
    fn run<T>(&self, work: impl FnOnce(&mut TensorIterator) -> Result<T, Error>) -> Result<T, Error> {
        let mut iteration = unused(&self.0).ok_or_else(|| Error::argument(IN_USE))?;
        let Some(iterator) = iteration.as_mut() else {
            let message = "stream: expected a stream that works, found one that an earlier error has ended";
            return Err(Error::new(ErrorKind::Internal, message));
        };
        catch_unwind(AssertUnwindSafe(|| work(iterator))).unwrap_or_else(|panic| {
            *iteration = None;
            resume_unwind(panic)
        })
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
        let (out, dataset, options, interrupt) = unsafe {
            let options = optional_text(options, options_len, "options")?;
            (cleared(out, "out")?, borrowed(dataset, "dataset")?, options, interrupt(cancel))
        };
        let options = iteration::parse(options, interrupt.clone())?;
        let tensors = dataset.opened.tensors(interrupt.as_ref())?.tensors(options)?;
        // SAFETY: it is a place for a pointer.
        unsafe { out.write(handle(TensorStream(Mutex::new(Some(tensors))))) };
        Ok(())
    };
    // SAFETY: as above.
    unsafe { call(error, open) }
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
        let (out, stream) = unsafe { (cleared(out, "out")?, borrowed(stream, "stream")?) };
        let tensors = stream.run(|tensors| Ok(tensors.next().transpose()?))?;
        if let Some(tensors) = tensors {
            // SAFETY: it is a place for a pointer.
            unsafe { out.write(handle(TensorBatch::new(tensors))) };
        }
        Ok(())
    };
    // SAFETY: as above.
    unsafe { call(error, next) }
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
        let (out, stream) = unsafe { (cleared(out, "out")?, borrowed(stream, "stream")?) };
        let text = stream.run(|tensors| Ok(tensors.state()?))?;
        // SAFETY: it is a place for a pointer.
        unsafe { out.write(given_text(text)?) };
        Ok(())
    };
    // SAFETY: as above.
    unsafe { call(error, state) }
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
        stream.run(|tensors| Ok(tensors.load_state(state)?))
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
        let (out, dataset) = unsafe { (cleared(out, "out")?, borrowed(dataset, "dataset")?) };
        let tensors = dataset.opened.tensors(None)?;
        let text = Value::Array(tensors.specs().iter().map(spec).collect()).to_string();
        // SAFETY: it is a place for a pointer.
        unsafe { out.write(given_text(text)?) };
        Ok(())
    };
    // SAFETY: as above.
    unsafe { call(error, specs) }
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
