//! Fuzzes the target that the environment variable `FUZZ_TARGET` names. One program has all targets, so that the sanitized code
//! is linked once. The arguments are those of libFuzzer.

#![no_main]
#![expect(clippy::disallowed_types, reason = "the fuzzer does not fork")]

use std::process::exit;
use std::sync::OnceLock;

use arrowfeed_fuzz::{Target, hide_panics_of_dependencies};
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<&Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let target = Target::named(&name).unwrap_or_else(|message| {
            eprintln!("FUZZ_TARGET: {message}");
            exit(2)
        });
        if target.name == "arrow_ipc_file" {
            hide_panics_of_dependencies();
        }
        TARGET.get_or_init(|| target);
    },
    |bytes: &[u8]| (TARGET.get().expect("a target, set before the first input").run)(bytes)
);
