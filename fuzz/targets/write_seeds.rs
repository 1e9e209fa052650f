//! Writes the initial corpus of the fuzz targets: small valid files, their schemas, and messages.

#[allow(dead_code, reason = "some helpers are for tests only")]
#[path = "../../crates/arrowfeed-ipc/tests/it/support.rs"]
mod ipc;
#[path = "../../crates/arrowfeed-ffi/tests/it/structs/mod.rs"]
mod structs;
#[path = "../../crates/arrowfeed-avro/tests/it/support_hostile/mod.rs"]
mod support;

use std::fs::{create_dir_all, write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::Unstructured;
use support::random::Random;
use support::schemas::KINDS;
use support::seeds::seeds;

/// Texts of predicates over the columns of the target.
const PREDICATES: [&str; 5] = [
    r#"i >= 18 and not (t is null or s.i in [1, -2.5e3]) or ['i'] != nan"#,
    r#"z < "2026-01-01T00:00:00.5Z" and d == 1.50 and list_length(l) > 1"#,
    r#"e starts with "d" and t not in ["\u0041"] and b"#,
    r#"f == -0.0 or f <= inf or t == x"00ff" or l = 1"#,
    r#"z == "2026-01-01" or t <> "PT1.5S" or z > "12:00""#,
];

/// Options of the C interface: those of a dataset without paths, and of an iteration after a NUL.
const OPTIONS: [&str; 9] = [
    "{}\0{}",
    r#"{"columns": ["id"], "filter": "id > 1", "skip": 1, "take": 2}"#,
    "{\"file_column\": \"f\", \"limits\": {\"batch_bytes\": 9}}\0{\"batch_size\": 2, \"epochs\": 2, \"shuffle_buffer_size\": 3, \"seed\": 1}",
    r#"{"format_options": {"reader_schema": {"type": "record", "name": "r", "fields": [{"name": "id", "type": "double"}]}}}"#,
    "{\"tensors\": {\"a\": {\"kind\": \"dense\", \"column\": \"id\", \"shape\": [1], \"default\": 0, \"pad\": true}}}\0{\"by_length\": {\"column\": \"id\", \"window\": 9}}",
    "{\"exclude\": [\"tags\"], \"row_column\": \"r\", \"partitioning\": [{\"name\": \"day\", \"type\": \"Int32\"}], \"limits\": {\"schema_depth\": 99}}\0{\"global\": {\"size\": 2, \"streams\": 2, \"even\": \"drop\"}, \"shard\": [0, 2]}",
    "{\"format\": \"csv\", \"format_options\": {\"delimiter\": \"|\", \"header\": false, \"schema\": [{\"name\": \"a\", \"type\": \"Utf8\"}]}}\0{\"on_error\": \"skip_file\", \"rows\": [0, 9]}",
    "{\"tensors\": {\"a\": {\"kind\": \"var_len_sparse\", \"column\": \"tags\"}, \"b\": {\"kind\": \"var_len_ragged\", \"column\": \"tags\", \"padding\": {\"to\": {\"multiple_of\": 4}, \"value\": \"\"}}, \"c\": {\"kind\": \"ragged\", \"path\": [\"tags\"], \"row_splits_dtype\": \"int32\"}}}\0{\"drop_remainder\": true, \"across_epochs\": true, \"batch_size\": 2, \"epochs\": null}",
    r#"{"tensors": {"s": {"kind": "sparse", "index_columns": ["id"], "value_column": "id", "dense_shape": [null]}, "t": {"kind": "structured", "columns": ["id"]}}}"#,
];

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
    create_dir_all("corpus/predicate")?;
    for (i, text) in PREDICATES.iter().enumerate() {
        write(format!("corpus/predicate/seed-{i}"), text)?;
    }
    create_dir_all("corpus/c_options")?;
    for (i, text) in OPTIONS.iter().enumerate() {
        write(format!("corpus/c_options/seed-{i}"), text)?;
    }
    create_dir_all("corpus/arrow_ipc_file")?;
    for (i, seed) in ipc::seeds().into_iter().chain(random_ipc_files()).enumerate() {
        write(format!("corpus/arrow_ipc_file/seed-{i}"), seed)?;
    }
    // feature_lists { feature_list { key: "t" value { feature { int64_list { value: 7 } } feature {} } } }
    let steps = b"\x12\x10\x0a\x0e\x0a\x01t\x12\x09\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x00";
    write("corpus/sequence_example_message/seed-steps", steps)
}

/// Arrow IPC files and streams with columns of random types.
fn random_ipc_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..4096).map(|_| random.below(256) as u8).collect();
        // Too few bytes do not make a case.
        let _ = structs::case(&mut Unstructured::new(&bytes), |batch| {
            let (kind, codec) = (*random.pick(&ipc::KINDS), *random.pick(&ipc::CODECS));
            // The crate arrow-ipc panics for some batches.
            let written = catch_unwind(AssertUnwindSafe(|| {
                ipc::write(kind, &ipc::cut(&batch, batch.num_rows().max(2) / 2), ipc::packed(codec))
            }));
            files.extend(written);
        });
    }
    files
}
