//! Buffers of an array struct: the number that its type requires, and their lengths.
//!
//! Unsafe: Arrow buffers are created over raw pointers. Each pointer is checked for null, each size fits the address
//! space, and each buffer keeps the struct alive that owns the memory.
#![expect(unsafe_code, reason = "creates buffers over raw pointers of other libraries")]

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_schema::{DataType, UnionMode};

use crate::invalid::{Checked, Invalid};
use crate::types::name;

/// End of the addresses that a process can have: 57 bits on x86-64, half of them for the system, and fewer elsewhere.
#[cfg(target_pointer_width = "64")]
const ADDRESSES: usize = 1 << 56;
#[cfg(not(target_pointer_width = "64"))]
const ADDRESSES: usize = usize::MAX;

/// The buffers of one struct, in which `end` values are stored: those before its offset, and its own.
pub(crate) struct Buffers<'a> {
    array: &'a FFI_ArrowArray,
    owner: &'a Arc<FFI_ArrowArray>,
    data_type: &'a DataType,
    end: usize,
}

impl<'a> Buffers<'a> {
    /// Checks the number of buffers against the type.
    pub(crate) fn new(
        array: &'a FFI_ArrowArray,
        owner: &'a Arc<FFI_ArrowArray>,
        data_type: &'a DataType,
        end: usize,
    ) -> Checked<Self> {
        use DataType::*;
        let found = array.n_buffers;
        let is_right = match data_type {
            // polars exports the validity bitmap that a null array does not have.
            Null => matches!(found, 0 | 1),
            RunEndEncoded(..) => found == 0,
            Struct(_) | FixedSizeList(..) | Union(_, UnionMode::Sparse) => found == 1,
            Utf8 | Binary | LargeUtf8 | LargeBinary | ListView(_) | LargeListView(_) => found == 3,
            // Any number of buffers with bytes, and one with their lengths.
            Utf8View | BinaryView => found >= 3,
            _ => found == 2,
        };
        if !is_right {
            return Err(Invalid::new(format!("{found} buffers of {}", name(data_type))));
        }
        if found > 0 && array.buffers.is_null() {
            return Err(Invalid::new(format!("a null pointer to the buffers of {}", name(data_type))));
        }
        Ok(Self { array, owner, data_type, end })
    }

    /// The buffers after the validity bitmap.
    ///
    /// # Safety
    ///
    /// Non-null pointers point to as many values as the struct has, and to as many bytes as its offsets and
    /// lengths state.
    pub(crate) unsafe fn values(&self) -> Checked<Vec<Buffer>> {
        use DataType::*;
        // SAFETY: guaranteed by the caller, for each of them.
        unsafe {
            match self.data_type {
                Null | RunEndEncoded(..) | Struct(_) | FixedSizeList(..) => Ok(Vec::new()),
                Boolean => Ok(vec![self.buffer(1, Some(self.end.div_ceil(8)), 1)?]),
                FixedSizeBinary(size) => {
                    let size = usize::try_from(*size).ok();
                    Ok(vec![self.buffer(1, size.and_then(|size| size.checked_mul(self.end)), 1)?])
                }
                List(_) | Map(..) => Ok(vec![self.offsets::<i32>()?]),
                LargeList(_) => Ok(vec![self.offsets::<i64>()?]),
                Utf8 | Binary => self.bytes::<i32>(),
                LargeUtf8 | LargeBinary => self.bytes::<i64>(),
                Utf8View | BinaryView => self.byte_views(),
                ListView(_) => Ok(vec![self.fixed(1, 4)?, self.fixed(2, 4)?]),
                LargeListView(_) => Ok(vec![self.fixed(1, 8)?, self.fixed(2, 8)?]),
                Union(_, UnionMode::Sparse) => Ok(vec![self.fixed(0, 1)?]),
                Union(_, UnionMode::Dense) => Ok(vec![self.fixed(0, 1)?, self.fixed(1, 4)?]),
                Dictionary(keys, _) => Ok(vec![self.fixed(1, width(keys)?)?]),
                numbers => Ok(vec![self.fixed(1, width(numbers)?)?]),
            }
        }
    }

    /// The validity bitmap, if there is one.
    ///
    /// # Safety
    ///
    /// As for `values`.
    pub(crate) unsafe fn bitmap(&self) -> Checked<Option<Buffer>> {
        if self.pointer(0).is_null() {
            return Ok(None);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.buffer(0, Some(self.end.div_ceil(8)), 1).map(Some) }
    }

