//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`laws`], [`casts`], [`key_laws`]: random data, against plain oracles.
//! - [`transforms`]: random transforms against plain oracles, and their messages.
//! - [`kinds`], [`reverse`], [`defects`]: plain columns as tensors, tensors as columns, defects of tfx_bsl's adapter.
//! - [`keys`], [`key_layouts`]: the cases of `tests/cases/keys`, and layouts that these cannot express.
//! - [`messages`], [`key_messages`]: complete error messages.
//! - [`shared_or_copied`], [`copy_limit`]: memory that a tensor shares with the batch, and the limit on copies.
//! - [`foreign_dictionaries`]: invalid values that no row uses.
//! - [`many_columns`]: time in proportion to the columns.
//! - [`proto`], [`tfmd`]: the generated code, and the messages of tensorflow-metadata.
//! - [`support`]: helpers of the tests.

mod casts;
mod copy_limit;
mod defects;
mod foreign_dictionaries;
mod key_laws;
mod key_layouts;
mod key_messages;
mod keys;
mod kinds;
mod laws;
mod many_columns;
mod messages;
mod proto;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod reverse;
mod shared_or_copied;
mod support;
mod tfmd;
mod transforms;
