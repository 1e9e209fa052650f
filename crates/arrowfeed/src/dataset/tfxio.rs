//! `Tfxio`: what ties a source, its Arrow schema and its dataset together.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_tensor::{RepresentationError, TensorAdapter, Tensors};

use super::conversion::Conversion;
use super::{Batches, Dataset, IterationOptions, TensorDefinitions};
use crate::error::DatasetError;

/// A source of record batches with one schema, and of the tensors that are made from them: the TFXIO of the standardized TFX
/// inputs.
///
/// A function that trains takes a `&dyn Tfxio`, and works with each source. A [`Dataset`] is one: of files, of several datasets, of
/// rows that are not in files ([`ChunkSource`](crate::source::format::ChunkSource)), and of an Iceberg table. A source that can only
/// produce its batches one after the other implements [`arrow_schema`](Self::arrow_schema),
/// [`tensor_definitions`](Self::tensor_definitions), [`record_batches`](Self::record_batches) and [`project`](Self::project).
///
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed::avro::{AvroFormat, AvroOptions};
/// use arrowfeed::{Dataset, DatasetError, DatasetOptions, IterationOptions, Tfxio};
///
/// /// Trains one epoch, and returns the number of batches and the position after them.
/// fn train(source: &dyn Tfxio) -> Result<(usize, String), DatasetError> {
///     let mut batches = source.tensors(IterationOptions { batch_size: 2, ..Default::default() })?;
///     let mut count = 0;
///     while let Some(tensors) = batches.next() {
///         assert!(!tensors?.is_empty());
///         count += 1;
///     }
///     Ok((count, batches.state()?))
/// }
///
/// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
/// let dataset = Dataset::open(files, DatasetOptions::default())?;
/// let only = Tfxio::project(&dataset, &["id"])?;
/// assert_eq!(only.arrow_schema().field(0).name(), "id");
/// assert_eq!(train(&*only)?.0, 2); // The file has three rows.
/// # Ok(())
/// # }
/// ```
pub trait Tfxio: Send + Sync {
    /// The schema of every record batch.
    fn arrow_schema(&self) -> &SchemaRef;

    /// The definitions of the tensors: representations of columns, or features of keys.
    fn tensor_definitions(&self) -> &TensorDefinitions;

    /// Iterates over record batches of `batch_size` rows; the last one of an epoch may be shorter. A source may support only some
    /// of the options.
    ///
    /// # Errors
    /// An option is invalid, or the source does not support it.
    fn record_batches(
        &self,
        options: IterationOptions,
    ) -> Result<Box<dyn TfxioBatches<RecordBatch>>, DatasetError>;

    /// The source of some of the tensors, in this order. It may leave out columns that these tensors do not need.
    ///
    /// # Errors
    /// A name is unknown.
    fn project(&self, names: &[&str]) -> Result<Box<dyn Tfxio>, DatasetError>;

    /// The adapter that converts the record batches to tensors.
    ///
    /// # Errors
    /// A tensor cannot be made from batches of this schema.
    fn tensor_adapter(&self) -> Result<TensorAdapter, RepresentationError> {
        self.tensor_definitions().adapter(self.arrow_schema().clone())
    }

    /// Iterates over the tensors of the batches of [`record_batches`](Self::record_batches).
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches) and [`tensor_adapter`](Self::tensor_adapter).
    fn tensors(&self, options: IterationOptions) -> Result<Box<dyn TfxioBatches<Tensors>>, DatasetError> {
        let (batches, adapter) = (self.record_batches(options)?, self.tensor_adapter()?);
        Ok(Box::new(Adapted { batches, adapter }))
    }
}

/// An iteration over a [`Tfxio`], with its position. [`Tfxio`] has an example.
pub trait TfxioBatches<T>: Iterator<Item = Result<T, DatasetError>> + Send {
    /// The position after the last batch that was yielded, as text.
    ///
    /// # Errors
    /// The source has no positions, or cannot determine this one.
    fn state(&mut self) -> Result<String, DatasetError>;

    /// Resumes after the last batch that was yielded before [`state`](Self::state) was called.
    ///
    /// # Errors
    /// The state is invalid, or belongs to another source or to other options.
    fn load_state(&mut self, state: &str) -> Result<(), DatasetError>;
}

impl<C: Conversion> TfxioBatches<C::Output> for Batches<C> {
    fn state(&mut self) -> Result<String, DatasetError> {
        Self::state(self)
    }

    fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        Self::load_state(self, state)
    }
}

impl Tfxio for Dataset {
    fn arrow_schema(&self) -> &SchemaRef {
        self.arrow_schema()
    }

    fn tensor_definitions(&self) -> &TensorDefinitions {
        self.tensor_definitions()
    }

    fn record_batches(
        &self,
        options: IterationOptions,
    ) -> Result<Box<dyn TfxioBatches<RecordBatch>>, DatasetError> {
        Ok(Box::new(self.record_batches(options)?))
    }

    fn project(&self, names: &[&str]) -> Result<Box<dyn Tfxio>, DatasetError> {
        Ok(Box::new(self.project(names)?))
    }

    fn tensor_adapter(&self) -> Result<TensorAdapter, RepresentationError> {
        Ok(self.tensor_adapter().clone())
    }

    // Worker threads make the tensors.
    fn tensors(&self, options: IterationOptions) -> Result<Box<dyn TfxioBatches<Tensors>>, DatasetError> {
        Ok(Box::new(self.tensors(options)?))
    }
}

/// The tensors of record batches.
struct Adapted {
    batches: Box<dyn TfxioBatches<RecordBatch>>,
    adapter: TensorAdapter,
}

impl Iterator for Adapted {
    type Item = Result<Tensors, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| Ok(self.adapter.convert(&batch)?)))
    }
}

impl TfxioBatches<Tensors> for Adapted {
    fn state(&mut self) -> Result<String, DatasetError> {
        self.batches.state()
    }

    fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.batches.load_state(state)
    }
}
