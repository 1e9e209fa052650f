//! Reads a whole Avro file, and prints its columns, its number of rows and the throughput.
//!
//! ```sh
//! cargo run --release --example read_avro -- FILE
//! ```

use std::env;
use std::process::ExitCode;

use arrowfeed_examples::{drain, print_schema, run};

fn main() -> ExitCode {
    run(|| {
        let path = env::args().nth(1).ok_or("usage: read_avro FILE")?;
        let reader = arrowfeed::open(path).read()?;
        print_schema(&reader.schema());
        drain(reader)?;
        Ok(())
    })
}
