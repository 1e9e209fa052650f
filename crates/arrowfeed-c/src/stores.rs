//! Options of stores, and their cache.

use arrowfeed::Open;
#[cfg(feature = "stores")]
use arrowfeed::store::{Cache, StoreOptions};
#[cfg(feature = "stores")]
use serde_json::Value;

use crate::error::Error;
use crate::options::OpenOptions;

/// Default size of a cache in bytes.
#[cfg(feature = "stores")]
const CACHE_BYTES: u64 = 100 << 30;

/// Sets the options of stores.
#[cfg(feature = "stores")]
pub(crate) fn set(open: Open, options: &OpenOptions) -> Result<Open, Error> {
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
    let open = open.store_options(StoreOptions::parse(pairs)?);
    match (&options.cache, options.cache_bytes) {
        (Some(directory), bytes) => Ok(open.cache(Cache::open(directory, bytes.unwrap_or(CACHE_BYTES))?)),
        (None, Some(_)) => Err(Error::options("cache_bytes: expected cache as well, found none")),
        (None, None) => Ok(open),
    }
}

/// The error for options of stores in builds without stores.
#[cfg(not(feature = "stores"))]
pub(crate) fn set(open: Open, options: &OpenOptions) -> Result<Open, Error> {
    let OpenOptions { storage_options, cache, cache_bytes, .. } = options;
    if storage_options.0.is_empty() && cache.is_none() && cache_bytes.is_none() {
        return Ok(open);
    }
    let message = "expected no option of stores in a build without the feature \"stores\", found one";
    Err(Error::options(message))
}
