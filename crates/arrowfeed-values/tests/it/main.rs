//! Tests of the conversion of texts.

mod arrays;
mod oracle;
mod random;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
