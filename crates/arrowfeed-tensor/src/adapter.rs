//! [`TensorAdapter`]: compiles representations or features against a schema once, then converts batches to tensors.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::column_path::ColumnPath;
use crate::conversion::TensorPlan;
use crate::convert;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::Explanation;
use crate::feature::{self, Feature};
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::plans::Plans;
use crate::representation::Representation;
use crate::same_schema;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;
use crate::tensors::Tensors;

/// Converts batches of one schema to tensors.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, types::Int64Type, ListArray, Array};
/// use arrow_schema::{DataType, Field, Schema};
/// use arrowfeed_tensor::{Representation, TensorAdapter, VarLenSparse};
///
/// let tags = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), None]);
/// let schema = Arc::new(Schema::new(vec![Field::new("tags", tags.data_type().clone(), true)]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(tags)])?;
///
/// let sparse = Representation::VarLenSparse(VarLenSparse { column: "tags".to_owned(), ..Default::default() });
/// let adapter = TensorAdapter::try_new(schema, [("t", sparse)])?;
/// let tensors = adapter.convert(&batch)?;
/// let tensor = tensors.sparse("t")?;
/// assert_eq!(tensor.indices()[..], [0, 0, 0, 1]);
/// assert_eq!(tensor.dense_shape(), [2, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TensorAdapter {
    schema: SchemaRef,
    plans: Plans,
}

impl TensorAdapter {
    /// Compiles the representations, each with the name of its tensor, against the schema.
    ///
    /// # Errors
    /// A representation is invalid or does not fit the schema, or two tensors have the same name.
    pub fn try_new<S: Into<String>, R: Borrow<Representation>>(
        schema: SchemaRef,
        representations: impl IntoIterator<Item = (S, R)>,
    ) -> Result<Self, RepresentationError> {
        Self::with_options(schema, representations, AdapterOptions::default())
    }

    /// Like [`try_new`](Self::try_new), with options.
    pub fn with_options<S: Into<String>, R: Borrow<Representation>>(
        schema: SchemaRef,
        representations: impl IntoIterator<Item = (S, R)>,
        options: AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        Self::compiled(schema, "representation", representations, |schema, representation: R| {
            convert::compile(schema, representation.borrow(), &options)
        })
    }

    /// Compiles the features, each with the name of its tensor, against the schema.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{Array, ListArray, RecordBatch, types::Int64Type};
    /// use arrow_schema::{Field, Schema};
    /// use arrowfeed_tensor::feature::{Dense, Feature, RowDefault};
    /// use arrowfeed_tensor::{DefaultValue, TensorAdapter};
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
    /// let adapter = TensorAdapter::from_features(schema, [("second", second)])?;
    /// assert_eq!(adapter.specs()[0].1.to_string(), "dense int64 [?]");
    /// assert_eq!(adapter.column_paths()[0].to_string(), "scores");
    /// let tensors = adapter.convert(&batch)?;
    /// let tensor = tensors.dense("second")?;
    /// assert_eq!(tensor.values().as_primitive::<Int64Type>().unwrap()[..], [8, -1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A key is invalid or does not fit the schema, a feature does not fit its key, or two tensors have the same name.
    pub fn from_features<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
    ) -> Result<Self, RepresentationError> {
        Self::from_features_within(schema, features, AdapterOptions::BATCH_BYTES)
    }

    /// Like [`from_features`](Self::from_features), with another [`AdapterOptions::batch_bytes`].
    ///
    /// # Errors
    /// Those of [`from_features`](Self::from_features).
    pub fn from_features_within<S: Into<String>, F: Borrow<Feature>>(
        schema: SchemaRef,
        features: impl IntoIterator<Item = (S, F)>,
        batch_bytes: usize,
    ) -> Result<Self, RepresentationError> {
        let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
        Self::compiled(schema, "feature", features, |schema, feature: F| {
            feature::compile(schema, feature.borrow(), &options)
        })
    }

    /// `what` names the kind of definition in the message for two tensors of one name.
    fn compiled<S: Into<String>, D>(
        schema: SchemaRef,
        what: &str,
        definitions: impl IntoIterator<Item = (S, D)>,
        compile: impl Fn(&IndexedSchema, D) -> Result<TensorPlan, RepresentationError>,
    ) -> Result<Self, RepresentationError> {
        let indexed = IndexedSchema::new(schema.clone());
        let mut plans = Plans::new();
        for (name, definition) in definitions {
            plans.add(name.into(), what, || compile(&indexed, definition))?;
        }
        Ok(Self { schema, plans })
    }

    /// The schema that batches must have.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The specs of the tensors, by name, in the order of their definitions.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.plans.specs()
    }

    /// Indices of the columns that the adapter reads, in ascending order. Other columns of a batch may have any name and type.
    pub fn columns(&self) -> Vec<usize> {
        let columns: BTreeSet<usize> =
            self.plans.iter().flat_map(|(_, plan)| &plan.columns).copied().collect();
        columns.into_iter().collect()
    }

    /// The fields that the adapter reads, each once, in the order of first mention. Joined with dots, they are the field paths
    /// of a projection. After a projection, compile the definitions again, against the projected schema.
    pub fn column_paths(&self) -> Vec<ColumnPath> {
        let mut seen = HashSet::new();
        let paths = self.plans.iter().flat_map(|(_, plan)| &plan.paths);
        paths.filter(|path| seen.insert(*path)).cloned().collect()
    }

    /// Converts a batch to all tensors.
    ///
    /// # Errors
    /// The batch has another schema, or a row does not fit the definition of its tensor. The message names the tensor, the
    /// column or key, and the row.
    pub fn convert(&self, batch: &RecordBatch) -> Result<Tensors, ConversionError> {
        self.plans.iter().map(|(name, plan)| self.tensor(name, plan, batch)).collect()
    }

    /// Converts a batch to the tensors with these names, in this order.
    ///
    /// # Errors
    /// The errors of [`convert`](Self::convert), or an unknown name.
    pub fn convert_only(&self, batch: &RecordBatch, names: &[&str]) -> Result<Tensors, ConversionError> {
        let tensors = names.iter().map(|name| {
            let (name, plan) = self.plans.get(name)?;
            self.tensor(name, plan, batch)
        });
        tensors.collect()
    }

    /// Creates an adapter for some of the tensors, with the same schema. Looks up the names once.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        Ok(Self { schema: self.schema.clone(), plans: self.plans.project(names)? })
    }

    /// Reports for each tensor which parts share memory with the batch, which are copied, and why.
    pub fn explain(&self) -> Vec<Explanation> {
        self.plans.explain()
    }

    fn tensor(
        &self,
        name: &str,
        plan: &TensorPlan,
        batch: &RecordBatch,
    ) -> Result<(String, Tensor), ConversionError> {
        let tensor = same_schema::check(&self.schema, batch, &plan.columns)
            .and_then(|()| plan.conversion.convert(batch));
        Ok((name.to_owned(), tensor.map_err(|error| error.in_tensor(name))?))
    }
}
