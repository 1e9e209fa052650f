//! Trains a small neural network in burn on the shuffled tensors of an Avro file, through burn's `DataLoader`.
//!
//! ```sh
//! cargo run --release --manifest-path examples/burn/Cargo.toml
//! ```

mod loader;
#[path = "../../points.rs"]
mod points;

use std::error::Error;

use arrowfeed::IterationOptions;
use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoader;
use burn::module::Module;
use burn::nn::loss::BinaryCrossEntropyLossConfig;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{ElementConversion, Int, Tensor};

use loader::{Loader, float_tensor};

type Training = Autodiff<NdArray>;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    hidden: Linear<B>,
    activation: Relu,
    output: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Self {
            hidden: LinearConfig::new(2, 16).init(device),
            activation: Relu::new(),
            output: LinearConfig::new(16, 1).init(device),
        }
    }

    /// The logits `[batch, 1]` of points `[batch, 2]`.
    fn forward(&self, points: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.activation.forward(self.hidden.forward(points)))
    }
}

/// A batch on the device.
struct Points<B: Backend> {
    points: Tensor<B, 2>,
    labels: Tensor<B, 2, Int>,
}

/// Trains for 20 epochs. Returns the loss of each batch.
fn train<B: AutodiffBackend>(device: &B::Device) -> Result<Vec<f32>, Box<dyn Error>> {
    let file = points::write()?;
    let options =
        IterationOptions { batch_size: 64, shuffle_buffer_size: 1000, seed: Some(7), ..Default::default() };
    let loader: Loader<B, Points<B>> =
        Loader::new(points::dataset(file.path())?, options, device, |tensors, device| {
            let points = float_tensor(tensors, "point", device)?;
            let labels = float_tensor(tensors, "label", device)?.int();
            Ok(Points { points, labels })
        })?;
    B::seed(device, 7);
    let mut model = Model::<B>::new(device);
    let loss_of = BinaryCrossEntropyLossConfig::new().with_logits(true).init(device);
    let mut optimizer = AdamConfig::new().init();
    let mut losses = Vec::new();
    for _ in 0..20 {
        for Points { points, labels } in loader.iter() {
            let loss = loss_of.forward(model.forward(points), labels);
            losses.push(loss.clone().into_scalar().elem());
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optimizer.step(0.02, model, gradients);
        }
    }
    Ok(losses)
}

/// The mean of the first and of the last 20 losses.
fn first_and_last(losses: &[f32]) -> (f32, f32) {
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    (mean(&losses[..20]), mean(&losses[losses.len() - 20..]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let losses = train::<Training>(&Default::default())?;
    let (first, last) = first_and_last(&losses);
    println!("{} batches: the loss fell from {first:.3} to {last:.3}", losses.len());
    Ok(())
}

#[test]
fn the_loss_falls() {
    let losses = train::<Training>(&Default::default()).unwrap();
    let (first, last) = first_and_last(&losses);
    assert!(last < 0.5 * first, "{first} to {last}");
}

#[test]
fn a_slice_has_its_rows() {
    let file = points::write().unwrap();
    let options = IterationOptions { batch_size: 64, ..Default::default() };
    let loader: Loader<NdArray, usize> =
        Loader::new(points::dataset(file.path()).unwrap(), options, &Default::default(), |tensors, _| {
            Ok(tensors.first().map_or(0, |(_, tensor)| tensor.rows()))
        })
        .unwrap();
    assert_eq!(loader.num_items(), 2000);
    let slice = loader.slice(100, 300);
    assert_eq!(slice.num_items(), 200);
    let mut iterator = slice.iter();
    assert_eq!(iterator.next(), Some(64));
    assert_eq!((iterator.progress().items_processed, iterator.progress().items_total), (64, 200));
    assert_eq!(iterator.collect::<Vec<_>>(), [64, 64, 8]);
}
