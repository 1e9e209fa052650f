//! Ops of TensorFlow: one gives the tensors of a dataset, batch after batch; one parses records.
//!
//! The ops are written against TensorFlow's C API for kernels (`tensorflow/c/kernels.h`, `ops.h`, `tf_tensor.h`), whose functions
//! are looked up when they are registered: nothing is linked, and one binary works with every release that has them.
//!
//! ```text
//! graph ──state────> next_batch ─────Feed::next────> tensors ──output──> TF_Tensor
//!       ──records──> parse_records ──Parser::parse──────┘        (components, without a copy of aligned numbers)
//! ```
//!
//! | topic | files |
//! |---|---|
//! | what gives tensors | `feed` |
//! | TensorFlow's functions and types | `api`, `status`, `string` |
//! | the ops | `op` (their definitions), `next_batch`, `parse_records` |
//! | what they have in common | `kernel` (calls of TensorFlow), `input`, `output` (tensors to components) |

mod api;
mod feed;
mod input;
mod kernel;
mod next_batch;
mod op;
mod output;
mod parse_records;
mod status;
mod string;

pub use feed::{Code, Failure, Feed, Open, Parser, Source};
pub use op::{NEXT_BATCH, PARSE_RECORDS, RegisterError, register};
