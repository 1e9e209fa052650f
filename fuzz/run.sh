#!/bin/sh
# Builds a fuzz target with coverage and AddressSanitizer on stable Rust, and runs it for some seconds:
# ./run.sh read_file 60
# Without arguments, it builds all targets. The third argument is the corpus. Default: corpus/TARGET, which starts with small
# valid files and grows.
set -eu
cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
# These are the flags of cargo-fuzz. They need a nightly compiler or RUSTC_BOOTSTRAP.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=address -Ccodegen-units=1 --cfg fuzzing -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
if [ $# -eq 0 ]; then
    exec cargo build --package arrowfeed-fuzz --profile fuzz --target-dir target --target "$host" --bins
fi
# libdeflate defines the same constants in several of its files.
export ASAN_OPTIONS=detect_odr_violation=0
target=$1
seconds=${2:-60}
corpus=${3:-corpus/$target}
cargo build --package arrowfeed-fuzz --profile fuzz --target-dir target --target "$host" --bin "$target" --bin write_seeds
[ -d "corpus/$target" ] || "target/$host/fuzz/write_seeds"
mkdir -p "$corpus" "artifacts/$target"
exec "target/$host/fuzz/$target" "$corpus" -artifact_prefix="artifacts/$target/" \
    -max_total_time="$seconds" -max_len=65536 -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=300 \
    -print_final_stats=1
