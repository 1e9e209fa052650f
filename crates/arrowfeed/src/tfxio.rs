//! What every source has, whatever its format.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_tensor::{Adapter, Tensors};

use crate::dataset::{Dataset, IterationOptions, TensorDefinitions};
use crate::error::DatasetError;

/// Batches of a source.
pub type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, DatasetError>> + Send>;

/// Tensors of the batches of a source.
pub type TensorBatches = Box<dyn Iterator<Item = Result<Tensors, DatasetError>> + Send>;

/// A source of batches, the schema that they have, and the tensors that are made of them.
///
/// It is what the standardized TFX inputs call a TFXIO. An implementation gives the first four; the rest follows. Its
/// own errors are [`DatasetError::of_source`]. `examples/rust` has one for CSV.
pub trait Tfxio {
    /// The schema of every batch.
    fn arrow_schema(&self) -> SchemaRef;

    /// What the tensors are made of.
    fn tensor_definitions(&self) -> TensorDefinitions;

    /// Batches of exactly `batch_size` rows, but for the last of an epoch. An option that a source cannot heed is an
    /// error: [`IterationOptions::check_heeded`].
    ///
    /// # Errors
    /// Of the source.
    fn record_batches(&self, options: IterationOptions) -> Result<RecordBatches, DatasetError>;

    /// The same source for some of the tensors ([`TensorDefinitions::project`]); it need not read more than they need.
    ///
    /// # Errors
    /// A name that is not known.
    fn project(&self, names: &[&str]) -> Result<Self, DatasetError>
    where
        Self: Sized;

    /// What makes tensors of the batches.
    ///
    /// # Errors
    /// A tensor cannot be made of such batches.
    fn tensor_adapter(&self) -> Result<Adapter, DatasetError> {
        Ok(self.tensor_definitions().adapter(self.arrow_schema())?)
    }

    /// The tensors of each batch.
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches) and [`tensor_adapter`](Self::tensor_adapter).
    fn tensors(&self, options: IterationOptions) -> Result<TensorBatches, DatasetError> {
        let adapter = self.tensor_adapter()?;
        let batches = self.record_batches(options)?;
        Ok(Box::new(batches.map(move |batch| Ok(adapter.convert(&batch?)?))))
    }
}

impl Tfxio for Dataset {
    fn arrow_schema(&self) -> SchemaRef {
        self.arrow_schema().clone()
    }

    fn tensor_definitions(&self) -> TensorDefinitions {
        self.tensor_definitions().clone()
    }

    fn record_batches(&self, options: IterationOptions) -> Result<RecordBatches, DatasetError> {
        Ok(Box::new(self.record_batches(options)?))
    }

    fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        self.project(names)
    }

    fn tensor_adapter(&self) -> Result<Adapter, DatasetError> {
        Ok(self.tensor_adapter().clone())
    }

    fn tensors(&self, options: IterationOptions) -> Result<TensorBatches, DatasetError> {
        Ok(Box::new(self.tensors(options)?))
    }
}