    /// A buffer with one value of `width` bytes for each stored value.
    ///
    /// # Safety
    ///
    /// As for `values`.
    unsafe fn fixed(&self, index: usize, width: usize) -> Checked<Buffer> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.buffer(index, self.end.checked_mul(width), width) }
    }

    /// # Safety
    ///
    /// As for `values`.
    unsafe fn offsets<O>(&self) -> Checked<Buffer> {
        let bytes = self.end.checked_add(1).and_then(|count| count.checked_mul(size_of::<O>()));
        // SAFETY: guaranteed by the caller.
        unsafe { self.buffer(1, bytes, size_of::<O>()) }
    }

    /// Offsets, and as many bytes as the last offset states.
    ///
    /// # Safety
    ///
    /// As for `values`.
    unsafe fn bytes<O: Copy + Into<i64>>(&self) -> Checked<Vec<Buffer>> {
        // SAFETY: guaranteed by the caller: there is one more offset than values, at any address.
        let (offsets, last) = unsafe {
            let offsets = self.offsets::<O>()?;
            let last: i64 = offsets.as_ptr().cast::<O>().add(self.end).read_unaligned().into();
            (offsets, last)
        };
        let len = usize::try_from(last).map_err(|_| Invalid::new(format!("the offset {last}")))?;
        // SAFETY: guaranteed by the caller.
        Ok(vec![offsets, unsafe { self.buffer(2, Some(len), 1)? }])
    }

    /// Views, and the data buffers that they point into. The lengths of these are in the last buffer.
    ///
    /// # Safety
    ///
    /// As for `values`.
    unsafe fn byte_views(&self) -> Checked<Vec<Buffer>> {
        let last = usize::try_from(self.array.n_buffers).unwrap_or_default() - 1;
        let lengths = self.pointer(last).cast::<i64>();
        if last > 2 && lengths.is_null() {
            return Err(Invalid::new(format!("a null pointer to buffer {last} of {}", name(self.data_type))));
        }
        // SAFETY: guaranteed by the caller.
        let mut buffers = vec![unsafe { self.fixed(1, 16)? }];
        for index in 2..last {
            // SAFETY: guaranteed by the caller: there is a length for each buffer, at any address.
            let len = unsafe { lengths.add(index - 2).read_unaligned() };
            let bytes = usize::try_from(len);
            let bytes = bytes.map_err(|_| Invalid::new(format!("a buffer of {len} bytes")))?;
            // SAFETY: guaranteed by the caller.
            buffers.push(unsafe { self.buffer(index, Some(bytes), 1)? });
        }
        Ok(buffers)
    }

    /// A buffer of `bytes` bytes for values of `width` bytes. The pointer of an empty buffer may be anything. Memory is
    /// copied if it is not aligned for its values, up to 16 bytes.
    ///
    /// # Safety
    ///
    /// As for `values`.
    unsafe fn buffer(&self, index: usize, bytes: Option<usize>, width: usize) -> Checked<Buffer> {
        let too_long =
            || Invalid::new(format!("more values of {} than memory has bytes", name(self.data_type)));
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(too_long)?;
        if bytes == 0 {
            return Ok(MutableBuffer::new(0).into());
        }
        let missing =
            || Invalid::new(format!("a null pointer to buffer {index} of {}", name(self.data_type)));
        let start = NonNull::new(self.pointer(index).cast_mut()).ok_or_else(missing)?;
        start.addr().checked_add(bytes).filter(|end| end.get() <= ADDRESSES).ok_or_else(too_long)?;
        // SAFETY: guaranteed by the caller; the owner frees the memory, and the buffer keeps it alive.
        let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, self.owner.clone()) };
        let is_aligned = start.addr().get().is_multiple_of(width.min(16));
        if is_aligned { Ok(buffer) } else { self.aligned(&buffer) }
    }

    /// Copies a buffer to memory that is aligned for values of up to 16 bytes. Its length is a claim of the producer, so the
    /// allocation may fail.
    fn aligned(&self, buffer: &[u8]) -> Checked<Buffer> {
        let mut copy: Vec<u128> = Vec::new();
        copy.try_reserve_exact(buffer.len().div_ceil(size_of::<u128>())).map_err(|_| {
            let bytes = buffer.len();
            Invalid::new(format!(
                "{bytes} bytes of {} that are not aligned, and no memory to copy them",
                name(self.data_type)
            ))
        })?;
        let (words, rest) = buffer.as_chunks::<{ size_of::<u128>() }>();
        copy.extend(words.iter().map(|word| u128::from_ne_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; size_of::<u128>()];
            word[..rest.len()].copy_from_slice(rest);
            copy.push(u128::from_ne_bytes(word));
        }
        Ok(Buffer::from_vec(copy).slice_with_length(0, buffer.len()))
    }

    fn pointer(&self, index: usize) -> *const u8 {
        // SAFETY: `new` has checked that there are as many pointers as buffers; `index` is below their number.
        unsafe { self.array.buffers.add(index).read_unaligned() }.cast()
    }
}

fn width(data_type: &DataType) -> Checked<usize> {
    data_type
        .primitive_width()
        .ok_or_else(|| Invalid::new(format!("an array of {}, which is not supported", name(data_type))))
}
