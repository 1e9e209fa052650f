//! Datasets: opened files, their schema, their rows and their splits.
//!
//! Unsafe: pointers of C, through the functions of `boundary`.
#![expect(unsafe_code, reason = "receives pointers of C")]

use std::collections::HashSet;
use std::ffi::{c_char, c_int};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrowfeed::Dataset as Batches;
use arrowfeed::source::run::RangeOptions;
use arrowfeed::source::{ForkLock, Interrupt, OnError, Report};
use serde::Deserialize;

use crate::boundary::{borrowed, call_for, call_into, free, given_text, handle, optional_text, text};
use crate::cancel::{Cancel, interrupt};
use crate::error::Error;
use crate::exported::schema;
use crate::opened::Opened;
use crate::options::{of_iteration, parse};
use crate::splits::SplitText;
use crate::stream::{Content, export};

/// Opened files.
pub struct Dataset {
    opened: Opened,
    /// The rows as record batches.
    batches: Batches,
    /// The rows as tensors, which the first call for tensors opens.
    tensors: ForkLock<Option<Batches>>,
}

impl Dataset {
    /// The rows as tensors.
    pub(crate) fn tensors(&self, interrupt: Option<&Interrupt>) -> Result<Batches, Error> {
        if let Some(tensors) = self.tensors.with(|tensors| tensors.clone()).flatten() {
            return Ok(tensors);
        }
        let opened = self.opened.tensors(interrupt)?;
        // Another thread may have opened them in the meantime.
        let kept = self.tensors.with(|tensors| tensors.get_or_insert_with(|| opened.clone()).clone());
        Ok(kept.unwrap_or(opened))
    }

    /// The counts of all iterations. Each skipped part is listed once.
    fn report(&self) -> Report {
        let mut report = self.batches.report();
        if let Some(tensors) = self.tensors.with(|tensors| tensors.clone()).flatten() {
            report.add(tensors.report());
            let mut known = HashSet::new();
            report.skipped.retain(|part| known.insert((part.path.clone(), part.block, part.offset)));
        }
        report
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset").field("batches", &self.batches).finish_non_exhaustive()
    }
}

/// Opens files.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_open(
    options: *const c_char,
    options_len: usize,
    cancel: *const Cancel,
    out: *mut *mut Dataset,
    error: *mut *mut Error,
) -> c_int {
    let open = || {
        // SAFETY: as above.
        let (text, interrupt) = unsafe { (text(options, options_len, "options")?, interrupt(cancel)) };
        let opened = Opened::new(text, interrupt.as_ref())?;
        let batches = opened.batches(interrupt.as_ref())?;
        Ok(handle(Dataset { opened, batches, tensors: ForkLock::default() }))
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, open) }
}

/// Frees a dataset. Streams of the dataset need it no longer. NULL has no effect.
///
/// # Safety
/// The dataset is NULL, or comes from [`arrowfeed_open`] and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_dataset_free(dataset: *mut Dataset) {
    // SAFETY: as above.
    unsafe { free(dataset) };
}

/// Exports the schema of the record batches.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_schema(
    dataset: *const Dataset,
    out: *mut FFI_ArrowSchema,
    error: *mut *mut Error,
) -> c_int {
    let export = || {
        // SAFETY: as above.
        let dataset = unsafe { borrowed(dataset, "dataset") }?;
        schema(dataset.batches.arrow_schema())
    };
    // SAFETY: as above.
    unsafe { call_into(out, FFI_ArrowSchema::empty(), error, export) }
}

/// Counts the rows.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_count(
    dataset: *const Dataset,
    cancel: *const Cancel,
    out: *mut u64,
    error: *mut *mut Error,
) -> c_int {
    let count = || {
        // SAFETY: as above.
        let (dataset, interrupt) = unsafe { (borrowed(dataset, "dataset")?, interrupt(cancel)) };
        Ok(dataset.batches.num_rows_with(interrupt)?)
    };
    // SAFETY: as above.
    unsafe { call_into(out, 0, error, count) }
}

/// Reads the record batches.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_read(
    dataset: *const Dataset,
    options: *const c_char,
    options_len: usize,
    cancel: *const Cancel,
    out: *mut FFI_ArrowArrayStream,
    error: *mut *mut Error,
) -> c_int {
    let read = || {
        // SAFETY: as above.
        let (dataset, options) = unsafe {
            let options = optional_text(options, options_len, "options")?;
            (borrowed(dataset, "dataset")?, of_iteration(options, interrupt(cancel))?)
        };
        let batches = dataset.batches.record_batches(options)?;
        Ok(export(Content::Batches(Box::new(batches))))
    };
    // SAFETY: as above.
    unsafe { call_into(out, FFI_ArrowArrayStream::empty(), error, read) }
}

/// Divides the files into byte ranges, as a JSON array.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_plan_splits(
    dataset: *const Dataset,
    target_bytes: u64,
    cancel: *const Cancel,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let plan = || {
        // SAFETY: as above.
        let (dataset, interrupt) = unsafe { (borrowed(dataset, "dataset")?, interrupt(cancel)) };
        let splits = dataset.batches.plan_splits(target_bytes, interrupt.as_ref())?;
        let splits = splits.iter().map(SplitText::new).collect::<Result<Vec<_>, Error>>()?;
        let text = serde_json::to_string(&splits).map_err(|error| Error::options(error.to_string()))?;
        given_text(text)
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, plan) }
}

/// Options of [`arrowfeed_read_split`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SplitOptions {
    batch_size: Option<usize>,
    on_error: OnError,
}

/// Reads the record batches of a split.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_read_split(
    dataset: *const Dataset,
    split: *const c_char,
    split_len: usize,
    options: *const c_char,
    options_len: usize,
    cancel: *const Cancel,
    out: *mut FFI_ArrowArrayStream,
    error: *mut *mut Error,
) -> c_int {
    let read = || {
        // SAFETY: as above.
        let (dataset, split, options, interrupt) = unsafe {
            let options = optional_text(options, options_len, "options")?.unwrap_or("{}");
            let split = text(split, split_len, "split")?;
            (borrowed(dataset, "dataset")?, SplitText::parse(split)?, options, interrupt(cancel))
        };
        let SplitOptions { batch_size, on_error } = parse(options, "options")?;
        let options = RangeOptions { batch_size, on_error, interrupt, claim: None };
        let reader = dataset.batches.read_split(&split, None, options)?;
        Ok(export(Content::Split(Box::new(reader))))
    };
    // SAFETY: as above.
    unsafe { call_into(out, FFI_ArrowArrayStream::empty(), error, read) }
}

/// The counts of all iterations over record batches and tensors of the dataset, and the skipped parts, as a JSON object.
///
/// # Safety
/// The arguments are as `arrowfeed.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrowfeed_report(
    dataset: *const Dataset,
    out: *mut *mut c_char,
    error: *mut *mut Error,
) -> c_int {
    let report = || {
        // SAFETY: as above.
        let dataset = unsafe { borrowed(dataset, "dataset") }?;
        given_text(crate::report::json(&dataset.report()))
    };
    // SAFETY: as above.
    unsafe { call_for(out, error, report) }
}
