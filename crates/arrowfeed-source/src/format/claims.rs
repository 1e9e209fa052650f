//! Questions to the caller whether to decode a chunk.

use std::fmt;

use super::Claim;
use crate::{FeedError, FeedErrorKind};

/// The claim function of a decoder, if the caller gave one.
#[derive(Default)]
pub struct Claims {
    claim: Option<Claim>,
    has_claimed: bool,
}

impl Claims {
    /// Creates the claims of one unit. Without a function, every chunk is decoded.
    pub fn new(claim: Option<Claim>) -> Self {
        Self { claim, has_claimed: false }
    }

    /// Asks the caller whether to decode the chunk at `offset`.
    ///
    /// # Errors
    /// The function of the caller fails.
    pub fn ask(&mut self, offset: u64) -> Result<bool, FeedError> {
        self.has_claimed = true;
        let Some(claim) = &mut self.claim else { return Ok(true) };
        claim(offset).map_err(|failure| {
            let message = format!("expected a result of the claim function, found an error: {failure}");
            FeedError::new(FeedErrorKind::Interrupted, message).with_source(failure)
        })
    }

    /// Asks the caller whether to handle corrupt bytes at `offset`.
    ///
    /// Corrupt bytes belong to the preceding chunk, and are claimed only if there is none. Two readers of parts of a file
    /// thus agree which of them handles the bytes, although neither knows where they end.
    ///
    /// # Errors
    /// As in [`ask`](Self::ask).
    pub fn ask_for_damage(&mut self, offset: Option<u64>) -> Result<bool, FeedError> {
        match offset.filter(|_| !self.has_claimed) {
            Some(offset) => self.ask(offset),
            None => Ok(true),
        }
    }
}

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims").field("has_claimed", &self.has_claimed).finish_non_exhaustive()
    }
}
