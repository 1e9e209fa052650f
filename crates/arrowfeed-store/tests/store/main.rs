//! Requests to servers that behave well and badly, listings, writers, and the cache.

mod caching;
mod listing;
mod requests;
mod server;
mod writing;
