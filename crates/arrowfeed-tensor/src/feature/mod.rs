//! Tensors of key expressions: what each is made of, what takes the place of missing values, what is an error.
//!
//! A [`Feature`] names its key, its shape and its default. [`FeatureAdapter::try_new`] compiles features against a
//! schema: rank and type of each tensor are known then, before any data. [`FeatureAdapter::convert`] makes the tensors
//! of a batch.
//!
//! | file | what |
//! |---|---|
//! | `definition` | features as the caller gives them |
//! | `adapter` | the entry |
//! | `source` | a key and its values, for all features alike |
//! | `dense` `sequence` `fill` | rows of one shape, what is missing filled |
//! | `varlen` `ragged` | rows of any length, as coordinates or as row splits |
//! | `sparse` | values at indices that other keys select |

mod adapter;
mod definition;
mod dense;
mod fill;
mod ragged;
mod sequence;
mod source;
mod sparse;
mod varlen;

pub use adapter::FeatureAdapter;
pub use definition::{Dense, Feature, FixedLenSequence, Ragged, RowDefault, Sparse, VarLen};
