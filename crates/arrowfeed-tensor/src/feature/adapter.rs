//! The entry: features compiled once, then batches to tensors.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::definition::Feature;
use super::source::Source;
use super::{dense, ragged, sequence, sparse, varlen};
use crate::adapter::Tensors;
use crate::column_path::ColumnPath;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::{Explanation, Part};
use crate::options::AdapterOptions;
use crate::plans::Plans;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

/// Turns batches of one schema into the tensors of key expressions.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Array, ListArray, RecordBatch, types::Int64Type};
/// use arrow_schema::{Field, Schema};
/// use arrowfeed_tensor::feature::{Dense, Feature, FeatureAdapter, RowDefault};
/// use arrowfeed_tensor::DefaultValue;
///
/// let scores = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), None]);
/// let schema = Arc::new(Schema::new(vec![Field::new("scores", scores.data_type().clone(), true)]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(scores)])?;
///
/// let second = Feature::Dense(Dense {
///     key: "scores[1]".to_owned(),
///     default: Some(RowDefault::Scalar(DefaultValue::Int(-1))),
///     ..Dense::default()
/// });
/// let adapter = FeatureAdapter::try_new(schema, [("second", second)])?;
/// assert_eq!(adapter.specs()[0].1.to_string(), "dense int64 [?]");
/// assert_eq!(adapter.columns()[0].to_string(), "scores");
/// let tensors = adapter.convert(&batch)?;
/// let tensor = tensors[0].1.as_dense().unwrap();
/// assert_eq!(tensor.values().as_primitive::<Int64Type>().unwrap()[..], [8, -1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FeatureAdapter {
    schema: SchemaRef,
    plans: Plans<Plan>,
}

/// A feature, compiled.
#[derive(Debug, Clone)]
enum Plan {
    Dense(dense::Dense),
    FixedLenSequence(sequence::FixedLenSequence),
    VarLen(varlen::VarLen),
    Sparse(sparse::Sparse),
    Ragged(ragged::Ragged),
}

impl FeatureAdapter {
    /// Compiles each feature, by the name of its tensor, against the schema.
    ///
    /// # Errors
    /// A key that is none or does not fit the schema, a feature that does not fit its key, or a name that is there
    /// twice.
    pub fn try_new<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
    ) -> Result<Self, RepresentationError> {
        Self::with_batch_bytes(schema, features, AdapterOptions::BATCH_BYTES)
    }

    /// The same with another [`AdapterOptions::batch_bytes`].
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    pub fn with_batch_bytes<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
        batch_bytes: usize,
    ) -> Result<Self, RepresentationError> {
        let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
        let mut plans = Plans::new();
        for (name, feature) in features {
            let compile = || {
                let plan = Plan::compile(&schema, feature.borrow(), &options)?;
                let spec = plan.spec();
                Ok((plan, spec))
            };
            plans.add(name.into(), "feature", compile)?;
        }
        Ok(Self { schema, plans })
    }

    /// The schema that batches must have.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What is known of each tensor, by name, in the order of the features.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.plans.specs()
    }

    /// The fields that are read, each once, in the order of first mention. Joined by dots they are what a projection
    /// by field path takes. After one, features are compiled again, against the schema that it has left.
    pub fn columns(&self) -> Vec<ColumnPath> {
        let mut columns: Vec<ColumnPath> = Vec::new();
        for column in self.plans.iter().flat_map(|(_, plan)| plan.sources()).flat_map(|it| it.plan.columns())
        {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        columns
    }

    /// Indices of the columns that are read, in order. Those that are not may be anything.
    pub(crate) fn column_indices(&self) -> Vec<usize> {
        let sources = self.plans.iter().flat_map(|(_, plan)| plan.sources());
        let columns: BTreeSet<usize> = sources.flat_map(|it| it.plan.used()).copied().collect();
        columns.into_iter().collect()
    }

    /// All tensors of a batch.
    ///
    /// # Errors
    /// A batch of another schema, or a row that does not fit; the message names tensor, key and row.
    pub fn convert(&self, batch: &RecordBatch) -> Result<Tensors, ConversionError> {
        self.plans.iter().map(|(name, plan)| tensor(name, plan, batch)).collect()
    }

    /// The tensors of these names, in this order.
    ///
    /// # Errors
    /// As [`convert`](Self::convert), or a name that is not known.
    pub fn convert_only(&self, batch: &RecordBatch, names: &[&str]) -> Result<Tensors, ConversionError> {
        let tensors = names.iter().map(|name| {
            let (name, plan) = self.plans.get(name)?;
            tensor(name, plan, batch)
        });
        tensors.collect()
    }

    /// An adapter for some of the tensors, of the same schema.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        Ok(Self { schema: self.schema.clone(), plans: self.plans.project(names)? })
    }

    /// Of each tensor, what is shared with the batch and what is copied, and why.
    pub fn explain(&self) -> Vec<Explanation> {
        self.plans.explain(Plan::explain)
    }
}

fn tensor(name: &str, plan: &Plan, batch: &RecordBatch) -> Result<(String, Tensor), ConversionError> {
    let tensor = plan.convert(batch).map_err(|error| error.in_tensor(name))?;
    Ok((name.to_owned(), tensor))
}

impl Plan {
    fn compile(
        schema: &SchemaRef,
        feature: &Feature,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        Ok(match feature {
            Feature::Dense(this) => Self::Dense(dense::Dense::compile(schema, this, options)?),
            Feature::FixedLenSequence(this) => {
                Self::FixedLenSequence(sequence::FixedLenSequence::compile(schema, this, options)?)
            }
            Feature::VarLen(this) => Self::VarLen(varlen::VarLen::compile(schema, this, options)?),
            Feature::Sparse(this) => Self::Sparse(sparse::Sparse::compile(schema, this, options)?),
            Feature::Ragged(this) => Self::Ragged(ragged::Ragged::compile(schema, this, options)?),
        })
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        match self {
            Self::Dense(this) => this.convert(batch).map(Tensor::Dense),
            Self::FixedLenSequence(this) => this.convert(batch).map(Tensor::Dense),
            Self::VarLen(this) => this.convert(batch).map(Tensor::Sparse),
            Self::Sparse(this) => this.convert(batch).map(Tensor::Sparse),
            Self::Ragged(this) => this.convert(batch).map(Tensor::Ragged),
        }
    }

    fn spec(&self) -> TensorSpec {
        match self {
            Self::Dense(this) => this.spec(),
            Self::FixedLenSequence(this) => this.spec(),
            Self::VarLen(this) => this.spec(),
            Self::Sparse(this) => this.spec(),
            Self::Ragged(this) => this.spec(),
        }
    }

    fn explain(&self) -> Vec<Part> {
        match self {
            Self::Dense(this) => this.explain(),
            Self::FixedLenSequence(this) => this.explain(),
            Self::VarLen(this) => this.explain(),
            Self::Sparse(this) => this.explain(),
            Self::Ragged(this) => this.explain(),
        }
    }

    /// The keys that are read.
    fn sources(&self) -> Vec<&Source> {
        match self {
            Self::Dense(this) => vec![&this.source],
            Self::FixedLenSequence(this) => vec![&this.source],
            Self::VarLen(this) => vec![&this.source],
            Self::Sparse(this) => this.indices.iter().map(|it| &it.source).chain([&this.values]).collect(),
            Self::Ragged(this) => vec![&this.source],
        }
    }
}
