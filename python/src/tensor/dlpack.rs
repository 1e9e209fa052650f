//! DLPack capsules, which share memory with frameworks without a copy. The structs are those of `dlpack.h`, version 1.
//!
//! Unsafe: a capsule contains a raw pointer, which the consumer frees through a function of this module. One argument covers
//! all blocks. Each tensor is a boxed [`ManagedTensor`]. The pointer in the capsule points to its first field, and thus to the box.
//! There is always exactly one owner: the capsule, until a consumer renames it (as the protocol of the array API requires),
//! and then the consumer. The owner calls the deleter once, which drops the box. Consumers may call it in any thread without
//! the interpreter, because the box contains only Arrow bytes and numbers, and no Python object.
#![expect(
    unsafe_code,
    reason = "passes raw pointers in capsules, whose consumers free them through a function of arrowfeed"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};

use arrow_buffer::Buffer;
use arrowfeed::tensor::DType;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::memory::Memory;
use crate::argument::{found, wrong_type};

/// CPU memory, device 0.
pub(super) const CPU: (i32, i32) = (1, 0);

const VERSION: Version = Version { major: 1, minor: 0 };
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 1 << 1;

#[repr(C)]
struct Device {
    device_type: i32,
    device_id: i32,
}

#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    dimensions: i32,
    data_type: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Version {
    major: u32,
    minor: u32,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Legacy {
    tensor: Tensor,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    version: Version,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
    flags: u64,
    tensor: Tensor,
}

/// The managed tensor, and the data that its pointers point to. Neither changes before the box is dropped.
#[repr(C)]
struct ManagedTensor<M> {
    managed: M,
    _buffer: Buffer,
    _sizes: Vec<i64>,
}

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
    if request.versioned {
        let flags = if copied { IS_COPIED } else { READ_ONLY };
        hand_on(py, memory, |tensor| Versioned {
            version: VERSION,
            manager: ptr::null_mut(),
            deleter: Some(delete::<Versioned>),
            flags,
            tensor,
        })
    } else {
        // The old form has no read-only flag.
        hand_on(py, memory, |tensor| Legacy {
            tensor,
            manager: ptr::null_mut(),
            deleter: Some(delete::<Legacy>),
        })
    }
}

/// The two forms, and the names of their capsules before a consumer takes them.
trait Managed {
    const NAME: &'static CStr;
}

impl Managed for Legacy {
    const NAME: &'static CStr = c"dltensor";
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
}

fn hand_on<'py, M: Managed>(
    py: Python<'py>,
    memory: Memory,
    managed: impl FnOnce(Tensor) -> M,
) -> PyResult<Bound<'py, PyCapsule>> {
    let rank = memory.shape.len();
    let dimensions = i32::try_from(rank).map_err(|_| PyBufferError::new_err("too many dimensions"))?;
    let mut sizes = shape_and_strides(&memory.shape);
    let (shape, strides) = sizes.split_at_mut(rank);
    let tensor = Tensor {
        data: memory.buffer.as_ptr().cast_mut().cast(),
        device: Device { device_type: CPU.0, device_id: CPU.1 },
        dimensions,
        data_type: data_type(memory.dtype),
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let handed = Box::new(ManagedTensor { managed: managed(tensor), _buffer: memory.buffer, _sizes: sizes });
    let pointer: NonNull<ManagedTensor<M>> = NonNull::from(Box::leak(handed));
    // SAFETY: the pointer is that of a box without another owner. `drop_capsule` checks for `M::NAME`, so it drops the box
    // if no consumer has taken the capsule.
    let capsule = unsafe {
        PyCapsule::new_with_pointer_and_destructor(py, pointer.cast(), M::NAME, Some(drop_capsule::<M>))
    };
    if capsule.is_err() {
        // SAFETY: there is no capsule, so this function is the only owner of the box.
        unsafe { delete::<M>(pointer.as_ptr().cast()) };
    }
    capsule
}

/// Drops the box of [`hand_on`]. The owner of the pointer calls it once, in any thread.
unsafe extern "C" fn delete<M>(managed: *mut M) {
    if managed.is_null() {
        return;
    }
    // SAFETY: the pointer points to the first field of a `ManagedTensor<M>`, which is `repr(C)` and was boxed by `hand_on`. The
    // owner calls this function once.
    drop(unsafe { Box::from_raw(managed.cast::<ManagedTensor<M>>()) });
}

/// The destructor of a capsule, which frees the tensor if no consumer has taken it.
unsafe extern "C" fn drop_capsule<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this function with the capsule while attached. A capsule with this name was created by `hand_on`
    // and not taken, because a consumer renames it. `PyCapsule_GetPointer` cannot fail after `PyCapsule_IsValid` with the
    // same name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) == 1 {
            delete::<M>(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast());
        }
    }
}

/// Returns the sizes, followed by the strides in elements.
fn shape_and_strides(shape: &[usize]) -> Vec<i64> {
    let mut step = 1_i64;
    let mut strides: Vec<i64> = Vec::with_capacity(shape.len());
    for size in shape.iter().rev() {
        strides.push(step);
        // The sizes of a tensor without values are arbitrary, and its strides are never used.
        step = step.saturating_mul((*size).max(1) as i64);
    }
    shape.iter().map(|size| *size as i64).chain(strides.into_iter().rev()).collect()
}

fn data_type(dtype: DType) -> DataType {
    const INT: u8 = 0;
    const UINT: u8 = 1;
    const FLOAT: u8 = 2;
    const BOOL: u8 = 6;
    let code = match dtype {
        DType::Bool => BOOL,
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => UINT,
        dtype if dtype.is_floating() => FLOAT,
        _ => INT,
    };
    DataType { code, bits: dtype.size().unwrap_or_default() as u8 * 8, lanes: 1 }
}
