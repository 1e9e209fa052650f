//! Trains a small neural network in candle on the shuffled tensors of an Avro file.
//!
//! ```sh
//! cargo run --release --manifest-path examples/candle/Cargo.toml
//! ```

#[path = "../../points.rs"]
mod points;

use std::error::Error;
use std::num::NonZeroU64;

use arrowfeed::IterationOptions;
use arrowfeed::tensor::{DenseTensor, Tensors};
use candle_core::{DType, Device, Tensor};
use candle_nn::loss::binary_cross_entropy_with_logit;
use candle_nn::{
    Activation, AdamW, Module, Optimizer, ParamsAdamW, Sequential, VarBuilder, VarMap, linear, seq,
};

/// Copies a tensor of 32-bit floats to a device. candle has no tensors over memory that it does not own.
fn to_candle(tensor: &DenseTensor, device: &Device) -> Result<Tensor, Box<dyn Error>> {
    let values = tensor
        .values()
        .as_f32()
        .ok_or_else(|| format!("expected float32, found {}", tensor.values().dtype()))?;
    Ok(Tensor::from_slice(values, tensor.shape(), device)?)
}

/// The tensor of a name, on a device.
fn named(tensors: &Tensors, name: &str, device: &Device) -> Result<Tensor, Box<dyn Error>> {
    to_candle(tensors.dense(name)?, device)
}

fn model(variables: &VarBuilder<'_>) -> candle_core::Result<Sequential> {
    let hidden = linear(2, 16, variables.pp("hidden"))?;
    Ok(seq().add(hidden).add(Activation::Relu).add(linear(16, 1, variables.pp("output"))?))
}

/// Trains for 20 epochs. Returns the loss of each batch.
fn train() -> Result<Vec<f32>, Box<dyn Error>> {
    let file = points::write()?;
    let options = IterationOptions {
        batch_size: 64,
        shuffle_buffer_size: 1000,
        seed: Some(7),
        epochs: NonZeroU64::new(20),
        ..Default::default()
    };
    let device = Device::Cpu;
    let variables = VarMap::new();
    let model = model(&VarBuilder::from_varmap(&variables, DType::F32, &device))?;
    let mut optimizer = AdamW::new(variables.all_vars(), ParamsAdamW { lr: 0.02, ..Default::default() })?;
    let mut losses = Vec::new();
    for tensors in points::dataset(file.path())?.tensors(options)? {
        let tensors = tensors?;
        let logits = model.forward(&named(&tensors, "point", &device)?)?;
        let loss = binary_cross_entropy_with_logit(&logits, &named(&tensors, "label", &device)?)?;
        optimizer.backward_step(&loss)?;
        losses.push(loss.to_scalar()?);
    }
    Ok(losses)
}

/// The mean of the first and of the last 20 losses.
fn first_and_last(losses: &[f32]) -> (f32, f32) {
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    (mean(&losses[..20]), mean(&losses[losses.len() - 20..]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let losses = train()?;
    let (first, last) = first_and_last(&losses);
    println!("{} batches: the loss fell from {first:.3} to {last:.3}", losses.len());
    Ok(())
}

#[test]
fn the_loss_falls() {
    let losses = train().unwrap();
    let (first, last) = first_and_last(&losses);
    assert!(last < 0.5 * first, "{first} to {last}");
}
