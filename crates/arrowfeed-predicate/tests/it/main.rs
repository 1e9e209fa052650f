//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`laws`]: random columns and predicates, against a plain oracle of one row.
//! - [`text`]: the grammar, the canonical text, and messages of the parser.
//! - [`types`]: messages of the compiler, and examples of each type.

mod choices;
mod columns;
mod laws;
mod oracle;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
#[cfg(feature = "substrait")]
mod substrait;
mod text;
mod types;
