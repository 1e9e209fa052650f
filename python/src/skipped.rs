//! Warnings of damaged parts that a reader or an iteration skips.

use std::collections::HashSet;
use std::ffi::CString;

use arrowfeed::source::Skipped;
use pyo3::prelude::*;

use crate::shutdown::try_attach;

/// The files of which a reader has skipped a part.
#[derive(Default)]
pub(crate) struct SkippedFiles {
    /// Number of skipped parts that were compared.
    compared: usize,
    names: HashSet<String>,
}

impl SkippedFiles {
    /// Returns the first skipped part of each file that is new since the last call. `skipped` only grows.
    pub(crate) fn first(&mut self, skipped: &[Skipped]) -> Vec<Skipped> {
        let new = skipped.get(self.compared..).unwrap_or_default();
        self.compared = skipped.len();
        new.iter().filter(|skipped| self.names.insert(skipped.path.clone())).cloned().collect()
    }
}

/// Warns of the first skipped part of each file.
///
/// # Errors
/// A filter of Python turns the warning into an exception.
pub(crate) fn warn(py: Python<'_>, first: &[Skipped]) -> PyResult<()> {
    for Skipped { block, error, .. } in first {
        let what = if block.is_some() { "a block" } else { "the rest of a file" };
        let message = format!("skipped {what}: {error} (`report()` lists all skipped parts of the file)");
        let message = CString::new(message.replace('\0', "\\0"))?;
        let category = py.import("arrowfeed._errors")?.getattr("SkippedWarning")?;
        PyErr::warn(py, &category, &message, 1)?;
    }
    Ok(())
}

/// Like [`warn`], for a thread that may have no interpreter. Python prints an exception that a filter raises.
pub(crate) fn warn_from_any_thread(first: &[Skipped]) {
    if first.is_empty() {
        return;
    }
    try_attach(|py| {
        if let Err(error) = warn(py, first) {
            error.write_unraisable(py, None);
        }
    });
}
