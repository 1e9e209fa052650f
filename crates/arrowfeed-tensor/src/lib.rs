//! Converts Arrow RecordBatches to dense, sparse, ragged and structured tensors, zero-copy wherever the layout allows it.
//!
//! A [`Representation`] describes a tensor. [`TensorAdapter::try_new`] compiles representations against a schema, and
//! rejects those that the schema does not allow. [`TensorAdapter::from_features`] does the same for key expressions.
//! [`TensorAdapter::convert`] makes the tensors of a batch, and checks each row. Values stay in the batch's memory wherever
//! its layout allows; [`TensorAdapter::explain`] says where.

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | contents |
// |---|---|
// | `representation` | descriptions of tensors, and their bytes; `proto` has the messages |
// | `column_path` `column` | paths to columns, and to arrays inside them |
// | `indexed_schema` | lookup of fields by name |
// | `lists` | all arithmetic on offsets: slices, null lists over stored values, list views |
// | `leaf` | the values at the end of a path: types, nulls, defaults |
// | `transform` | new values from the values of a leaf: ids, buckets, limits, crosses |
// | `cast` | values converted to another type of numbers |
// | `rounding` | the floats nearest to numbers of wider types |
// | `aligned` | vectors with the alignment that frameworks need for zero-copy tensors |
// | `buffer_pool` | the buffer pool for coordinates |
// | `gather` | values assembled from ranges of an array |
// | `padding` `packing` `jagged` | ragged tensors as padded and packed rows, as lengths, and several of them in one |
// | `conversion` `convert` | what tensors are compiled to, and one conversion for each kind of representation |
// | `infer` | representations derived from a schema |
// | `adapter` `options` `plans` | the entry point, its options, and compiled plans by tensor name |
// | `explain` `same_schema` | reports on shared and copied memory, and the check of a batch's schema |
// | `expression` | key expressions: parsed, compiled to plans, and evaluated on batches |
// | `feature` | tensors of key expressions, with defaults for missing values |
// | `reverse` | tensors back to columns |
// | `copy_limit` | the limit on copies of values that several rows share |
// | `dlpack` | tensors whose memory is shared with other libraries; needs the feature of this name |
// | `ndarray_views` | tensors as arrays of the crate `ndarray`, and back; needs the feature of this name |
// | `dtype` `values` `row_splits` `tensor` `spec` | the resulting tensors and their parts |

mod adapter;
mod aligned;
mod buffer_pool;
mod cast;
mod column;
mod column_path;
mod conversion;
mod convert;
mod copy_limit;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod dtype;
mod error;
mod explain;
mod expression;
pub mod feature;
mod gather;
mod indexed_schema;
mod infer;
mod jagged;
mod leaf;
mod lists;
#[cfg(feature = "ndarray")]
mod ndarray_views;
mod options;
mod packing;
mod padding;
mod plans;
mod proto;
#[cfg(test)]
#[path = "../../../tests/random/config.rs"]
mod random_config;
#[cfg(test)]
#[path = "../../../tests/random/run.rs"]
mod random_run;
mod representation;
mod reverse;
mod rounding;
mod row_splits;
mod same_schema;
mod spec;
mod tensor;
mod transform;
mod values;

pub use adapter::{TensorAdapter, Tensors};
pub use column_path::ColumnPath;
pub use dtype::DType;
pub use error::{ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind};
pub use explain::{Explanation, Sharing, TensorPart};
pub use expression::{ExpressionPlan, KeyExpression, KeyValues};
pub use indexed_schema::IndexedSchema;
pub use infer::{
    Inferred, LeftOut, Representations, SequenceValueTypes, ValueType, infer_representations,
    project_tfmd_schema, representations_from_tfmd, sequence_value_types_from_tfmd, value_types_from_tfmd,
};
pub use jagged::KeyedJagged;
#[cfg(feature = "ndarray")]
pub use ndarray;
#[cfg(feature = "ndarray")]
pub use ndarray_views::Element;
pub use options::{AdapterOptions, Duplicates, InnerNulls};
pub use packing::FirstFit;
pub use padding::{Packed, PadTo, Padding};
pub use representation::{
    DefaultValue, Dense, Partition, Ragged, Representation, SourceMessage, Sparse, Structured, VarLenRagged,
    VarLenSparse,
};
pub use reverse::{TensorsToRecordBatch, TensorsToRecordBatchOptions};
pub use row_splits::{RowSplits, SplitsDType};
pub use spec::{TensorKind, TensorSpec};
pub use tensor::{DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, Tensor};
pub use transform::{Hash, Lookup, Token, Transform, Vocabulary};
pub use values::Values;
