//! Writes the initial corpus of the fuzz targets: small valid files, their schemas, and messages.

#[path = "../../crates/arrowfeed-avro/tests/it/support_hostile/mod.rs"]
mod support;

use std::fs::{create_dir_all, write};

use support::schemas::KINDS;
use support::seeds::seeds;

fn main() -> std::io::Result<()> {
    create_dir_all("corpus/read_file")?;
    create_dir_all("corpus/schema_json")?;
    create_dir_all("corpus/example_message")?;
    create_dir_all("corpus/sequence_example_message")?;
    for (i, seed) in seeds(216).iter().enumerate() {
        write(format!("corpus/read_file/seed-{i}"), &seed.bytes)?;
    }
    for (i, kind) in KINDS.iter().enumerate() {
        write(format!("corpus/schema_json/seed-{i}"), kind.schema)?;
    }
    let messages = include_str!("../../tests/cases/example/messages.toml").lines();
    let messages = messages.filter_map(|line| line.strip_prefix("message = \"")?.strip_suffix('"'));
    for (i, digits) in messages.enumerate() {
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits");
        let message: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        write(format!("corpus/sequence_example_message/seed-{i}"), &message)?;
        write(format!("corpus/example_message/seed-{i}"), message)?;
    }
    // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } feature {} } } }
    let steps = b"\x12\x10\x0a\x0e\x0a\x01t\x12\x09\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x00";
    write("corpus/sequence_example_message/seed-steps", steps)
}
