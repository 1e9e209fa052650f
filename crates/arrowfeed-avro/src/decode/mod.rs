//! The fast decoder: decodes the bytes of a block into columns, and columns into a RecordBatch.
//!
//! ```text
//! plan::Node ──build──> Body { [Op, Op, ...], Shape } ──run──> columns ──finish──> ArrayRef
//! ```
//! An [`op::Op`] is one step over the encoded data together with the column that it fills. The ops of a record
//! form one flat list, including those of nested records. Only arrays, maps, unions and nullable types without a
//! fused form have a body of their own. The hot loop is [`body::Body::run`]: one match per value, or one match
//! per run in a body with a single op.
//!
//! | file | contents |
//! |---|---|
//! | `op` | all kinds of ops, in one list |
//! | `build` | compiles the plan to ops |
//! | `body` | runs the ops and combines their arrays |
//! | `leaf` | operations of leaf columns; the fused nullable leaf |
//! | `number` `time` `bytes` `fixed` `decimal` `enumeration` | leaf columns |
//! | `varint_run` | neighbouring columns of nullable ints or longs, which are read together |
//! | `list` `optional` `union` | columns with a body |
//! | `converted` `json` | unions that become structs or JSON text |
//! | `skipper` | values that are skipped, or kept as their bytes |
//! | `constant` | defaults of a reader schema |
//! | `column_builder` | operations of all columns: pad, mark, roll back, finish |
//! | `validity` `assemble` | conversion of flags to bits, and of buffers to arrays |
//! | `context` | budgets that all columns share |
//! | `rows` | a body with the budgets of its batch |
//! | `selector` | finds the records that pass a predicate |
//! | `batcher` | decodes the rows of blocks into batches |

mod assemble;
pub(crate) mod batcher;
pub(crate) mod body;
mod build;
mod bytes;
mod column_builder;
mod constant;
mod context;
mod converted;
pub(crate) mod decimal;
mod enumeration;
pub(crate) mod fixed;
mod json;
mod leaf;
mod list;
mod number;
mod op;
mod optional;
mod rows;
pub(crate) mod selector;
mod skipper;
mod time;
mod union;
mod validity;
mod varint_run;

pub(crate) use constant::counted_bytes;
