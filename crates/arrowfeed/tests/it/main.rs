//! Tests of datasets: each row appears once, in an order that depends only on files and options, from any position on.

// They read files of every format.
#![cfg(all(feature = "codecs", feature = "formats"))]

mod added_columns;
#[cfg(feature = "async")]
mod asynchronous;
mod batch_counts;
mod chunks;
mod columns;
mod common_seed;
mod faults;
mod files;
mod filters;
mod format_options;
mod global_batches;
mod iceberg;
mod index;
mod mixed;
mod moved;
mod objects;
#[path = "../../../../tests/cases/options/cases.rs"]
mod option_cases;
mod order;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
mod random_parts;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod real_files;
mod real_size;
mod resume;
mod rows;
mod selection;
mod shards;
mod splits;
mod stats;
mod tensors;
mod tfxio;
