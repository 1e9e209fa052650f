//! Writes an Avro file, and trains a logistic regression on its shuffled tensors. The training stops after some batches,
//! and resumes from a state.
//!
//! ```sh
//! cargo run --release --example train
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

use std::error::Error;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arrowfeed::arrow::array::types::Float64Type;
use arrowfeed::arrow::array::{Float32Array, ListArray, RecordBatch, RecordBatchIterator};
use arrowfeed::avro::{AvroFormat, AvroOptions, WriteOptions, write_avro};
use arrowfeed::tensor::{Dense, Representation, Tensors};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions, TensorDefinitions};
use arrowfeed_examples::run;

#[derive(Debug, Default, PartialEq)]
struct Model {
    weights: [f64; 2],
    bias: f64,
}

impl Model {
    fn probability(&self, point: &[f64]) -> f64 {
        let sum: f64 = self.weights.iter().zip(point).map(|(weight, x)| weight * x).sum();
        1.0 / (1.0 + (-sum - self.bias).exp())
    }

    /// Changes the weights after each row of a batch. Returns the number of rows that the model classified correctly.
    fn step(&mut self, tensors: &Tensors) -> Result<usize, Box<dyn Error>> {
        let points = tensors.dense("point")?.values().as_f64().ok_or("expected points as f64")?;
        let labels = tensors.dense("label")?.values().as_f32().ok_or("expected labels as f32")?;
        let mut correct = 0;
        for (point, label) in points.chunks_exact(2).zip(labels) {
            let error = f64::from(*label) - self.probability(point);
            correct += usize::from(error.abs() < 0.5);
            self.weights.iter_mut().zip(point).for_each(|(weight, x)| *weight += 0.5 * error * x);
            self.bias += 0.5 * error;
        }
        Ok(correct)
    }
}

/// Writes 2,000 points of a square. The label of those above a line is 1.
fn write(path: &Path) -> Result<(), Box<dyn Error>> {
    let points = (0..2000).map(|row| [f64::from(row % 50) / 25.0 - 1.0, f64::from(row / 50) / 20.0 - 1.0]);
    let labels = points.clone().map(|[x, y]| if x + 2.0 * y > 0.3 { 1.0 } else { 0.0 });
    let lists = points.map(|point| Some(point.map(Some)));
    let batch = RecordBatch::try_from_iter([
        ("point", Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists)) as _),
        ("label", Arc::new(Float32Array::from_iter_values(labels)) as _),
    ])?;
    let schema = batch.schema();
    write_avro(RecordBatchIterator::new([Ok(batch)], schema), path, &WriteOptions::default())?;
    Ok(())
}

/// Trains for three epochs, with an interruption after `first` batches. Returns the model, and the share of the rows after
/// the interruption that it classified correctly.
fn train(path: &Path, first: usize) -> Result<(Model, f64), Box<dyn Error>> {
    let dense = |column: &str, shape| {
        let dense = Dense { column: column.into(), shape, ..Default::default() };
        (column.to_owned(), Representation::Dense(dense))
    };
    let tensors = TensorDefinitions::Representations(vec![dense("point", vec![2]), dense("label", vec![])]);
    let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    let dataset = Dataset::open(files, DatasetOptions { tensors: Some(tensors), ..Default::default() })?;
    let options = IterationOptions {
        batch_size: 64,
        shuffle_buffer_size: 1000,
        seed: Some(7),
        epochs: NonZeroU64::new(3),
        ..Default::default()
    };
    let mut model = Model::default();
    let mut batches = dataset.tensors(options.clone())?;
    for tensors in batches.by_ref().take(first) {
        model.step(&tensors?)?;
    }
    // A program stores the state with its model, for the process that continues.
    let state = batches.state()?;
    let mut batches = dataset.tensors(options)?;
    batches.load_state(&state)?;
    let (mut correct, before) = (0, batches.report().rows);
    for tensors in batches.by_ref() {
        correct += model.step(&tensors?)?;
    }
    Ok((model, correct as f64 / (batches.report().rows - before) as f64))
}

fn file() -> PathBuf {
    std::env::temp_dir().join(format!("arrowfeed-train-{}.avro", std::process::id()))
}

fn main() -> ExitCode {
    run(|| {
        write(&file())?;
        let trained = train(&file(), 20);
        std::fs::remove_file(file())?;
        let (model, share) = trained?;
        println!("{model:?} classified {:.1} % of the rows correctly", 100.0 * share);
        Ok(())
    })
}

#[test]
fn a_resumed_training_ends_with_the_same_model() {
    write(&file()).unwrap();
    let [(whole, share), (resumed, _)] = [0, 20].map(|first| train(&file(), first).unwrap());
    std::fs::remove_file(file()).unwrap();
    assert_eq!(resumed, whole);
    assert!(share > 0.95, "{share}");
}
