//! Bytes of a decoded block and the reads that the Avro binary encoding is made of.
//!
//! [`padded`] is a slice with room to read past its end, [`cursor`] reads from it.

pub(crate) mod cursor;
pub(crate) mod padded;
pub(crate) mod plain;
pub(crate) mod varints;

/// Reads of the Avro binary encoding. [`Cursor`](cursor::Cursor) is the fast reader, whose errors say nothing;
/// [`PlainReader`](plain::PlainReader) the slow one, whose errors say what was expected and found.
pub(crate) trait Reads {
    /// What a failed read gives.
    type Error;

    fn boolean(&mut self) -> Result<bool, Self::Error>;
    fn int(&mut self) -> Result<i32, Self::Error>;
    fn long(&mut self) -> Result<i64, Self::Error>;
    /// `n` bytes on, unread.
    fn skip(&mut self, n: usize) -> Result<(), Self::Error>;
    /// The length of a string or of bytes: no more than what is left.
    fn length(&mut self) -> Result<usize, Self::Error>;
    /// An enum index below `count`.
    fn symbol(&mut self, count: usize) -> Result<usize, Self::Error>;
    /// A union index below `count`.
    fn branch(&mut self, count: usize) -> Result<usize, Self::Error>;
    /// The head of a block of array items: count, and size in bytes where it is stated.
    fn items(&mut self) -> Result<(usize, Option<usize>), Self::Error>;
    /// An error unless `count` items of at least `min` bytes can be left.
    fn room_for(&self, count: usize, min: usize) -> Result<(), Self::Error>;
    /// An error unless the stated size of a block of items is its real one.
    fn stated_size(&self, stated: usize, real: usize) -> Result<(), Self::Error>;
    /// The error of a limit that is reached.
    fn limit(&self, name: &'static str, limit: u64) -> Self::Error;
}
