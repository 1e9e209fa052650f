//! The entry: representations compiled once, then batches to tensors.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::convert::Conversion;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::Explanation;
use crate::options::AdapterOptions;
use crate::plans::Plans;
use crate::representation::Representation;
use crate::same_schema;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

/// Turns batches of one schema into tensors.
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
/// let sparse = Representation::VarLenSparse(VarLenSparse { column: "tags".to_owned() });
/// let adapter = TensorAdapter::try_new(schema, [("t", sparse)])?;
/// let tensors = adapter.convert(&batch)?;
/// let tensor = tensors[0].1.as_sparse().unwrap();
/// assert_eq!(tensor.indices()[..], [0, 0, 0, 1]);
/// assert_eq!(tensor.dense_shape(), [2, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TensorAdapter {
    schema: SchemaRef,
    plans: Plans<Plan>,
}

#[derive(Debug, Clone)]
struct Plan {
    conversion: Conversion,
    columns: Vec<usize>,
}

/// Tensors by name, in the order of the representations.
pub type Tensors = Vec<(String, Tensor)>;

impl TensorAdapter {
    /// Compiles each representation, by the name of its tensor, against the schema.
    ///
    /// # Errors
    /// A representation that is invalid or does not fit the schema, or a name that is there twice.
    pub fn try_new<S: Into<String>, R: Borrow<Representation>>(
        schema: SchemaRef,
        representations: impl IntoIterator<Item = (S, R)>,
    ) -> Result<Self, RepresentationError> {
        Self::with_options(schema, representations, AdapterOptions::default())
    }

    /// The same with choices.
    pub fn with_options<S: Into<String>, R: Borrow<Representation>>(
        schema: SchemaRef,
        representations: impl IntoIterator<Item = (S, R)>,
        options: AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let mut plans = Plans::new();
        for (name, representation) in representations {
            let compile = || {
                let conversion = Conversion::compile(&schema, representation.borrow(), &options)?;
                let (spec, columns) = (conversion.spec(), conversion.columns());
                Ok((Plan { conversion, columns }, spec))
            };
            plans.add(name.into(), "representation", compile)?;
        }
        Ok(Self { schema, plans })
    }

    /// The schema that batches must have.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What is known of each tensor, by name, in the order of the representations.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.plans.specs()
    }

    /// Indices of the columns that are read, in order. Those that are not may be anything.
    pub fn columns(&self) -> Vec<usize> {
        let columns: BTreeSet<usize> =
            self.plans.iter().flat_map(|(_, plan)| &plan.columns).copied().collect();
        columns.into_iter().collect()
    }

    /// All tensors of a batch.
    ///
    /// # Errors
    /// A batch of another schema, or a row that does not fit; the message names tensor, column and row.
    pub fn convert(&self, batch: &RecordBatch) -> Result<Tensors, ConversionError> {
        self.plans.iter().map(|(name, plan)| self.tensor(name, plan, batch)).collect()
    }

    /// The tensors of these names, in this order.
    ///
    /// # Errors
    /// As [`convert`](Self::convert), or a name that is not known.
    pub fn convert_only(&self, batch: &RecordBatch, names: &[&str]) -> Result<Tensors, ConversionError> {
        let tensors = names.iter().map(|name| {
            let (name, plan) = self.plans.get(name)?;
            self.tensor(name, plan, batch)
        });
        tensors.collect()
    }

    /// An adapter for some of the tensors, of the same schema: the names are looked up once.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        Ok(Self { schema: self.schema.clone(), plans: self.plans.project(names)? })
    }

    /// Of each tensor, what is shared with the batch and what is copied, and why.
    pub fn explain(&self) -> Vec<Explanation> {
        self.plans.explain(|plan| plan.conversion.explain())
    }

    fn tensor(
        &self,
        name: &str,
        plan: &Plan,
        batch: &RecordBatch,
    ) -> Result<(String, Tensor), ConversionError> {
        let tensor = same_schema::check(&self.schema, batch, &plan.columns)
            .and_then(|()| plan.conversion.convert(batch));
        Ok((name.to_owned(), tensor.map_err(|error| error.in_tensor(name))?))
    }
}
