//! The trait of all sources, independent of the format.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_tensor::{TensorAdapter, Tensors};

use crate::dataset::{Dataset, IterationOptions, TensorDefinitions};
use crate::error::DatasetError;

/// The batches of a source.
pub type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, DatasetError>> + Send>;

/// The tensors of the batches of a source.
pub type TensorBatches = Box<dyn Iterator<Item = Result<Tensors, DatasetError>> + Send>;

/// A source of record batches with one schema, and of the tensors that are made from them.
///
/// The trait corresponds to the TFXIO of the standardized TFX inputs. An implementation provides the first four
/// methods, and wraps its own errors with [`DatasetError::of_source`]; the other methods have defaults. `examples/rust`
/// implements the trait for CSV.
pub trait Tfxio {
    /// The schema of every batch.
    fn arrow_schema(&self) -> SchemaRef;

    /// The definitions of the tensors.
    fn tensor_definitions(&self) -> TensorDefinitions;

    /// Returns batches of exactly `batch_size` rows; only the last batch of an epoch may have fewer rows. A source must
    /// reject the options that it does not support; [`IterationOptions::check_heeded`] does that.
    ///
    /// # Errors
    /// Errors of the source.
    fn record_batches(&self, options: IterationOptions) -> Result<RecordBatches, DatasetError>;

    /// Returns a source of some of the tensors (see [`TensorDefinitions::project`]). The new source may skip the
    /// columns that these tensors do not need.
    ///
    /// # Errors
    /// A name is unknown.
    fn project(&self, names: &[&str]) -> Result<Self, DatasetError>
    where
        Self: Sized;

    /// Returns the adapter that converts the batches to tensors.
    ///
    /// # Errors
    /// A tensor cannot be made from batches of this schema.
    fn tensor_adapter(&self) -> Result<TensorAdapter, DatasetError> {
        Ok(self.tensor_definitions().adapter(self.arrow_schema())?)
    }

    /// Returns the tensors of each batch.
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

    fn tensor_adapter(&self) -> Result<TensorAdapter, DatasetError> {
        Ok(self.tensor_adapter().clone())
    }

    fn tensors(&self, options: IterationOptions) -> Result<TensorBatches, DatasetError> {
        Ok(Box::new(self.tensors(options)?))
    }
}
