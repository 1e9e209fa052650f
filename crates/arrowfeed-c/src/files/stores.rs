//! Objects of stores, with their options and their cache.

use std::sync::Arc;

use arrowfeed::FeedError;
use arrowfeed::source::Interrupt;
use arrowfeed::source::io::remote::RemoteObject;
use arrowfeed::sources::redacted;
use arrowfeed::store::{Cache, StoreObject, StoreOptions, resolve, resolve_below};
use serde_json::Value;

use super::Found;
use crate::error::Error;
use crate::options::OpenOptions;

/// Default size of a cache in bytes.
const CACHE_BYTES: u64 = 100 << 30;

pub(super) struct Stores {
    options: StoreOptions,
    cache: Option<Cache>,
}

impl Stores {
    pub(super) fn new(options: &OpenOptions) -> Result<Self, Error> {
        let text = |(name, value): &(String, Value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                // The value may be secret.
                _ => {
                    let message = "expected a string, a number or a boolean, found another value";
                    return Err(Error::options(format!("storage_options: {name:?}: {message}")));
                }
            };
            Ok((name.clone(), text))
        };
        let pairs = options.storage_options.0.iter().map(text).collect::<Result<Vec<_>, Error>>()?;
        let cache = match (&options.cache, options.cache_bytes) {
            (Some(directory), bytes) => Some(Cache::open(directory, bytes.unwrap_or(CACHE_BYTES))?),
            (None, Some(_)) => return Err(Error::options("cache_bytes: expected cache as well, found none")),
            (None, None) => None,
        };
        Ok(Self { options: StoreOptions::parse(pairs)?, cache })
    }

    /// The files of a URL.
    pub(super) fn resolve(
        &self,
        url: &str,
        extension: &str,
        below: bool,
        interrupt: Option<&Interrupt>,
    ) -> Result<Vec<Found>, FeedError> {
        let resolve = if below { resolve_below } else { resolve };
        let files = resolve(url, extension, &self.options, None, interrupt);
        let files = files.map_err(|error| error.in_file(&redacted(url)))?;
        let found = |file: arrowfeed::store::StoreFile| Found::Object {
            name: file.name,
            object: self.cached(file.object),
        };
        Ok(files.into_iter().map(found).collect())
    }

    fn cached(&self, object: Arc<StoreObject>) -> Arc<dyn RemoteObject> {
        match &self.cache {
            Some(cache) => Arc::new(cache.object(object)),
            None => object,
        }
    }
}
