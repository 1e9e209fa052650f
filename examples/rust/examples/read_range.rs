//! Reads a byte range of an Avro file, like one of several processes that share the file.
//!
//! ```sh
//! cargo run --release --example read_range -- FILE START END
//! ```
//! A block belongs to the range that contains its first byte. Ranges that cover the file therefore return each row once,
//! whatever their boundaries are. [`FileSet::splits`](arrowfeed_avro::FileSet::splits) plans such ranges.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use arrowfeed_avro::{AvroFormat, AvroOptions, RangeOptions, Split};
use arrowfeed_examples::{drain, run};

const USAGE: &str = "usage: read_range FILE START END";

fn main() -> ExitCode {
    run(|| {
        let mut arguments = env::args().skip(1);
        let path = PathBuf::from(arguments.next().ok_or(USAGE)?);
        let start = offset(arguments.next())?;
        let end = offset(arguments.next())?;
        let files = AvroFormat::files([&path], AvroOptions::default(), None)?;
        drain(files.read_split(&Split::new(path, start, end), None, RangeOptions::default())?)?;
        Ok(())
    })
}

fn offset(argument: Option<String>) -> Result<u64, String> {
    let text = argument.ok_or(USAGE)?;
    text.parse().map_err(|_| format!("expected a byte offset, found {text:?}"))
}
