//! One conversion for each kind of representation: compiled against a schema once, run on every batch.
//!
//! | file | conversion |
//! |---|---|
//! | `dense` | rows of one shape: checked, filled, padded |
//! | `varlen_sparse` | lists as coordinates and values |
//! | `sparse` `entries` `coordinates` `long_rows` | index columns and a value column as coordinates and values |
//! | `ragged` `partition` | lists as row splits, divided by partitions |
//! | `varlen_ragged` | lists as row splits |
//! | `structured` | structs and lists with their nesting |

use arrow_array::RecordBatch;

use crate::error::{ConversionError, RepresentationError};
use crate::explain::Part;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::representation::Representation;
use crate::spec::TensorSpec;
use crate::tensor::Tensor;

mod coordinates;
mod dense;
mod entries;
mod long_rows;
mod partition;
mod ragged;
mod sparse;
mod structured;
mod varlen_ragged;
mod varlen_sparse;

// Features over keys make the same kinds of tensors from other leaves.
pub(crate) use entries::{Entries, lengths};
pub(crate) use partition::in_blocks;
pub(crate) use varlen_ragged::flat_values;
pub(crate) use varlen_sparse::{at_least_one_list, coordinates, longest};

/// A compiled representation. Columns are indices, and every type is known.
#[derive(Debug, Clone)]
pub(crate) enum Conversion {
    Dense(dense::Dense),
    VarLenSparse(varlen_sparse::VarLenSparse),
    Sparse(sparse::Sparse),
    Ragged(ragged::Ragged),
    VarLenRagged(varlen_ragged::VarLenRagged),
    Structured(structured::Structured),
}

impl Conversion {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        representation: &Representation,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        representation.validate()?;
        Ok(match representation {
            Representation::Dense(this) => Self::Dense(dense::Dense::compile(schema, this, options)?),
            Representation::VarLenSparse(this) => {
                Self::VarLenSparse(varlen_sparse::VarLenSparse::compile(schema, this, options)?)
            }
            Representation::Sparse(this) => Self::Sparse(sparse::Sparse::compile(schema, this, options)?),
            Representation::Ragged(this) => Self::Ragged(ragged::Ragged::compile(schema, this, options)?),
            Representation::VarLenRagged(this) => {
                Self::VarLenRagged(varlen_ragged::VarLenRagged::compile(schema, this, options)?)
            }
            Representation::Structured(this) => {
                Self::Structured(structured::Structured::compile(schema, this, options)?)
            }
        })
    }

    pub(crate) fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        match self {
            Self::Dense(this) => this.convert(batch).map(Tensor::Dense),
            Self::VarLenSparse(this) => this.convert(batch).map(Tensor::Sparse),
            Self::Sparse(this) => this.convert(batch).map(Tensor::Sparse),
            Self::Ragged(this) => this.convert(batch).map(Tensor::Ragged),
            Self::VarLenRagged(this) => this.convert(batch).map(Tensor::Ragged),
            Self::Structured(this) => this.convert(batch).map(Tensor::Structured),
        }
    }

    pub(crate) fn spec(&self) -> TensorSpec {
        match self {
            Self::Dense(this) => this.spec(),
            Self::VarLenSparse(this) => this.spec(),
            Self::Sparse(this) => this.spec(),
            Self::Ragged(this) => this.spec(),
            Self::VarLenRagged(this) => this.spec(),
            Self::Structured(this) => this.spec(),
        }
    }

    /// Reports which parts share memory with the batch and which are copied.
    pub(crate) fn explain(&self) -> Vec<Part> {
        match self {
            Self::Dense(this) => this.explain(),
            Self::VarLenSparse(this) => this.explain(),
            Self::Sparse(this) => this.explain(),
            Self::Ragged(this) => this.explain(),
            Self::VarLenRagged(this) => this.explain(),
            Self::Structured(this) => this.explain(),
        }
    }

    /// Indices of the columns that the conversion reads.
    pub(crate) fn columns(&self) -> Vec<usize> {
        match self {
            Self::Dense(this) => vec![this.column.index()],
            Self::VarLenSparse(this) => vec![this.column.index()],
            Self::Sparse(this) => this.columns(),
            Self::Ragged(this) => this.columns(),
            Self::VarLenRagged(this) => vec![this.column.index()],
            Self::Structured(this) => this.columns(),
        }
    }
}
