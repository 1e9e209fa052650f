//! An adapter that is built from either representations or features.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::adapter::{TensorAdapter, Tensors};
use crate::error::{ConversionError, RepresentationError};
use crate::explain::Explanation;
use crate::feature::FeatureAdapter;
use crate::spec::TensorSpec;

/// A [`TensorAdapter`] or a [`FeatureAdapter`], with their common interface.
#[derive(Debug, Clone)]
pub enum Adapter {
    /// An adapter of representations of columns.
    Representations(TensorAdapter),
    /// An adapter of features over key expressions.
    Features(FeatureAdapter),
}

impl Adapter {
    /// See [`TensorAdapter::schema`].
    pub fn schema(&self) -> &SchemaRef {
        match self {
            Self::Representations(adapter) => adapter.schema(),
            Self::Features(adapter) => adapter.schema(),
        }
    }

    /// See [`TensorAdapter::specs`].
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        match self {
            Self::Representations(adapter) => adapter.specs(),
            Self::Features(adapter) => adapter.specs(),
        }
    }

    /// See [`TensorAdapter::columns`].
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Self::Representations(adapter) => adapter.columns(),
            Self::Features(adapter) => adapter.column_indices(),
        }
    }

    /// See [`TensorAdapter::convert`].
    ///
    /// # Errors
    /// Those of [`TensorAdapter::convert`].
    pub fn convert(&self, batch: &RecordBatch) -> Result<Tensors, ConversionError> {
        match self {
            Self::Representations(adapter) => adapter.convert(batch),
            Self::Features(adapter) => adapter.convert(batch),
        }
    }

    /// See [`TensorAdapter::convert_only`].
    ///
    /// # Errors
    /// Those of [`TensorAdapter::convert_only`].
    pub fn convert_only(&self, batch: &RecordBatch, names: &[&str]) -> Result<Tensors, ConversionError> {
        match self {
            Self::Representations(adapter) => adapter.convert_only(batch, names),
            Self::Features(adapter) => adapter.convert_only(batch, names),
        }
    }

    /// See [`TensorAdapter::project`].
    ///
    /// # Errors
    /// Those of [`TensorAdapter::project`].
    pub fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        Ok(match self {
            Self::Representations(adapter) => Self::Representations(adapter.project(names)?),
            Self::Features(adapter) => Self::Features(adapter.project(names)?),
        })
    }

    /// See [`TensorAdapter::explain`].
    pub fn explain(&self) -> Vec<Explanation> {
        match self {
            Self::Representations(adapter) => adapter.explain(),
            Self::Features(adapter) => adapter.explain(),
        }
    }
}
