//! Rows that are no files as a dataset.

use std::path::PathBuf;
use std::sync::Arc;

use arrowfeed_source::format::{ChunkFormat, ChunkSource};
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// How the rows of [`ChunkSource`]s are read.
#[derive(Debug, Clone, Default)]
pub struct ChunkDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// Names of columns to read, in the order of the batches. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// `batch_bytes` bounds a batch, `zero_byte_rows` the rows of a chunk.
    pub limits: Limits,
    /// An index of the sources that [`Dataset::save_index`] wrote, see [`Dataset::with_index`]. Default: none.
    pub index: Option<PathBuf>,
    /// Whether only the thread that asks for batches calls [`ChunkSource::read`]. Default: any thread may.
    pub read_by_caller: bool,
}

/// Makes a [`Dataset`] of [`ChunkSource`]s.
#[derive(Debug)]
pub enum ChunkDataset {}

impl ChunkDataset {
    /// A dataset of these sources, one after the other. Their schemas are those of the first one. `interrupt` is asked while
    /// an index is read.
    ///
    /// # Errors
    /// There is no source; a source has another schema; columns and tensors do not fit each other; the index is not one of
    /// these sources; the caller wants to stop.
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
