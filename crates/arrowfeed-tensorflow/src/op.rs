//! The definitions of the ops, and their registration.
//!
//! Unsafe: builders are given names that end with a zero, and are not used after their registration.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::OnceLock;

use thiserror::Error;

use crate::api::{Api, ShapeInferenceContext, Status as RawStatus};
use crate::feed::{Failure, Open};
use crate::kernel::{self, Kernel};
use crate::next_batch::NextBatch;
use crate::parse_records::ParseRecords;
use crate::status::Status;

/// The name of the op that gives the next batch of an iteration.
///
/// Inputs: `state`, a string, empty for the start of an iteration, or what the op gave as `next_state`; `key`, under which a process
/// may hold the source; `config`, which describes it. Outputs: `next_state`, and
/// the components of the tensors in the order of their names: of a dense tensor its values; of a sparse one its indices,
/// values and dense shape; of a ragged one its flat values and row splits; of a structured one those of its fields, in the
/// order of their names. After the last batch the op fails with `OUT_OF_RANGE`.
///
/// Attribute: `output_types`. The source is no attribute, so that all datasets of the same types have one function of TensorFlow, which
/// lives as long as the process.
pub const NEXT_BATCH: &str = "ArrowfeedNextBatch";

/// The name of the op that parses records.
///
/// Input `records`: a vector of strings. Outputs: the components of the tensors, as of [`NEXT_BATCH`]. Attributes: `config`, which
/// describes the parser; `output_types`.
pub const PARSE_RECORDS: &str = "ArrowfeedParseRecords";

/// TensorFlow has no such ops.
#[derive(Debug, Error)]
pub enum RegisterError {
    /// The library is not there, or has not the functions.
    #[error("expected TensorFlow's C API for kernels: {0}")]
    Library(#[from] libloading::Error),
    /// TensorFlow refused an op.
    #[error("expected TensorFlow to take the ops of arrowfeed: {0}")]
    Refused(String),
}

/// What the kernels use.
pub(crate) struct Registered {
    pub(crate) api: Api,
    pub(crate) open: Box<dyn Open>,
}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// Registers the ops in the TensorFlow of this process, once; later calls do nothing.
///
/// `library` is the path of `libtensorflow_framework`, which TensorFlow has loaded. `open` finds what the attributes of the ops describe.
///
/// # Errors
/// The library has not the functions, or refuses an op.
pub fn register(library: &Path, open: Box<dyn Open>) -> Result<(), RegisterError> {
    if REGISTERED.get().is_some() {
        return Ok(());
    }
    let api = Api::load(library)?;
    // Two threads at once: the first one registers.
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
    // SAFETY: see above.
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

/// The caller of the op knows the shapes.
unsafe extern "C" fn unknown_shapes(context: *mut ShapeInferenceContext, status: *mut RawStatus) {
    if let Some(registered) = registered() {
        // SAFETY: TensorFlow gives both for this call.
        unsafe { (registered.api.set_unknown_shape)(context, status) }
    }
}
