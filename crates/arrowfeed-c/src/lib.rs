//! The C interface of arrowfeed: `include/arrowfeed.h` declares it, and `docs/c.md` shows its use.
//!
//! The functions take options as JSON, yield record batches as `ArrowArrayStream`s and tensors as structs of DLPack. No panic
//! leaves them. Their Rust types are those of the header: a handle is a pointer to a boxed value.

// | module | contents |
// |---|---|
// | `boundary` | arguments from C, results for C, panics |
// | `error` `error_functions` | errors: kind, message, place |
// | `cancel` | cancellation from another thread |
// | `options` | options in JSON |
// | `opened` `stores` | opened files, and the options of their stores |
// | `dataset` | the functions of datasets |
// | `splits` `report` | splits and reports as JSON |
// | `exclusive` | streams, which one thread uses at a time |
// | `exported` `stream` | schemas and record batches as structs of Arrow |
// | `tensors` `tensor_batch` `byte_strings` | iterations over tensors, and their parts as structs of DLPack |
// | `version` | versions of the library and of the interface |

#[cfg(not(any(
    feature = "avro",
    feature = "ipc",
    feature = "parquet",
    feature = "text",
    feature = "tfrecord"
)))]
compile_error!("expected a feature of a format, found none: enable avro, ipc, parquet, text or tfrecord");

mod boundary;
mod byte_strings;
mod cancel;
mod dataset;
mod error;
mod error_functions;
mod exclusive;
mod exported;
mod opened;
mod options;
mod report;
mod splits;
mod stores;
mod stream;
mod tensor_batch;
mod tensors;
mod version;

pub use boundary::{NUL_TERMINATED, arrowfeed_string_free};
pub use cancel::*;
pub use dataset::*;
pub use error::{Error, ErrorKind};
pub use error_functions::*;
pub use stream::{
    arrowfeed_stream_error, arrowfeed_stream_load_state, arrowfeed_stream_report, arrowfeed_stream_state,
};
pub use tensor_batch::*;
pub use tensors::*;
pub use version::{ABI_VERSION, arrowfeed_abi_version, arrowfeed_version};

/// The header allows several threads to use a dataset, an error and a cancel handle, and any thread to use the other objects.
const _: () = {
    const fn used_by_threads<T: Send + Sync>() {}
    used_by_threads::<Cancel>();
    used_by_threads::<Dataset>();
    used_by_threads::<Error>();
    used_by_threads::<TensorBatch>();
    used_by_threads::<TensorStream>();
    used_by_threads::<stream::Stream>();
};
