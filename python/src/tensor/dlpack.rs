//! DLPack capsules, which share memory with frameworks without a copy. `arrowfeed::tensor::dlpack` has the structs.
//!
//! Unsafe: a capsule contains a raw pointer to a struct of an [`Export`]. There is always exactly one owner: the capsule, until a
//! consumer renames it (as the protocol of the array API requires), and then the consumer. The owner frees the struct once.
//! Consumers may do it in any thread without the interpreter, because the struct has no Python object.
#![expect(unsafe_code, reason = "passes raw pointers in capsules, whose consumers free them")]

use std::ffi::CStr;
use std::ptr::NonNull;

use arrowfeed::tensor::dlpack::{self, Export, Form, LegacyTensor, Managed, VersionedTensor};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::memory::Memory;
use crate::argument::{found, wrong_type};

/// CPU memory, device 0.
pub(super) const CPU: (i32, i32) = (dlpack::CPU.device_type, dlpack::CPU.device_id);

/// The request of a consumer.
pub(super) struct Request {
    pub(super) versioned: bool,
}

impl Request {
    /// Parses the arguments of `__dlpack__`, as defined by the array API standard.
    pub(super) fn new(
        stream: Option<&Bound<'_, PyAny>>,
        max_version: Option<&Bound<'_, PyAny>>,
        dl_device: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(stream) = stream {
            let message = format!("stream: expected None for CPU memory, found {}", found(stream));
            return Err(PyTypeError::new_err(message));
        }
        if let Some(value) = dl_device {
            // Other libraries pass devices as integer enumerations.
            let device = value.extract::<(i32, i32)>();
            if device.map_err(|_| wrong_type("dl_device", "a tuple of two integers", value))? != CPU {
                let message = format!("dl_device: expected (1, 0), the CPU, found {}", found(value));
                return Err(PyBufferError::new_err(message));
            }
        }
        let versioned = match max_version {
            None => false,
            Some(value) => {
                let version = value.extract::<(u32, u32)>();
                version.map_err(|_| wrong_type("max_version", "a tuple of two integers", value))?.0 >= 1
            }
        };
        Ok(Self { versioned })
    }
}

/// Creates a capsule that owns the memory until a consumer takes it.
pub(super) fn capsule<'py>(
    py: Python<'py>,
    memory: Memory,
    request: &Request,
    copied: bool,
) -> PyResult<Bound<'py, PyCapsule>> {
    let export = Export::new(memory.buffer, memory.dtype, &memory.shape);
    let export = export.map_err(|error| PyBufferError::new_err(error.to_string()))?;
    let export = if copied { export.copied() } else { export };
    match request.versioned {
        true => hand_on(py, export.into_managed::<VersionedTensor>()),
        // The old form has no read-only flag.
        false => hand_on(py, export.into_managed::<LegacyTensor>()),
    }
}

/// The names of the capsules of the two forms before a consumer takes them.
trait Capsule: Form {
    const NAME: &'static CStr;
}

impl Capsule for LegacyTensor {
    const NAME: &'static CStr = c"dltensor";
}

impl Capsule for VersionedTensor {
    const NAME: &'static CStr = c"dltensor_versioned";
}

fn hand_on<F: Capsule>(py: Python<'_>, managed: Managed<F>) -> PyResult<Bound<'_, PyCapsule>> {
    let pointer = managed.into_raw();
    let Some(given) = NonNull::new(pointer) else {
        return Err(PyBufferError::new_err("expected a tensor, found a null pointer"));
    };
    // SAFETY: the pointer has no other owner. `drop_capsule` checks for `F::NAME`, so it drops the tensor if no consumer has
    // taken the capsule.
    let capsule = unsafe {
        PyCapsule::new_with_pointer_and_destructor(py, given.cast(), F::NAME, Some(drop_capsule::<F>))
    };
    if capsule.is_err() {
        // SAFETY: there is no capsule, so this function is the only owner of the tensor.
        drop(unsafe { Managed::from_raw(pointer) });
    }
    capsule
}

/// The destructor of a capsule, which frees the tensor if no consumer has taken it.
unsafe extern "C" fn drop_capsule<F: Capsule>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this function with the capsule while attached. A capsule with this name was created by `hand_on`
    // and not taken, because a consumer renames it. `PyCapsule_GetPointer` cannot fail after `PyCapsule_IsValid` with the
    // same name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, F::NAME.as_ptr()) == 1 {
            let pointer = ffi::PyCapsule_GetPointer(capsule, F::NAME.as_ptr());
            drop(Managed::from_raw(pointer.cast::<F>()));
        }
    }
}
