//! Definitions of the ops, and their registration.
//!
//! Unsafe: builders get NUL-terminated names, and are not used after their registration.
#![expect(unsafe_code, reason = "registers the ops through that API")]
#![expect(
    clippy::disallowed_types,
    reason = "the functions of TensorFlow; set once, and read only when TensorFlow calls an op"
)]

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::OnceLock;

use thiserror::Error;

use crate::api::{Api, ShapeInferenceContext, Status as RawStatus};
use crate::kernel::{self, Kernel};
use crate::next_batch::NextBatch;
use crate::parse_records::ParseRecords;
use crate::source::{Failure, Opener};
use crate::status::Status;

/// The name of the op that returns the next batch of an iteration.
///
/// Inputs:
/// - `state`: a string, empty at the start of an iteration, then the last `next_state`;
/// - `key`: the key under which the process may have the source;
/// - `config`: the description of the source.
///
/// Outputs: `next_state`, and the components of the tensors in the order of their names. The components are the values of a
/// dense tensor; the indices, values and dense shape of a sparse tensor; the flat values and row splits of a ragged tensor;
/// and those of the fields of a structured tensor, in the order of their names. After the last batch the op fails with
/// `OUT_OF_RANGE`.
///
/// Attribute: `output_types`. The source is not an attribute, so that all datasets with the same types share one TensorFlow
/// function, which lives as long as the process.
pub const NEXT_BATCH: &str = "ArrowfeedNextBatch";

/// The name of the op that parses records.
///
/// Input: `records`, a vector of strings. Outputs: the components of the tensors, as for [`NEXT_BATCH`]. Attributes: `config`,
/// the description of the parser, and `output_types`.
pub const PARSE_RECORDS: &str = "ArrowfeedParseRecords";

/// The ops cannot be registered in TensorFlow.
#[derive(Debug, Error)]
pub enum RegisterError {
    /// The library does not exist or lacks the functions.
    #[error("expected TensorFlow's C API for kernels: {0}")]
    Library(#[from] libloading::Error),
    /// TensorFlow rejected an op.
    #[error("expected TensorFlow to register the ops of arrowfeed: {0}")]
    Refused(String),
}

/// The state that all kernels share.
pub(crate) struct Registered {
    pub(crate) api: Api,
    pub(crate) open: Box<dyn Opener>,
}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// Registers the ops in the TensorFlow of this process, once; later calls do nothing.
///
/// `library` is the path of `libtensorflow_framework`, which TensorFlow has loaded. `open` opens the sources and parsers that
/// the ops describe.
///
/// # Errors
/// The library lacks the functions or rejects an op.
pub fn register(library: &Path, open: Box<dyn Opener>) -> Result<(), RegisterError> {
    if REGISTERED.get().is_some() {
        return Ok(());
    }
    let api = Api::load(library)?;
    // If two threads call at once, the first one registers.
    let mut result = Ok(());
    REGISTERED.get_or_init(|| {
        let registered = Registered { api, open };
        result = define(&registered.api);
        registered
    });
    result.map_err(|failure| RegisterError::Refused(failure.message))
}

pub(crate) fn registered() -> Option<&'static Registered> {
    REGISTERED.get()
}

fn define(api: &Api) -> Result<(), Failure> {
    let inputs = [c"state: string", c"key: string", c"config: string"];
    define_op::<NextBatch>(api, NEXT_BATCH, &inputs, &[c"next_state: string", COMPONENTS], &[TYPES])?;
    let attrs = [c"config: string", TYPES];
    define_op::<ParseRecords>(api, PARSE_RECORDS, &[c"records: string"], &[COMPONENTS], &attrs)
}

const TYPES: &CStr = c"output_types: list(type) >= 1";
const COMPONENTS: &CStr = c"components: output_types";

fn define_op<K: Kernel>(
    api: &Api,
    name: &str,
    inputs: &[&CStr],
    outputs: &[&CStr],
    attrs: &[&CStr],
) -> Result<(), Failure> {
    let name = CString::new(name).unwrap_or_default();
    let status = Status::new(api);
    // SAFETY: the names are NUL-terminated, and no builder is used after its registration.
    unsafe {
        let op = (api.new_op_definition_builder)(name.as_ptr());
        for input in inputs {
            (api.add_input)(op, input.as_ptr());
        }
        for output in outputs {
            (api.add_output)(op, output.as_ptr());
        }
        for attr in attrs {
            (api.add_attr)(op, attr.as_ptr());
        }
        (api.set_shape_function)(op, unknown_shapes);
        (api.register_op)(op, status.as_ptr());
        status.check()?;
        let kernel = (api.new_kernel_builder)(
            name.as_ptr(),
            c"CPU".as_ptr(),
            Some(kernel::create::<K>),
            kernel::compute::<K>,
            Some(kernel::delete::<K>),
        );
        (api.register_kernel)(name.as_ptr(), kernel, status.as_ptr());
    }
    status.check()
}

/// Declares the shapes of the outputs unknown. The caller of the op knows them.
unsafe extern "C" fn unknown_shapes(context: *mut ShapeInferenceContext, status: *mut RawStatus) {
    if let Some(registered) = registered() {
        // SAFETY: TensorFlow passes both for this call.
        unsafe { (registered.api.set_unknown_shape)(context, status) }
    }
}
