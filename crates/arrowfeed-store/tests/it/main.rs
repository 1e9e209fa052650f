//! Tests of requests to well-behaved and faulty servers, listings, writers, and the cache.

mod caching;
mod listing;
mod requests;
mod server;
mod writing;
