//! The structs of `dlpack.h`, and their owner.
//!
//! Unsafe: an owner reads a struct through a pointer, and calls its deleter. It exists only for structs that this crate has made,
//! and for those that a caller of [`Managed::from_raw`] has vouched for. It calls the deleter once, when it is dropped; after
//! [`Managed::into_raw`], the receiver of the pointer does.
#![expect(unsafe_code, reason = "owns structs of other libraries through raw pointers")]

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;

/// The memory of the CPU.
pub const CPU: Device = Device { device_type: 1, device_id: 0 };

/// Bits of [`VersionedTensor::flags`].
pub mod flags {
    /// The consumer must not write to the memory.
    pub const READ_ONLY: u64 = 1;
    /// The producer has copied the memory for this struct.
    pub const IS_COPIED: u64 = 1 << 1;
}

/// `DLDevice`.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct Device {
    pub device_type: i32,
    pub device_id: i32,
}

/// `DLDataType`.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct DataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// `DLTensor`.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct RawTensor {
    pub data: *mut c_void,
    pub device: Device,
    pub ndim: i32,
    pub dtype: DataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// `DLPackVersion`.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

/// `DLManagedTensor`, the form before version 1, which has no flags.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct LegacyTensor {
    pub tensor: RawTensor,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "fields of dlpack.h")]
pub struct VersionedTensor {
    pub version: Version,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
    pub flags: u64,
    pub tensor: RawTensor,
}

impl Version {
    /// The version of the structs of this module.
    pub const OF_THIS_CRATE: Self = Self { major: 1, minor: 0 };
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::LegacyTensor {}
    impl Sealed for super::VersionedTensor {}
}

/// The two forms of structs: [`VersionedTensor`] and [`LegacyTensor`].
///
/// [`dlpack`](crate::dlpack) has an example.
pub trait Form: sealed::Sealed + RefUnwindSafe + Sized + 'static {
    #[doc(hidden)]
    fn new(tensor: RawTensor, deleter: unsafe extern "C" fn(*mut Self), flags: u64) -> Self;

    #[doc(hidden)]
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;

    /// The version that the struct states, if it has one. If its major number is not 1, only the deleter has a meaning.
    fn version(&self) -> Option<Version>;

    /// The tensor, whose meaning depends on the version.
    fn tensor(&self) -> &RawTensor;
}

impl Form for LegacyTensor {
    fn new(tensor: RawTensor, deleter: unsafe extern "C" fn(*mut Self), _: u64) -> Self {
        Self { tensor, manager_ctx: std::ptr::null_mut(), deleter: Some(deleter) }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn version(&self) -> Option<Version> {
        None
    }

    fn tensor(&self) -> &RawTensor {
        &self.tensor
    }
}

impl Form for VersionedTensor {
    fn new(tensor: RawTensor, deleter: unsafe extern "C" fn(*mut Self), flags: u64) -> Self {
        let (version, manager_ctx) = (Version::OF_THIS_CRATE, std::ptr::null_mut());
        Self { version, manager_ctx, deleter: Some(deleter), flags, tensor }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn version(&self) -> Option<Version> {
        Some(self.version)
    }

    fn tensor(&self) -> &RawTensor {
        &self.tensor
    }
}

/// The owner of a struct, which frees it through its deleter when it is dropped.
///
/// [`dlpack`](crate::dlpack) has an example.
pub struct Managed<F: Form>(NonNull<F>);

// SAFETY: a struct has one owner. DLPack allows its deleter to be called in any thread, and those who vouch for a struct in
// `from_raw` promise it.
unsafe impl<F: Form> Send for Managed<F> {}
// SAFETY: a shared owner gives only shared access to numbers and pointers, which do not change.
unsafe impl<F: Form> Sync for Managed<F> {}

impl<F: Form> Managed<F> {
    /// Takes a struct over. `None`: the pointer is null.
    ///
    /// # Safety
    /// The pointer is null, or points to a struct that has no other owner, whose deleter may be called in any thread, and that
    /// stays valid until then. If its version is 1 and its device is the CPU: if `ndim` is positive, `shape` and `strides` are
    /// null or point to `ndim` numbers. If the shape has elements, `data` is null or points to them after `byte_offset` bytes,
    /// and no code writes to them until the deleter is called. The values of all numbers may be arbitrary.
    pub unsafe fn from_raw(managed: *mut F) -> Option<Self> {
        NonNull::new(managed).map(Self)
    }

    /// # Safety
    /// As [`from_raw`](Self::from_raw).
    pub(super) unsafe fn of(managed: NonNull<F>) -> Self {
        Self(managed)
    }

    /// Hands the struct over to a consumer, which must call its deleter.
    pub fn into_raw(self) -> *mut F {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// The struct.
    pub fn get(&self) -> &F {
        // SAFETY: the struct is valid while it has this owner.
        unsafe { self.0.as_ref() }
    }
}

impl<F: Form> Drop for Managed<F> {
    fn drop(&mut self) {
        if let Some(deleter) = self.get().deleter() {
            // SAFETY: this owner is the only one, and ends here.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

impl<F: Form> fmt::Debug for Managed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Managed").field("version", &self.get().version()).finish_non_exhaustive()
    }
}
