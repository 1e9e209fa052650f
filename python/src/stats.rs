//! `arrowfeed.LoaderStats`: the figures of an iteration.

use std::time::Duration;

use arrowfeed::source::stats::{FormatStats, Stats};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::html;
use crate::reader::requests_dict;

#[doc = docs!(LoaderStats)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct LoaderStats(pub(crate) Stats);

#[pymethods]
impl LoaderStats {
    #[doc = docs!(LoaderStats.verdict)]
    #[getter]
    fn verdict(&self) -> String {
        self.0.verdict()
    }

    #[doc = docs!(LoaderStats.wait_share)]
    #[getter]
    fn wait_share(&self) -> f64 {
        self.0.waits.share
    }

    #[doc = docs!(LoaderStats.rows_per_second)]
    #[getter]
    fn rows_per_second(&self) -> f64 {
        self.0.rows_per_second()
    }

    #[doc = docs!(LoaderStats.bytes_per_second)]
    #[getter]
    fn bytes_per_second(&self) -> f64 {
        self.0.bytes_per_second()
    }

    #[doc = docs!(LoaderStats.to_dict)]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (stats, dict) = (&self.0, PyDict::new(py));
        dict.set_item("verdict", stats.verdict())?;
        dict.set_item("seconds", stats.time.as_secs_f64())?;
        dict.set_item("first_batch_seconds", stats.first_batch.map(|first| first.as_secs_f64()))?;
        dict.set_item("wait_seconds", stats.waits.time.as_secs_f64())?;
        dict.set_item("wait_share", stats.waits.share)?;
        dict.set_item("wait_p50_seconds", stats.waits.p50.as_secs_f64())?;
        dict.set_item("wait_p95_seconds", stats.waits.p95.as_secs_f64())?;
        dict.set_item("wait_p99_seconds", stats.waits.p99.as_secs_f64())?;
        dict.set_item("batches", stats.batches)?;
        dict.set_item("rows", stats.rows)?;
        dict.set_item("blocks", stats.blocks)?;
        dict.set_item("bytes", stats.bytes)?;
        dict.set_item("rows_per_second", stats.rows_per_second())?;
        dict.set_item("bytes_per_second", stats.bytes_per_second())?;
        dict.set_item("batches_ready", stats.batches_ready)?;
        dict.set_item("bytes_ready", stats.ready_bytes)?;
        dict.set_item("prefetch_bytes", stats.budget)?;
        dict.set_item("threads", stats.threads)?;
        dict.set_item("cores", stats.cores)?;
        dict.set_item("busy_share", stats.busy_share())?;
        dict.set_item("shard", [stats.shard.0, stats.shard.1])?;
        dict.set_item("stage_seconds", seconds(py, stats.stages.by_name())?)?;
        dict.set_item("codec_seconds", seconds(py, stats.stages.codecs())?)?;
        dict.set_item("requests", requests_dict(py, &stats.requests)?)?;
        let formats = PyDict::new(py);
        for FormatStats { name, rows, blocks, bytes, stages } in &stats.formats {
            let format = PyDict::new(py);
            format.set_item("rows", rows)?;
            format.set_item("blocks", blocks)?;
            format.set_item("bytes", bytes)?;
            format.set_item("stage_seconds", seconds(py, stages.by_name())?)?;
            formats.set_item(name, format)?;
        }
        dict.set_item("formats", formats)?;
        Ok(dict)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.LoaderStats: {}>", self.0.verdict())
    }

    fn _repr_html_(&self) -> String {
        let captions = [self.0.verdict(), "stages".to_owned(), "formats".to_owned()];
        let tables = captions.iter().zip(self.0.tables()).map(|(caption, (header, rows))| {
            html::table(
                caption,
                &header.into_iter().map(str::to_owned).collect::<Vec<_>>(),
                rows.into_iter(),
                0,
            )
        });
        tables.collect()
    }
}

fn seconds(
    py: Python<'_>,
    times: impl IntoIterator<Item = (&'static str, Duration)>,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, time) in times {
        dict.set_item(name, time.as_secs_f64())?;
    }
    Ok(dict)
}
