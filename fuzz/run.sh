#!/bin/sh
# Builds the fuzz targets with coverage and AddressSanitizer on stable Rust, and runs one of them for some seconds:
# ./run.sh read_file 60
# The third argument is the folder for new inputs. Default: target/corpus/TARGET.
# ./run.sh read_file FILE [FLAG ...] runs the target for this input, with flags of libFuzzer.
# Without arguments, it only builds.
set -eu
cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
# These are the flags of cargo-fuzz. They need a nightly compiler or RUSTC_BOOTSTRAP.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=address -Ccodegen-units=1 --cfg fuzzing -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --package arrowfeed-fuzz --features link --profile fuzz --target-dir target --target "$host" --bins
[ $# -gt 0 ] || exit 0
# libdeflate defines the same constants in several of its files.
export ASAN_OPTIONS=detect_odr_violation=0
export FUZZ_TARGET="$1"
programs=target/$host/fuzz
if [ -f "${2:-}" ]; then
    shift
    exec "$programs/fuzz" "$@"
fi
seconds=${2:-60}
found=${3:-target/corpus/$FUZZ_TARGET}
"$programs/write_seeds" "$FUZZ_TARGET" "target/seeds/$FUZZ_TARGET"
mkdir -p "$found" "artifacts/$FUZZ_TARGET"
# libFuzzer reads all folders, and writes to the first one.
exec "$programs/fuzz" "$found" "corpus/$FUZZ_TARGET" "target/seeds/$FUZZ_TARGET" \
    -artifact_prefix="artifacts/$FUZZ_TARGET/" \
    -max_total_time="$seconds" -max_len=65536 -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=300 \
    -print_final_stats=1
