//! Tests of requests to well-behaved and faulty servers, listings, writers, and the cache.

mod caching;
mod listing;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod requests;
mod server;
mod writing;
