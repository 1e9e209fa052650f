//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`filters`]: random filters, against DataFusion's filter of the same batches in memory.
//! - [`statistics`]: what the footers of Parquet files tell.
//! - [`tables`]: columns, limits, partitions, counts, plans, errors and cancellation of tables.
//! - [`option_laws`]: each option of each format, as in all other languages.
//! - [`sql`]: `CREATE EXTERNAL TABLE`, its options, and messages.
//! - [`listing`]: formats of listing tables, with files of several schemas.
//! - [`stores`]: object stores of the session.

mod filters;
mod listing;
#[path = "../../../../tests/cases/options/cases.rs"]
mod option_cases;
mod option_laws;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod sql;
mod statistics;
mod stores;
mod support;
mod tables;
