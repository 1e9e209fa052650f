//! The fuzz targets: code that reads untrusted bytes, each with a property that every input must satisfy.
//!
//! The program `fuzz` searches for inputs that break a property, and `tests/replay.rs` checks the committed corpus.

mod avro;
mod files;
mod input;

// Helpers of the tests of the crates: hostile files, random structs, and a plain parser.
#[path = "../../crates/arrowfeed-avro/tests/it/support_hostile/mod.rs"]
mod hostile;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../crates/arrowfeed-ipc/tests/it/support.rs"]
mod ipc;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../crates/arrowfeed-tfrecord/tests/it/messages/oracle.rs"]
mod oracle;
#[path = "../../crates/arrowfeed-ffi/tests/it/structs/mod.rs"]
mod structs;

mod targets {
    pub(crate) mod arrow_c_data;
    pub(crate) mod arrow_ipc_file;
    pub(crate) mod c_options;
    pub(crate) mod csv_file;
    pub(crate) mod dlpack_import;
    pub(crate) mod example_message;
    pub(crate) mod json_grammar;
    pub(crate) mod json_lines_file;
    pub(crate) mod predicate;
    pub(crate) mod read_file;
    pub(crate) mod read_structured;
    pub(crate) mod schema_json;
    pub(crate) mod sequence_example_message;
    pub(crate) mod skip_vs_decode;
    pub(crate) mod tfrecord_file;
}

use targets::*;

/// A property of code that reads untrusted bytes.
pub struct Target {
    /// Name of the module and of the folder of the corpus.
    pub name: &'static str,
    /// Checks the property for an input. Panics if the input breaks it.
    pub run: fn(&[u8]),
    /// Makes valid inputs, from which a fuzzer starts.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
#[rustfmt::skip]
pub static TARGETS: [Target; 15] = [
    Target { name: "arrow_c_data", run: arrow_c_data::run, seeds: Vec::new },
    Target { name: "arrow_ipc_file", run: arrow_ipc_file::run, seeds: arrow_ipc_file::seeds },
    Target { name: "c_options", run: c_options::run, seeds: c_options::seeds },
    Target { name: "csv_file", run: csv_file::run, seeds: Vec::new },
    Target { name: "dlpack_import", run: dlpack_import::run, seeds: Vec::new },
    Target { name: "example_message", run: example_message::run, seeds: example_message::seeds },
    Target { name: "json_grammar", run: json_grammar::run, seeds: Vec::new },
    Target { name: "json_lines_file", run: json_lines_file::run, seeds: Vec::new },
    Target { name: "predicate", run: predicate::run, seeds: predicate::seeds },
    Target { name: "read_file", run: read_file::run, seeds: read_file::seeds },
    Target { name: "read_structured", run: read_structured::run, seeds: Vec::new },
    Target { name: "schema_json", run: schema_json::run, seeds: schema_json::seeds },
    Target { name: "sequence_example_message", run: sequence_example_message::run, seeds: sequence_example_message::seeds },
    Target { name: "skip_vs_decode", run: skip_vs_decode::run, seeds: Vec::new },
    Target { name: "tfrecord_file", run: tfrecord_file::run, seeds: Vec::new },
];

impl Target {
    /// The target with a name, or an error with the names of all targets.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("expected one of {}, found \"{name}\"", names.join(", "))
        })
    }
}

/// Hides panics of dependencies, which arrowfeed converts to errors: the panic hook of libFuzzer would end the process.
pub fn hide_panics_of_dependencies() {
    ipc::hide_panics_of_dependencies();
}
