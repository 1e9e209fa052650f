//! TensorFlow ops: one returns the tensors of a dataset batch by batch, and one parses records.
//!
//! The ops use TensorFlow's C API for kernels (`tensorflow/c/kernels.h`, `ops.h`, `tf_tensor.h`). Its functions are looked up
//! when the ops are registered, so nothing is linked, and one binary works with every release that has these functions.
//!
//! ```text
//! graph ──state────> next_batch ─────TensorStream::next────> tensors ──output──> TF_Tensor
//!       ──records──> parse_records ──Parser::parse──────┘        (components, without a copy of aligned numbers)
//! ```

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | topic | files |
// |---|---|
// | interfaces to the producers of tensors, and the errors that TensorFlow reports | `source` |
// | TensorFlow's functions and types | `api`, `status`, `string` |
// | the ops | `op` (their definitions), `next_batch` (the next batch of an iteration), `parse_records` (records to tensors) |
// | common parts of the ops | `kernel` (calls from TensorFlow), `input`, `output` (tensors to components) |

mod api;
mod input;
mod kernel;
mod next_batch;
mod op;
mod output;
mod parse_records;
mod source;
mod status;
mod string;

pub use op::{NEXT_BATCH, PARSE_RECORDS, RegisterError, register};
pub use source::{Code, Failure, Opener, Parser, TensorSource, TensorStream};
