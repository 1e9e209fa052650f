//! Datasets of rows that are not stored in files.

use std::path::PathBuf;
use std::sync::Arc;

use arrowfeed_source::format::{ChunkFormat, ChunkSource};
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// Options for reading [`ChunkSource`]s as a dataset.
#[derive(Debug, Clone, Default)]
pub struct ChunkDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// Names of columns to read, in the order of the batches. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// `batch_bytes` limits the size of a batch, `zero_byte_rows` the number of rows in a chunk.
    pub limits: Limits,
    /// An index that [`Dataset::save_index`] wrote for these sources, see [`Dataset::with_index`]. Default: none.
    pub index: Option<PathBuf>,
    /// Whether only the thread that requests batches may call [`ChunkSource::read`]. Default: any thread may call it.
    pub read_by_caller: bool,
}

/// Opens [`ChunkSource`]s as a [`Dataset`].
#[derive(Debug)]
pub enum ChunkDataset {}

impl ChunkDataset {
    /// Makes a dataset that reads the sources one after the other. All sources must have the schema of the first one.
    /// Calls `interrupt` while it reads an index.
    ///
    /// # Errors
    /// There is no source; a source has another schema; columns and tensors do not fit each other; the index does not
    /// belong to these sources; `interrupt` returned true.
    pub fn open(
        sources: impl IntoIterator<Item = Arc<dyn ChunkSource>>,
        options: ChunkDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let ChunkDatasetOptions { tensors, columns, limits, index, read_by_caller } = options;
        let files = ChunkFormat::files(sources, columns.as_deref(), limits, read_by_caller)?;
        let dataset = Dataset::new(files, tensors, columns.is_some())?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
