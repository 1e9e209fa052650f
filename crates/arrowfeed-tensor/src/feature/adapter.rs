//! [`FeatureAdapter`]: compiles features against a schema once, then converts batches to tensors.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::definition::Feature;
use super::source::Source;
use super::{dense, ragged, sequence, sparse, varlen};
use crate::adapter::Tensors;
use crate::column_path::ColumnPath;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::{Explanation, Part};
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::plans::Plans;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

/// Converts batches of one schema to tensors of key expressions.
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

/// A compiled feature.
#[derive(Debug, Clone)]
enum Plan {
    Dense(dense::Dense),
    FixedLenSequence(sequence::FixedLenSequence),
    VarLen(varlen::VarLen),
    Sparse(sparse::Sparse),
    Ragged(ragged::Ragged),
}

impl FeatureAdapter {
    /// Compiles the features, each with the name of its tensor, against the schema.
    ///
    /// # Errors
    /// A key is invalid or does not fit the schema, a feature does not fit its key, or two tensors have the same name.
    pub fn try_new<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
    ) -> Result<Self, RepresentationError> {
        Self::with_batch_bytes(schema, features, AdapterOptions::BATCH_BYTES)
    }

    /// Like [`try_new`](Self::try_new), with another [`AdapterOptions::batch_bytes`].
    ///
    /// # Errors
    /// Those of [`try_new`](Self::try_new).
    pub fn with_batch_bytes<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
        batch_bytes: usize,
    ) -> Result<Self, RepresentationError> {
        let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
        let indexed = IndexedSchema::new(schema.clone());
        let mut plans = Plans::new();
        for (name, feature) in features {
            let compile = || {
                let plan = Plan::compile(&indexed, feature.borrow(), &options)?;
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

    /// The specs of the tensors, by name, in the order of the features.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.plans.specs()
    }

    /// The fields that the adapter reads, each once, in the order of first mention. Joined with dots, they are the field paths
    /// of a projection. After a projection, compile the features again, against the projected schema.
    pub fn columns(&self) -> Vec<ColumnPath> {
        let mut seen = HashSet::new();
        let columns = self.plans.iter().flat_map(|(_, plan)| plan.sources()).flat_map(|it| it.plan.columns());
        columns.filter(|column| seen.insert(*column)).cloned().collect()
    }

    /// Indices of the columns that the adapter reads, in ascending order. Other columns of a batch may have any name and type.
    pub(crate) fn column_indices(&self) -> Vec<usize> {
        let sources = self.plans.iter().flat_map(|(_, plan)| plan.sources());
        let columns: BTreeSet<usize> = sources.flat_map(|it| it.plan.used()).copied().collect();
        columns.into_iter().collect()
    }

    /// Converts a batch to all tensors.
    ///
    /// # Errors
    /// The batch has another schema, or a row does not fit its feature. The message names the tensor, the key and the row.
    pub fn convert(&self, batch: &RecordBatch) -> Result<Tensors, ConversionError> {
        self.plans.iter().map(|(name, plan)| tensor(name, plan, batch)).collect()
    }

    /// Converts a batch to the tensors with these names, in this order.
    ///
    /// # Errors
    /// Those of [`convert`](Self::convert), or an unknown name.
    pub fn convert_only(&self, batch: &RecordBatch, names: &[&str]) -> Result<Tensors, ConversionError> {
        let tensors = names.iter().map(|name| {
            let (name, plan) = self.plans.get(name)?;
            tensor(name, plan, batch)
        });
        tensors.collect()
    }

    /// Creates an adapter for some of the tensors, with the same schema.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        Ok(Self { schema: self.schema.clone(), plans: self.plans.project(names)? })
    }

    /// Reports for each tensor which parts share memory with the batch, which are copied, and why.
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
        schema: &IndexedSchema,
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

    /// The keys that the feature reads.
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
