//! Operations that all Arrow arrays under construction have in common, apart from reading.

use arrow_array::ArrayRef;

use crate::wire::cursor::Stop;

/// An Arrow array under construction. These methods are called once per block or batch, not once per value.
pub(crate) trait Fill {
    /// Prepares memory for a new batch. Offset buffers get their initial 0.
    fn prepare(&mut self);

    /// Appends `n` slots under a null parent, whose values are never visible.
    fn pad(&mut self, n: usize);

    /// Records the lengths of all parts.
    fn mark(&self, marks: &mut Marks);

    /// Restores the lengths that `mark` recorded, in the same order.
    fn rollback(&mut self, marks: &mut MarksIter<'_>);

    /// Returns the number of bytes that a slot takes in the finished batch in addition to its size during decoding.
    fn deferred_bytes(&self) -> usize {
        0
    }

    /// Validates the strings that were added since the last check.
    fn check_utf8(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// Returns the array, and leaves the column empty. Its memory is reused.
    fn finish(&mut self) -> ArrayRef;
}

/// Lengths of all parts of a decoder, in a fixed order.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<usize>);

/// Iterates over [`Marks`].
#[derive(Debug)]
pub(crate) struct MarksIter<'a>(std::slice::Iter<'a, usize>);

impl Marks {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn push(&mut self, len: usize) {
        self.0.push(len);
    }

    pub(crate) fn iter(&self) -> MarksIter<'_> {
        MarksIter(self.0.iter())
    }
}

impl MarksIter<'_> {
    /// Returns the next length, in the order in which the lengths were pushed.
    pub(crate) fn next(&mut self) -> usize {
        self.0.next().copied().unwrap_or_default()
    }
}
