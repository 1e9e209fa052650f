//! Tensors of key expressions, with defaults for missing values.
//!
//! A [`Feature`] has a key, a shape and a default. [`TensorAdapter::from_features`](crate::TensorAdapter::from_features)
//! compiles features against a schema, so that the rank and type of each tensor are known before any data.

// | file | contents |
// |---|---|
// | `definition` | definitions of features |
// | `source` | a compiled key and its values, common to all features |
// | `truncate` | lists cut to the sizes of a shape |
// | `dense` `sequence` `fill` | rows of one shape, with missing values filled |
// | `varlen` `ragged` | rows of any length, as coordinates or as row splits |
// | `sparse` | values at indices that other keys select |

mod definition;
mod dense;
mod fill;
mod ragged;
mod sequence;
mod source;
mod sparse;
mod truncate;
mod varlen;

pub use definition::{Casts, Dense, Feature, FixedLenSequence, Ragged, RowDefault, Sparse, VarLen};
use source::KeySource;

use crate::conversion::{Conversion, TensorPlan};
use crate::error::RepresentationError;
use crate::indexed_schema::IndexedSchema;
use crate::options::AdapterOptions;

/// Compiles a feature against a schema.
pub(crate) fn compile(
    schema: &IndexedSchema,
    feature: &Feature,
    options: &AdapterOptions,
) -> Result<TensorPlan, RepresentationError> {
    Ok(match feature {
        Feature::Dense(this) => of_key(dense::Dense::compile(schema, this, options)?, |it| &it.source),
        Feature::FixedLenSequence(this) => {
            of_key(sequence::FixedLenSequence::compile(schema, this, options)?, |it| &it.source)
        }
        Feature::VarLen(this) => of_key(varlen::VarLen::compile(schema, this, options)?, |it| &it.source),
        Feature::Sparse(this) => {
            let sparse = sparse::Sparse::compile(schema, this, options)?;
            let paths = sparse.sources().flat_map(KeySource::paths).cloned().collect();
            TensorPlan::new(sparse, paths)
        }
        Feature::Ragged(this) => of_key(ragged::Ragged::compile(schema, this, options)?, |it| &it.source),
    })
}

/// The plan of a feature with one key.
fn of_key<C: Conversion + 'static>(conversion: C, source: impl Fn(&C) -> &KeySource) -> TensorPlan {
    let paths = source(&conversion).paths().to_vec();
    TensorPlan::new(conversion, paths)
}
