//! The argument `progress` of readers and datasets: a bar, which `arrowfeed._progress` shows.

use arrowfeed::IterationOptions;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

use crate::argument::flag;
use crate::call::call;
use crate::object::Object;
use crate::shutdown::{call_method, try_attach};
use crate::signals;

/// What a bar shows.
pub(crate) struct Shown {
    /// The number of rows so far.
    pub(crate) rows: u64,
    /// The share of the time in which the caller waited.
    pub(crate) wait_share: f64,
}

/// A bar that counts rows. `None`: no bar, which imports nothing and costs nothing.
#[derive(Default)]
pub(crate) struct Progress(Option<Object>);

impl Progress {
    /// `wanted`: the argument.
    ///
    /// # Errors
    /// The argument is not a bool, or tqdm is not installed.
    pub(crate) fn new(wanted: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !flag("progress", wanted)? {
            return Ok(Self(None));
        }
        let bar = call_method(wanted.py().import("arrowfeed._progress")?.as_any(), "Progress", ())?;
        Ok(Self(Some(Object::new(bar.unbind()))))
    }

    /// Shows the bar. `total`: number of rows, if it is known.
    pub(crate) fn start(&self, py: Python<'_>, total: Option<u64>) -> PyResult<()> {
        match &self.0 {
            Some(bar) => call_method(bar.bind(py), "start", (total,)).map(drop),
            None => Ok(()),
        }
    }

    /// Number of rows of an iteration for the bar, if it is known without a long scan of the files.
    pub(crate) fn total(
        &self,
        py: Python<'_>,
        dataset: &arrowfeed::Dataset,
        options: &IterationOptions,
    ) -> PyResult<Option<u64>> {
        if self.0.is_none() {
            return Ok(None);
        }
        // Without dropped rows, there are as many batches of one row as rows.
        let batch_size = if options.drop_remainder { options.batch_size } else { 1 };
        let interrupt = Some(signals::interrupt_of_call(py)?);
        let counted = IterationOptions { batch_size, by_length: None, interrupt, ..options.clone() };
        match call(py, || dataset.known_num_batches(&counted)) {
            Ok(batches) => Ok(batches.flatten().map(|batches| batches.saturating_mul(batch_size as u64))),
            // The iteration returns the error, or skips the damaged part.
            Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Moves the bar after a batch, and closes it after the last batch or an error. `shown` is called if
    /// there is a bar.
    pub(crate) fn follow<T, E>(&self, next: &Result<Option<T>, E>, shown: impl FnOnce() -> Option<Shown>) {
        self.tell(if matches!(next, Ok(Some(_))) { "show" } else { "close" }, shown);
    }

    /// Closes the bar. A second call does nothing. `shown`: see [`follow`](Self::follow).
    pub(crate) fn close(&self, shown: impl FnOnce() -> Option<Shown>) {
        self.tell("close", shown);
    }

    /// Calls a method of the bar. Its errors must not replace a batch.
    fn tell(&self, method: &str, shown: impl FnOnce() -> Option<Shown>) {
        let Some(bar) = &self.0 else { return };
        let shown = shown().map(|Shown { rows, wait_share }| (rows, wait_share));
        try_attach(|py| {
            // A reader may be dropped while an exception is raised, which Python code must not see.
            let raised = PyErr::take(py);
            if let Err(error) = call_method(bar.bind(py), method, (shown,)) {
                report(py, error);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

/// Sends Ctrl-C again, which was raised inside the bar, and reports other errors to `sys.unraisablehook`.
fn report(py: Python<'_>, error: PyErr) {
    let repeated = error.is_instance_of::<PyKeyboardInterrupt>(py)
        && py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main")).is_ok();
    if !repeated {
        error.write_unraisable(py, None);
    }
}
