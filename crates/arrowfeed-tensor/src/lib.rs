//! Converts Arrow RecordBatches to dense, sparse, ragged and structured tensors, zero-copy wherever the layout allows it.
//!
//! | to | use |
//! |---|---|
//! | make tensors of columns | [`TensorAdapter::try_new`] with a [`Representation`] for each tensor |
//! | make tensors of keys, with truncation, padding and defaults | [`TensorAdapter::from_features`] with a [`feature::Feature`] for each |
//! | find representations for a schema | [`infer_representations`] |
//! | convert values: ids, buckets, crosses, casts | [`Transform`] |
//! | pad ragged tensors, or pack them into sequences | [`Padding`], [`PadTo`] |
//! | see which memory is shared, and why another is copied | [`TensorAdapter::explain`] |
//! | make batches of tensors | [`TensorsToRecordBatch`] |
//! | hand tensors to other libraries | `dlpack` and `ndarray`, Cargo features |
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::types::{Float64Type, Int64Type};
//! use arrow_array::{Array, Float64Array, ListArray, RecordBatch};
//! use arrowfeed_tensor::{Dense, PadTo, Padding, Representation, TensorAdapter, VarLenRagged};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let prices = Float64Array::from(vec![0.5, 2.0]);
//! let tags = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), Some(vec![])]);
//! let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as Arc<dyn Array>), ("tags", Arc::new(tags))])?;
//!
//! let price = Dense { column: "price".into(), ..Default::default() };
//! let padding = Padding { to: PadTo::Length(3), ..Default::default() };
//! let tags = VarLenRagged { column: "tags".into(), padding: Some(padding), ..Default::default() };
//! let tensors = [("price", Representation::Dense(price)), ("tags", Representation::VarLenRagged(tags))];
//! let adapter = TensorAdapter::try_new(batch.schema(), tensors)?;
//! let tensors = adapter.convert(&batch)?;
//! let (price, tags) = (tensors.dense("price")?, tensors.dense("tags")?);
//! assert_eq!(price.values().as_primitive::<Float64Type>().unwrap()[..], [0.5, 2.0]);
//! assert_eq!(tags.shape(), [2, 3]);
//! assert_eq!(tags.values().as_primitive::<Int64Type>().unwrap()[..], [7, 8, 0, 0, 0, 0]);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Representation`] describes a tensor. [`TensorAdapter::try_new`] compiles representations against a schema, and
//! rejects those that the schema does not allow. [`TensorAdapter::from_features`] does the same for key expressions.
//! [`TensorAdapter::convert`] makes the tensors of a batch, and checks each row. Values stay in the batch's memory wherever
//! its layout allows; [`TensorAdapter::explain`] says where.

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | contents |
// |---|---|
// | `representation` `proto` | definitions of tensors; the messages that store them |
// | `column_path` `column` | paths to columns, and to arrays inside them |
// | `indexed_schema` | lookup of fields by name |
// | `lists` | all arithmetic on offsets: slices, null lists over stored values, list views |
// | `leaf` | the values at the end of a path: types, nulls, defaults |
// | `transform` | new values from the values of a leaf: ids, buckets, limits, crosses |
// | `cast` | values converted to another type of numbers |
// | `rounding` | the floats nearest to numbers of wider types |
// | `aligned` | vectors with the alignment that frameworks need for zero-copy tensors |
// | `buffer_pool` | the buffer pool for coordinates, whose memory is reused |
// | `gather` | values assembled from ranges of an array; the only module that copies values |
// | `padding` `packing` `jagged` | ragged tensors as padded and packed rows and masks, as lengths and segment numbers, and several of them in one |
// | `conversion` `convert` | what tensors are compiled to, and one conversion for each kind of representation |
// | `infer` | representations derived from a schema |
// | `adapter` `options` `plans` | the entry point, its options, and compiled plans by tensor name |
// | `explain` `same_schema` | reports on shared and copied memory, and the check of a batch's schema |
// | `expression` | key expressions: parsed, compiled to plans, and evaluated on batches |
// | `feature` | tensors of key expressions: conversions, truncation, defaults, padding, sparse indices |
// | `reverse` | tensors back to columns |
// | `copy_limit` | the limit on copies of values that several rows share |
// | `dlpack` | tensors whose memory is shared with other libraries; needs the feature of this name |
// | `ndarray_views` | tensors as arrays of the crate `ndarray`, and back; needs the feature of this name |
// | `dtype` `values` `row_splits` `tensor` `tensors` `spec` | the resulting tensors, by name, and their parts |
// | `error` | the errors |

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
mod tensors;
mod transform;
mod values;

pub use adapter::TensorAdapter;
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
pub use tensors::Tensors;
pub use transform::{Hash, Lookup, Token, Transform, Vocabulary};
pub use values::Values;
