//! Writes small valid files, and their schemas, where the fuzz targets start from.

#[path = "../../crates/arrowfeed-avro/tests/support_hostile/mod.rs"]
mod support;

use std::fs::{create_dir_all, write};

use support::schemas::KINDS;
use support::seeds::seeds;

fn main() -> std::io::Result<()> {
    create_dir_all("corpus/read_file")?;
    create_dir_all("corpus/schema_json")?;
    for (i, seed) in seeds(216).iter().enumerate() {
        write(format!("corpus/read_file/seed-{i}"), &seed.bytes)?;
    }
    for (i, kind) in KINDS.iter().enumerate() {
        write(format!("corpus/schema_json/seed-{i}"), kind.schema)?;
    }
    Ok(())
}
