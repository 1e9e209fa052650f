//! Bytes that may be read a little past their end, so that hot loops load whole words.

/// Readable bytes after the meaningful ones of a [`Padded`].
pub(crate) const SLACK: usize = 128;

/// At least [`SLACK`] readable bytes follow the `len` meaningful ones; what they hold means nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Padded<'a> {
    with_slack: &'a [u8],
    len: usize,
}

impl<'a> Padded<'a> {
    /// The first `len` of `bytes`; `None` where fewer than [`SLACK`] follow them.
    pub(crate) fn new(bytes: &'a [u8], len: usize) -> Option<Self> {
        let slack = bytes.len().checked_sub(len)?;
        (slack >= SLACK).then_some(Self { with_slack: bytes, len })
    }

    /// The meaningful bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.with_slack[..self.len]
    }

    /// The meaningful bytes and, after them, [`SLACK`] or more without meaning.
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
