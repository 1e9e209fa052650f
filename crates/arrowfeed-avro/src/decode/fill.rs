//! What every Arrow array under construction can do besides being read into.

use arrow_array::ArrayRef;

use crate::wire::cursor::Stop;

/// An Arrow array under construction. None of these is called once a value: blocks and batches are.
pub(crate) trait Fill {
    /// Makes memory ready for a batch that begins. Offsets get the 0 that they start with.
    fn prepare(&mut self);

    /// Adds `n` slots under a null parent: nobody will see their values.
    fn pad(&mut self, n: usize);

    /// Notes how long everything is.
    fn mark(&self, marks: &mut Marks);

    /// Goes back to the lengths that `mark` noted, in the same order.
    fn rollback(&mut self, marks: &mut MarksIter<'_>);

    /// Bytes that a slot takes in the finished batch beyond those that it takes while rows are decoded.
    fn deferred_bytes(&self) -> usize {
        0
    }

    /// Checks the strings that have come in since the last check.
    fn check_utf8(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// Hands the array out; empty afterwards, its memory is used again.
    fn finish(&mut self) -> ArrayRef;
}

/// Lengths of all parts of a decoder, in its own order.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<usize>);

/// Reads [`Marks`] back.
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
    /// The next length; marks are read in the order in which they were pushed.
    pub(crate) fn next(&mut self) -> usize {
        self.0.next().copied().unwrap_or_default()
    }
}
