//! An op of TensorFlow that gives the tensors of a dataset, batch after batch.
//!
//! The op is written against TensorFlow's C API for kernels (`tensorflow/c/kernels.h`, `ops.h`, `tf_tensor.h`), whose functions
//! are looked up when it is registered: nothing is linked, and one binary works with every release that has them.
//!
//! ```text
//! graph ──state──> kernel ──Feed::next──> tensors ──output──> TF_Tensor
//!          (which iteration goes on)            (components, without a copy of aligned numbers)
//! ```
//!
//! | topic | files |
//! |---|---|
//! | what gives tensors | `feed` |
//! | TensorFlow's functions and types | `api`, `status`, `string` |
//! | the op | `op` (its definition), `kernel` (its state and its step), `output` (tensors to components) |

mod api;
mod feed;
mod kernel;
mod op;
mod output;
mod status;
mod string;

pub use feed::{Code, Failure, Feed, Open, Source};
pub use op::{NAME, RegisterError, register};
