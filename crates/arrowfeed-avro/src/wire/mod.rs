//! Bytes of a decompressed block, and the reads of the Avro binary encoding.
//!
//! - [`padded`]: a slice that may be read past its end.
//! - [`cursor`]: the fast reader of such a slice, with [`varints`] and [`optional_varints`] for runs of values.
//! - [`plain`]: the slow reader.

pub(crate) mod cursor;
pub(crate) mod optional_varints;
pub(crate) mod padded;
pub(crate) mod plain;
pub(crate) mod varints;

/// Reads of the Avro binary encoding. [`Cursor`](cursor::Cursor) is the fast reader, whose errors carry no
/// text. [`PlainReader`](plain::PlainReader) is the slow reader, whose errors report what was expected and found.
pub(crate) trait Reads {
    /// The error of a failed read.
    type Error;

    fn boolean(&mut self) -> Result<bool, Self::Error>;
    fn int(&mut self) -> Result<i32, Self::Error>;
    fn long(&mut self) -> Result<i64, Self::Error>;
    /// Skips `n` bytes.
    fn skip(&mut self, n: usize) -> Result<(), Self::Error>;
    /// Reads the length of a string or bytes value, which must not exceed the bytes that are left.
    fn length(&mut self) -> Result<usize, Self::Error>;
    /// Reads an enum index below `count`.
    fn symbol(&mut self, count: usize) -> Result<usize, Self::Error>;
    /// Reads a union index below `count`.
    fn branch(&mut self, count: usize) -> Result<usize, Self::Error>;
    /// Reads the head of a block of array items: its count, and its size in bytes if it is stated.
    fn items(&mut self) -> Result<(usize, Option<usize>), Self::Error>;
    /// Returns an error unless there is room for `count` items of at least `min` bytes.
    fn room_for(&self, count: usize, min: usize) -> Result<(), Self::Error>;
    /// Returns an error unless the stated size of a block of items is the real size.
    fn stated_size(&self, stated: usize, real: usize) -> Result<(), Self::Error>;
    /// Creates the error for a limit that is reached.
    fn limit(&self, name: &'static str, limit: u64) -> Self::Error;
}
