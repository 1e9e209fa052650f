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

use crate::conversion::TensorPlan;
use crate::error::RepresentationError;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;
use crate::representation::Representation;

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

/// Compiles a representation against a schema.
pub(crate) fn compile(
    schema: &IndexedSchema,
    representation: &Representation,
    options: &AdapterOptions,
) -> Result<TensorPlan, RepresentationError> {
    representation.validate()?;
    let paths = representation.source_columns();
    Ok(match representation {
        Representation::Dense(this) => TensorPlan::new(dense::Dense::compile(schema, this, options)?, paths),
        Representation::VarLenSparse(this) => {
            TensorPlan::new(varlen_sparse::VarLenSparse::compile(schema, this, options)?, paths)
        }
        Representation::Sparse(this) => {
            TensorPlan::new(sparse::Sparse::compile(schema, this, options)?, paths)
        }
        Representation::Ragged(this) => {
            TensorPlan::new(ragged::Ragged::compile(schema, this, options)?, paths)
        }
        Representation::VarLenRagged(this) => {
            TensorPlan::new(varlen_ragged::VarLenRagged::compile(schema, this, options)?, paths)
        }
        Representation::Structured(this) => {
            TensorPlan::new(structured::Structured::compile(schema, this, options)?, paths)
        }
    })
}
