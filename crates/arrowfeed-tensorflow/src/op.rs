//! The definition of the op, and its registration.
//!
//! Unsafe: builders are given names that end with a zero, and are not used after their registration.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::OnceLock;

use thiserror::Error;

use crate::api::{Api, ShapeInferenceContext, Status as RawStatus};
use crate::feed::{Failure, Open};
use crate::kernel;
use crate::status::Status;

/// The name of the op.
///
/// Input `state`: a string, empty for the start of an iteration, or what the op gave as `next_state`. Outputs: `next_state`, and
/// the components of the tensors in the order of their names: of a dense tensor its values; of a sparse one its indices,
/// values and dense shape; of a ragged one its flat values and row splits; of a structured one those of its fields, in the
/// order of their names. After the last batch the op fails with `OUT_OF_RANGE`.
///
/// Attributes: `key`, under which a process may hold the feed; `config`, which describes it; `output_types`.
pub const NAME: &str = "ArrowfeedNextBatch";

/// TensorFlow has no such op.
#[derive(Debug, Error)]
pub enum RegisterError {
    /// The library is not there, or has not the functions.
    #[error("expected TensorFlow's C API for kernels: {0}")]
    Library(#[from] libloading::Error),
    /// TensorFlow refused the op.
    #[error("expected TensorFlow to take the op {NAME}: {0}")]
    Refused(String),
}

/// What the kernels use.
pub(crate) struct Registered {
    pub(crate) api: Api,
    pub(crate) open: Box<Open>,
}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// Registers the op in the TensorFlow of this process, once; later calls do nothing.
///
/// `library` is the path of `libtensorflow_framework`, which TensorFlow has loaded. `open` starts the iterations.
///
/// # Errors
/// The library has not the functions, or refuses the op.
pub fn register(library: &Path, open: Box<Open>) -> Result<(), RegisterError> {
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
    let name = CString::new(NAME).unwrap_or_default();
    let status = Status::new(api);
    // SAFETY: see above.
    unsafe {
        let op = (api.new_op_definition_builder)(name.as_ptr());
        (api.add_input)(op, c"state: string".as_ptr());
        (api.add_output)(op, c"next_state: string".as_ptr());
        (api.add_output)(op, c"components: output_types".as_ptr());
        for attr in [c"key: string", c"config: string", c"output_types: list(type) >= 1"] {
            (api.add_attr)(op, CStr::as_ptr(attr));
        }
        (api.set_shape_function)(op, unknown_shapes);
        (api.register_op)(op, status.as_ptr());
        status.check()?;
        let kernel = (api.new_kernel_builder)(
            name.as_ptr(),
            c"CPU".as_ptr(),
            Some(kernel::create),
            kernel::compute,
            Some(kernel::delete),
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
