//! Refuses interpreters that the bindings do not support, sets `unoptimised` in builds without optimisation, and links the
//! unwinder of the system.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const UNWINDER: &str = "libgcc_s.so.1";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if pyo3_build_config::get().is_free_threaded() {
        println!(
            "cargo::error=expected CPython with the GIL, found a free-threaded build of CPython, which arrowfeed does \
             not support yet; install arrowfeed for the standard build, such as python3.14 instead of python3.14t"
        );
    }
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    if env::var("OPT_LEVEL").as_deref() == Ok("0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu") && env::var("HOST") == env::var("TARGET") {
        link_unwinder();
    }
}

/// Links the shared unwinder instead of the static one of zig.
///
/// CPython ends a daemon thread by unwinding its frames with the unwinder of the system. A second unwinder in the module
/// cannot continue that, and the process would crash. The file is copied, because its folder also has the libraries of
/// a newer glibc than that of the wheel.
fn link_unwinder() {
    let Ok(found) = Command::new("cc").arg(format!("-print-file-name={UNWINDER}")).output() else { return };
    let path = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    let Some(folder) = env::var_os("OUT_DIR") else { return };
    if Path::new(&path).is_absolute() && fs::copy(&path, Path::new(&folder).join(UNWINDER)).is_ok() {
        println!("cargo:rustc-link-search=native={}", Path::new(&folder).display());
        println!("cargo:rustc-link-lib=dylib:+verbatim={UNWINDER}");
    }
}
