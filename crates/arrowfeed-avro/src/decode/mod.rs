//! The fast decoder: bytes of a block into columns, columns into a RecordBatch.
//!
//! ```text
//! plan::Node ──build──> Body { [Op, Op, ...], Shape } ──run──> columns ──finish──> ArrayRef
//! ```
//! An [`op::Op`] is one step over the wire together with the column that it fills; the ops of a record stand in
//! one flat list, nested records included. Only arrays, maps, unions and optional records have a body of their
//! own. The hot loop is [`body::Body::run`]: one match a value, and one a run where a body has a single op.
//!
//! | file | what |
//! |---|---|
//! | `op` | all kinds, in one list |
//! | `build` | plan to ops |
//! | `body` | run the ops, put their arrays together |
//! | `leaf` | what a column without parts can do; the fused nullable |
//! | `number` `time` `bytes` `fixed` `decimal` `enumeration` | columns without parts |
//! | `list` `optional` `union` | columns with a body |
//! | `skipper` | values that nobody reads, or that are kept as their bytes |
//! | `constant` | defaults of a reader's schema |
//! | `fill` | what every column can do: pad, mark, roll back, finish |
//! | `validity` `assemble` | flags to bits; buffers to arrays |
//! | `context` | budgets shared by all columns |
//! | `rows` | a body with the budgets of its batch |
//! | `batcher` | rows of blocks into batches |

mod assemble;
pub(crate) mod batcher;
pub(crate) mod body;
mod build;
mod bytes;
mod constant;
mod context;
pub(crate) mod decimal;
mod enumeration;
mod fill;
pub(crate) mod fixed;
mod leaf;
mod list;
mod number;
mod op;
mod optional;
mod rows;
mod skipper;
mod time;
mod union;
mod validity;
