//! Arrow RecordBatches to dense, sparse, ragged and structured tensors, without copies that can be avoided.
//!
//! A [`Representation`] says what a tensor is made of. [`TensorAdapter::try_new`] compiles representations against a
//! schema: what cannot be is an error then. [`TensorAdapter::convert`] makes the tensors of a batch, and checks row by
//! row. Values stay in the batch's memory wherever its layout allows; [`TensorAdapter::explain`] says where.
//!
//! | module | what |
//! |---|---|
//! | `representation` | what a tensor is made of, and its bytes; `proto` has the messages |
//! | `column_path` `column` | names to columns, and to arrays inside of them |
//! | `lists` | all arithmetic on offsets: slices, nulls over stored values, list views |
//! | `leaf` | the values at the end of a path: their type, nulls, defaults |
//! | `aligned` | vectors that begin where frameworks take them without a copy |
//! | `spare` | memory of coordinates that is used again |
//! | `gather` | values put together from stretches: the one place where they are copied |
//! | `convert` | one conversion for each kind of representation |
//! | `infer` | representations that follow from a schema |
//! | `adapter` `options` `plans` | the entry, what can be chosen, and what is compiled by name |
//! | `explain` `same_schema` | what the adapter says of itself, and the batches that it takes |
//! | `expression` | key expressions: text to a plan, a plan and a batch to values |
//! | [`feature`] | tensors of key expressions, with defaults for what is missing |
//! | `either` | an adapter of representations or of features |
//! | `reverse` | tensors back to columns |
//! | `written` | the limit of values that are copied for each row |
//! | `dtype` `values` `row_splits` `tensor` `spec` | what comes out |

mod adapter;
mod aligned;
mod column;
mod column_path;
mod convert;
mod dtype;
mod either;
mod error;
mod explain;
mod expression;
pub mod feature;
mod gather;
mod infer;
mod leaf;
mod lists;
mod options;
mod plans;
mod proto;
mod representation;
mod reverse;
mod row_splits;
mod same_schema;
mod spare;
mod spec;
mod tensor;
mod values;
mod written;

pub use adapter::{TensorAdapter, Tensors};
pub use column_path::ColumnPath;
pub use dtype::DType;
pub use either::Adapter;
pub use error::{ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind};
pub use explain::{Explanation, Part, Sharing};
pub use expression::{ExpressionPlan, KeyExpression, KeyValues};
pub use infer::{
    Representations, SequenceValueTypes, ValueType, infer_representations, project_tfmd_schema,
    representations_from_tfmd, sequence_value_types_from_tfmd, value_types_from_tfmd,
};
pub use options::{AdapterOptions, Duplicates, InnerNulls};
pub use representation::{
    DefaultValue, Dense, Partition, Ragged, Representation, Sparse, Structured, VarLenRagged, VarLenSparse,
};
pub use reverse::{TensorsToRecordBatch, TensorsToRecordBatchOptions};
pub use row_splits::{RowSplits, SplitsDType};
pub use spec::{TensorKind, TensorSpec};
pub use tensor::{DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, Tensor};
pub use values::Values;
