//! Keeps functions of dependencies out of the shared library's symbols: the crate crc-fast exports some for C, by names that another
//! library of a process may have too.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // GNU ld, gold and lld have the option. The linker of macOS does not.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
