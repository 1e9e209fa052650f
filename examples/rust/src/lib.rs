//! Helpers of the examples: reading to the end, printing and error handling.

#![allow(clippy::print_stdout, reason = "examples print")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use arrow_schema::Schema;
use arrowfeed_avro::{FeedError, FileReader};

/// Runs an example, and prints an error in one line.
pub fn run(example: impl FnOnce() -> Result<(), Box<dyn Error>>) -> ExitCode {
    match example() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the columns, one per line.
pub fn print_schema(schema: &Schema) {
    for field in schema.fields() {
        let optional = if field.is_nullable() { ", nullable" } else { "" };
        println!("{}: {}{optional}", field.name(), field.data_type());
    }
}

/// Reads all batches, and prints the number of rows and the throughput.
pub fn drain(mut reader: FileReader) -> Result<(), FeedError> {
    let start = Instant::now();
    for batch in reader.by_ref() {
        batch?;
    }
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    let report = reader.report();
    println!("{} rows of {} blocks in {seconds:.3} s", report.rows, report.blocks);
    let (rows, bytes) = (report.rows as f64 / 1e6, report.bytes as f64 / 1e6);
    println!("{:.2} million rows/s, {:.0} MB/s of the file", rows / seconds, bytes / seconds);
    Ok(())
}
