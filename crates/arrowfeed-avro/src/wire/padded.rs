//! Bytes with readable padding after them, so that hot loops can load whole words.

/// Number of readable padding bytes after the data of a [`Padded`].
pub(crate) const SLACK: usize = 128;

/// A slice of `len` data bytes, followed by at least [`SLACK`] readable bytes of padding with arbitrary content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Padded<'a> {
    with_slack: &'a [u8],
    len: usize,
}

impl<'a> Padded<'a> {
    /// Wraps the first `len` bytes of `bytes`; returns `None` if fewer than [`SLACK`] bytes follow them.
    pub(crate) fn new(bytes: &'a [u8], len: usize) -> Option<Self> {
        let slack = bytes.len().checked_sub(len)?;
        (slack >= SLACK).then_some(Self { with_slack: bytes, len })
    }

    /// Returns the data.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.with_slack[..self.len]
    }

    /// Returns the data and at least [`SLACK`] bytes of padding after it.
    pub(crate) fn with_slack(&self) -> &'a [u8] {
        self.with_slack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_never_less_than_promised() {
        let memory = [7; SLACK + 2];
        let padded = Padded::new(&memory, 2).unwrap();
        assert_eq!(padded.bytes(), [7, 7]);
        assert_eq!(padded.with_slack().len(), SLACK + 2);
        assert!(Padded::new(&memory, 3).is_none());
        assert!(Padded::new(&memory, usize::MAX).is_none());
    }
}
