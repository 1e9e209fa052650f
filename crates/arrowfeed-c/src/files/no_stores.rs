//! The error for URLs in builds without stores.

use arrowfeed::source::Interrupt;
use arrowfeed::sources::redacted;
use arrowfeed::{FeedError, FeedErrorKind};

use super::Found;
use crate::error::Error;
use crate::options::OpenOptions;

pub(super) struct Stores;

impl Stores {
    pub(super) fn new(options: &OpenOptions) -> Result<Self, Error> {
        let OpenOptions { storage_options, cache, cache_bytes, .. } = options;
        if storage_options.0.is_empty() && cache.is_none() && cache_bytes.is_none() {
            return Ok(Self);
        }
        let message = "expected no option of stores in a build without the feature \"stores\", found one";
        Err(Error::options(message))
    }

    pub(super) fn resolve(
        &self,
        url: &str,
        _: &str,
        _: bool,
        _: Option<&Interrupt>,
    ) -> Result<Vec<Found>, FeedError> {
        let message = "expected a local file, found a URL: enable the feature \"stores\" of arrowfeed-c";
        Err(FeedError::new(FeedErrorKind::Options, message).in_file(&redacted(url)))
    }
}
