//! burn's `DataLoader` over a dataset of arrowfeed.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrowfeed::dataset::TensorIterator;
use arrowfeed::tensor::Tensors;
use arrowfeed::{Dataset, DatasetError, IterationOptions};
use burn::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData};

/// Makes a batch of type `O` of the tensors of a batch, on a device.
type ToBatch<B, O> = dyn Fn(&Tensors, &<B as Backend>::Device) -> Result<O, String> + Send + Sync;

/// Batches of a dataset. Each call of `iter` is the next epoch, with another order if the dataset is shuffled.
pub struct Loader<B: Backend, O> {
    dataset: Dataset,
    options: IterationOptions,
    rows: usize,
    device: B::Device,
    to_batch: Arc<ToBatch<B, O>>,
    epoch: AtomicU64,
}

impl<B: Backend, O> Loader<B, O> {
    /// Creates a loader. `epochs` and `start_epoch` of the options have no effect.
    pub fn new(
        dataset: Dataset,
        options: IterationOptions,
        device: &B::Device,
        to_batch: impl Fn(&Tensors, &B::Device) -> Result<O, String> + Send + Sync + 'static,
    ) -> Result<Self, DatasetError> {
        Self::of(dataset, options, device, Arc::new(to_batch))
    }

    fn of(
        dataset: Dataset,
        options: IterationOptions,
        device: &B::Device,
        to_batch: Arc<ToBatch<B, O>>,
    ) -> Result<Self, DatasetError> {
        let rows = usize::try_from(dataset.num_rows()?).unwrap_or(usize::MAX);
        Ok(Self { dataset, options, rows, device: device.clone(), to_batch, epoch: AtomicU64::new(0) })
    }
}

impl<B: Backend, O: 'static> DataLoader<B, O> for Loader<B, O> {
    /// # Panics
    /// The dataset cannot be read: loaders of burn cannot return errors.
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        let start_epoch = self.epoch.fetch_add(1, Ordering::Relaxed);
        let options = IterationOptions { start_epoch, epochs: Some(NonZeroU64::MIN), ..self.options.clone() };
        let batches = self.dataset.tensors(options).unwrap_or_else(|error| panic!("{error}"));
        Box::new(Epoch { loader: self, batches, rows: 0 })
    }

    /// The rows of the dataset, also of other shards.
    fn num_items(&self) -> usize {
        self.rows
    }

    fn to_device(&self, device: &B::Device) -> Arc<dyn DataLoader<B, O>> {
        let Self { dataset, options, rows, to_batch, epoch, .. } = self;
        Arc::new(Self {
            dataset: dataset.clone(),
            options: options.clone(),
            rows: *rows,
            device: device.clone(),
            to_batch: Arc::clone(to_batch),
            epoch: AtomicU64::new(epoch.load(Ordering::Relaxed)),
        })
    }

    /// # Panics
    /// The dataset cannot be read.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<B, O>> {
        let dataset = self.dataset.skip(start as u64).take(end.saturating_sub(start) as u64);
        let slice = Self::of(dataset, self.options.clone(), &self.device, Arc::clone(&self.to_batch));
        Arc::new(slice.unwrap_or_else(|error| panic!("{error}")))
    }
}

/// The batches of one epoch.
struct Epoch<'a, B: Backend, O> {
    loader: &'a Loader<B, O>,
    batches: TensorIterator,
    rows: usize,
}

impl<B: Backend, O> Iterator for Epoch<'_, B, O> {
    type Item = O;

    fn next(&mut self) -> Option<O> {
        let tensors = self.batches.next()?.unwrap_or_else(|error| panic!("{error}"));
        self.rows += tensors.first().map_or(0, |(_, tensor)| tensor.rows());
        let batch = (self.loader.to_batch)(&tensors, &self.loader.device);
        Some(batch.unwrap_or_else(|error| panic!("{error}")))
    }
}

impl<B: Backend, O> DataLoaderIterator<O> for Epoch<'_, B, O> {
    fn progress(&self) -> Progress {
        Progress::new(self.rows, self.loader.rows)
    }
}

/// Copies the dense tensor `name`, of 32-bit floats, to a device.
pub fn float_tensor<B: Backend, const D: usize>(
    tensors: &Tensors,
    name: &str,
    device: &B::Device,
) -> Result<Tensor<B, D>, String> {
    let tensor = tensors.dense(name).map_err(|error| error.to_string())?;
    let values = tensor.values().as_f32().ok_or_else(|| format!("expected {name} as float32"))?;
    Ok(Tensor::from_data(TensorData::new(values.to_vec(), tensor.shape()), device))
}
