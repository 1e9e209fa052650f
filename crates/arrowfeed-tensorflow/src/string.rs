//! Strings of TensorFlow: `TF_TString` of `tensorflow/core/platform/ctstring_internal.h`.
//!
//! That header is compiled into every plugin, so its layout is fixed. A string of up to 22 bytes is stored in its 24 bytes
//! (SMALL), a longer one in memory from `malloc` (LARGE). Strings that only point to other memory (VIEW, OFFSET) are read and
//! never written: TensorFlow copies a VIEW without the memory that it points to.
//!
//! Unsafe: bytes are read from the address that the string has, and written to memory that was allocated for them.
#![expect(unsafe_code, reason = "reads and writes TensorFlow strings in TensorFlow's memory")]

use std::ptr;
use std::slice;

/// Limit on the bytes of a small string.
const SMALL: usize = 22;

/// Mask of the kind of a string, which is in the two lowest bits.
const KIND: u8 = 3;
const LARGE: usize = 1;
const OFFSET: u8 = 2;

/// A string in TensorFlow's layout.
#[repr(C, align(8))]
pub(crate) struct TfString([u8; 24]);

impl TfString {
    /// The bytes of a string that TensorFlow has made.
    ///
    /// # Safety
    /// The string was made by TensorFlow's functions, or by [`new`](Self::new).
    pub(crate) unsafe fn bytes(&self) -> &[u8] {
        let word = |at: usize| usize::from_le_bytes(std::array::from_fn(|i| self.0[at + i]));
        let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| self.0[at + i])) as usize;
        let start = ptr::from_ref(self).cast::<u8>();
        let (data, len) = match self.0[0] & KIND {
            0 => (start.wrapping_add(1), usize::from(self.0[0] >> 2)),
            OFFSET => (start.wrapping_add(half(4)), half(0) >> 2),
            // A large string has its capacity between its size and its address; a view has none.
            1 => (ptr::with_exposed_provenance(word(16)), word(0) >> 2),
            _ => (ptr::with_exposed_provenance(word(8)), word(0) >> 2),
        };
        if len == 0 {
            return &[];
        }
        // SAFETY: by the contract of this function, the string has `len` bytes at `data`.
        unsafe { slice::from_raw_parts(data, len) }
    }

    /// Makes a string that owns its bytes, or returns `None` if there is no memory for them.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let mut string = [0; 24];
        if bytes.len() <= SMALL {
            string[0] = (bytes.len() << 2) as u8;
            string[1..][..bytes.len()].copy_from_slice(bytes);
            return Some(Self(string));
        }
        // Allocates as TensorFlow does: room for a final NUL, in multiples of 16 bytes.
        let room = bytes.len().checked_add(16)? & !15;
        // SAFETY: the size is not 0. TensorFlow frees the memory with `free`.
        let data = unsafe { libc::malloc(room) }.cast::<u8>();
        if data.is_null() {
            return None;
        }
        // SAFETY: the memory has room for the bytes and one more, and new memory does not overlap other memory.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            data.add(bytes.len()).write(0);
        }
        string[..8].copy_from_slice(&((bytes.len() << 2) | LARGE).to_le_bytes());
        string[8..16].copy_from_slice(&(room - 1).to_le_bytes());
        string[16..].copy_from_slice(&data.expose_provenance().to_le_bytes());
        Some(Self(string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(string: TfString) {
        if string.0[0] & KIND == LARGE as u8 {
            let data = usize::from_le_bytes(std::array::from_fn(|i| string.0[16 + i]));
            // SAFETY: the memory of a large string is from `malloc`, and the string is not used any more.
            unsafe { libc::free(ptr::with_exposed_provenance_mut(data)) };
        }
    }

    #[test]
    fn bytes_are_read_as_they_were_written() {
        for len in [0, 1, 21, 22, 23, 31, 32, 33, 1000] {
            let expected: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let string = TfString::new(&expected).unwrap();
            // SAFETY: `new` made the string.
            assert_eq!(unsafe { string.bytes() }, expected);
            free(string);
        }
    }

    #[test]
    fn views_and_offsets_are_read() {
        let text = b"a text that another owns, of many bytes";
        let mut view = TfString([0; 24]);
        view.0[..8].copy_from_slice(&((text.len() << 2) | 3).to_le_bytes());
        view.0[8..16].copy_from_slice(&text.as_ptr().expose_provenance().to_le_bytes());
        // SAFETY: the view points to the text.
        assert_eq!(unsafe { view.bytes() }, text);
        let mut pair = [TfString([0; 24]), TfString([7; 24])];
        pair[0].0[..4].copy_from_slice(&((5 << 2) | 2_u32).to_le_bytes());
        pair[0].0[4..8].copy_from_slice(&16_u32.to_le_bytes());
        pair[0].0[16..21].copy_from_slice(b"after");
        // SAFETY: the 5 bytes that begin 16 bytes after its start are inside the string.
        assert_eq!(unsafe { pair[0].bytes() }, b"after");
    }
}
