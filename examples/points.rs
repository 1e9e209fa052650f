//! The training data of the examples for candle and burn: an Avro file of points, and its dataset.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arrowfeed::arrow::array::types::Float32Type;
use arrowfeed::arrow::array::{Float32Array, ListArray, RecordBatch, RecordBatchIterator};
use arrowfeed::avro::{AvroFormat, AvroOptions, WriteOptions, write_avro};
use arrowfeed::tensor::{Dense, Representation};
use arrowfeed::{Dataset, DatasetOptions, TensorDefinitions};

/// A file that is removed at the end.
pub struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // The system removes old files of this directory too.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Writes 2,000 points of a square. The label of those inside a circle is 1.
pub fn write() -> Result<TemporaryFile, Box<dyn Error>> {
    let points = (0..2000).map(|row| [(row % 50) as f32 / 25.0 - 1.0, (row / 50) as f32 / 20.0 - 1.0]);
    let labels = points.clone().map(|[x, y]| if x * x + y * y < 0.6 { 1.0 } else { 0.0 });
    let lists = points.map(|point| Some(point.map(Some)));
    let batch = RecordBatch::try_from_iter([
        ("point", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lists)) as _),
        ("label", Arc::new(Float32Array::from_iter_values(labels)) as _),
    ])?;
    // Tests of one process write at the same time.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let name = format!("arrowfeed-points-{}-{number}.avro", std::process::id());
    let file = TemporaryFile(std::env::temp_dir().join(name));
    let schema = batch.schema();
    write_avro(RecordBatchIterator::new([Ok(batch)], schema), file.path(), &WriteOptions::default())?;
    Ok(file)
}

/// The dataset of the file, with dense tensors: `point` of the shape `[batch, 2]`, and `label` of the shape `[batch, 1]`.
pub fn dataset(path: &Path) -> Result<Dataset, Box<dyn Error>> {
    let dense = |column: &str, shape| {
        let dense = Dense { column: column.into(), shape, ..Default::default() };
        (column.to_owned(), Representation::Dense(dense))
    };
    let tensors = TensorDefinitions::Representations(vec![dense("point", vec![2]), dense("label", vec![1])]);
    let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    Ok(Dataset::open(files, DatasetOptions { tensors: Some(tensors), ..Default::default() })?)
}
