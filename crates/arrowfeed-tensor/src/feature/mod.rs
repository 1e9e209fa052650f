//! Tensors of key expressions, with defaults for missing values.
//!
//! A [`Feature`] has a key, a shape and a default. [`FeatureAdapter::try_new`] compiles features against a schema, so that
//! the rank and type of each tensor are known before any data. [`FeatureAdapter::convert`] makes the tensors of a batch.

// | file | contents |
// |---|---|
// | `definition` | definitions of features |
// | `adapter` | the entry point |
// | `source` | a compiled key and its values, common to all features |
// | `cast` | values converted to the `dtype` of a feature |
// | `truncate` | lists cut to the sizes of a shape |
// | `dense` `sequence` `fill` | rows of one shape, with missing values filled |
// | `varlen` `ragged` | rows of any length, as coordinates or as row splits |
// | `sparse` | values at indices that other keys select |

mod adapter;
mod cast;
mod definition;
mod dense;
mod fill;
mod ragged;
mod sequence;
mod source;
mod sparse;
mod truncate;
mod varlen;

pub use adapter::FeatureAdapter;
pub use definition::{Casts, Dense, Feature, FixedLenSequence, Ragged, RowDefault, Sparse, VarLen};
