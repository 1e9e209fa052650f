//! The runner of `tests/cases/avro`, whose format `tests/README.md` describes.
//!
//! ```text
//! topic.toml ──case──> Case ──container, encode──> file ──arrowfeed──> batches ──text, json──> run compares
//! ```

pub(crate) mod case;
mod container;
mod encode;
mod json;
pub(crate) mod run;
mod text;
