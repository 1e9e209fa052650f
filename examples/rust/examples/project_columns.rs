//! Reads selected fields of an Avro file, at any depth. All other fields are skipped without being decoded.
//!
//! ```sh
//! cargo run --release --example project_columns -- FILE id user.scores friends.name.first
//! ```
//! The columns keep their nesting: `user.scores` becomes a struct `user` with the one field `scores`.

use std::env;
use std::process::ExitCode;

use arrowfeed_examples::{drain, print_schema, run};

const USAGE: &str = "usage: project_columns FILE PATH...";

fn main() -> ExitCode {
    run(|| {
        let mut arguments = env::args().skip(1);
        let path = arguments.next().ok_or(USAGE)?;
        let columns: Vec<String> = arguments.collect();
        if columns.is_empty() {
            return Err(USAGE.into());
        }
        let reader = arrowfeed::open(path).columns(columns).read()?;
        print_schema(&reader.schema());
        drain(reader)?;
        Ok(())
    })
}
