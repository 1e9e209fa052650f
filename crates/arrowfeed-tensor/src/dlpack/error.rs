//! Errors of tensors of DLPack.

use std::fmt;

/// The kind of an error.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DlpackErrorKind {
    /// The struct has another major version.
    Version,
    /// The memory is not that of the CPU.
    Device,
    /// The other side has no such type of values.
    Type,
    /// The shape is negative, too large, or does not fit the memory.
    Shape,
    /// The elements are not in row-major order.
    Strides,
    /// A pointer is null, or an offset leaves the address space.
    Pointer,
    /// There is too little memory for a copy.
    Memory,
}

/// A tensor that cannot be handed over or imported.
///
/// [`dlpack`](crate::dlpack) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DlpackError {
    kind: DlpackErrorKind,
    message: String,
}

impl DlpackError {
    #[cold]
    pub(super) fn new(kind: DlpackErrorKind, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { kind, message: format!("expected {expected}, found {found}") }
    }

    /// The kind of the error.
    pub fn kind(&self) -> DlpackErrorKind {
        self.kind
    }
}

impl fmt::Display for DlpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DlpackError {}
