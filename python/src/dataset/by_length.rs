//! `arrowfeed.ByLength`.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::dataset::LengthBatches;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::argument::{each, integer};
use crate::argument_types::Argument;

/// Number of batches of a window, and its rows if batches may have any number of rows.
const WINDOW_BATCHES: usize = 100;
const WINDOW_ROWS: usize = 10_000;

#[doc = docs!(ByLength)]
#[pyclass(module = "arrowfeed", frozen, eq, hash)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ByLength {
    column: String,
    boundaries: Vec<u64>,
    max_tokens: Option<NonZeroU64>,
    pack_to: Option<NonZeroUsize>,
    window: Option<usize>,
}

#[pymethods]
impl ByLength {
    #[new]
    #[pyo3(
        signature = (column, *, boundaries=None, max_tokens=None, pack_to=None, window=None),
        text_signature = None
    )]
    fn new(
        column: &Bound<'_, PyAny>,
        boundaries: Option<&Bound<'_, PyAny>>,
        max_tokens: Option<&Bound<'_, PyAny>>,
        pack_to: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let lengths = boundaries.map(|value| {
            let items = each("boundaries", "a list or tuple of lengths (int)", value)?;
            items.iter().map(|item| integer("boundaries", 1, item)).collect::<PyResult<Vec<_>>>()
        });
        let max_tokens = max_tokens.map(|value| integer("max_tokens", 1, value)).transpose()?;
        let pack_to = pack_to.map(|value| integer("pack_to", 1, value)).transpose()?;
        Ok(Self {
            column: String::parse("column", column)?,
            boundaries: lengths.transpose()?.unwrap_or_default(),
            max_tokens: max_tokens.and_then(NonZeroU64::new),
            pack_to: pack_to.and_then(NonZeroUsize::new),
            window: window.map(|value| integer("window", 1, value)).transpose()?,
        })
    }

    #[doc = docs!(ByLength.column)]
    #[getter]
    fn column(&self) -> &str {
        &self.column
    }

    #[doc = docs!(ByLength.boundaries)]
    #[getter]
    fn boundaries<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let boundaries = (!self.boundaries.is_empty()).then(|| PyTuple::new(py, &self.boundaries));
        boundaries.transpose()
    }

    #[doc = docs!(ByLength.max_tokens)]
    #[getter]
    fn max_tokens(&self) -> Option<u64> {
        self.max_tokens.map(Into::into)
    }

    #[doc = docs!(ByLength.pack_to)]
    #[getter]
    fn pack_to(&self) -> Option<usize> {
        self.pack_to.map(Into::into)
    }

    #[doc = docs!(ByLength.window)]
    #[getter]
    fn window(&self) -> Option<usize> {
        self.window
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        if let Some(boundaries) = self.boundaries(py)? {
            keywords.set_item("boundaries", boundaries)?;
        }
        for (name, value) in self.numbers() {
            keywords.set_item(name, value)?;
        }
        Ok((PyTuple::new(py, [&self.column])?, keywords))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut parts = vec![PyString::new(py, &self.column).repr()?.to_string()];
        if !self.boundaries.is_empty() {
            parts.push(format!("boundaries={:?}", self.boundaries));
        }
        parts.extend(self.numbers().map(|(name, value)| format!("{name}={value}")));
        Ok(format!("ByLength({})", parts.join(", ")))
    }
}

impl ByLength {
    /// The numbers that were given, with their names.
    fn numbers(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let numbers = [
            ("max_tokens", self.max_tokens()),
            ("pack_to", self.pack_to().map(|length| length as u64)),
            ("window", self.window.map(|rows| rows as u64)),
        ];
        numbers.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// Whether a batch may have any number of rows.
    pub(super) fn has_budget(&self) -> bool {
        self.max_tokens.is_some()
    }

    /// The options of the library. `batch_size`: the number of rows of a batch, if it is known.
    pub(super) fn options(&self, batch_size: Option<usize>) -> LengthBatches {
        let rows = batch_size.map_or(WINDOW_ROWS, |size| size.saturating_mul(WINDOW_BATCHES));
        LengthBatches {
            boundaries: self.boundaries.clone(),
            max_tokens: self.max_tokens,
            pack_to: self.pack_to,
            ..LengthBatches::new(&self.column, self.window.unwrap_or(rows))
        }
    }
}
