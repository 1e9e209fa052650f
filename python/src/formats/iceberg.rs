//! `arrowfeed.iceberg.IcebergDataset`.

use arrowfeed::Limits;
use arrowfeed::iceberg::IcebergScan;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::argument::{each, wrong_type, wrong_value};
use crate::call::call;
use crate::dataset::{Dataset, Keywords};
use crate::source::rereadable;
use crate::store_arguments::StoreKeywords;

#[doc = signed!(IcebergDataset)]
#[pyclass(module = "arrowfeed.iceberg", frozen, extends = Dataset)]
#[derive(Default)]
pub(crate) struct IcebergDataset;

#[pymethods]
impl IcebergDataset {
    #[new]
    #[pyo3(
        signature = (
            source, *, scan, deleted=None, limits=None, features=None, representations=None, index=None,
            storage_options=None, store=None, cache=None, cache_bytes=None
        ),
        text_signature = None
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new<'py>(
        source: &Bound<'py, PyAny>,
        scan: &str,
        deleted: Option<&Bound<'py, PyAny>>,
        limits: Option<Bound<'py, PyAny>>,
        features: Option<Bound<'py, PyAny>>,
        representations: Option<Bound<'py, PyAny>>,
        index: Option<Bound<'py, PyAny>>,
        storage_options: Option<Bound<'py, PyAny>>,
        store: Option<Bound<'py, PyAny>>,
        cache: Option<Bound<'py, PyAny>>,
        cache_bytes: Option<Bound<'py, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = source.py();
        let keywords = Keywords::new(py);
        let parsed = call(py, || IcebergScan::from_json(scan))?;
        keywords.keep("scan", scan)?;
        let mut of_files = Limits::default();
        keywords.set(&mut of_files, "limits", limits)?;
        let stores = StoreKeywords { storage_options, store, cache, cache_bytes };
        let stores = keywords.stores(&stores)?;
        let options = keywords.dataset_options(features, representations, index)?;
        let (sources, kept) = rereadable(source, "parquet", false, &stores)?;
        let deleted = match deleted {
            Some(given) => {
                keywords.keep("deleted", given)?;
                each("deleted", "a list of bytes", given)?.iter().map(positions).collect::<PyResult<_>>()?
            }
            None => vec![Vec::new(); sources.len()],
        };
        keywords.open_files((sources, kept), options, |sources, interrupt| {
            parsed.files(sources, deleted, &of_files, Some(interrupt))
        })
    }
}

/// The positions of deleted rows: 64-bit integers in the byte order of little-endian machines.
fn positions(value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let bytes = value.cast::<PyBytes>().map_err(|_| wrong_type("deleted", "a list of bytes", value))?;
    let (numbers, rest) = bytes.as_bytes().as_chunks::<8>();
    match rest.is_empty() {
        true => Ok(numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()),
        false => Err(wrong_value("deleted", "bytes of 64-bit integers", value)),
    }
}
