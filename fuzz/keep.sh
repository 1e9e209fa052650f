#!/bin/sh
# Replaces the committed corpus of a target by a small one that covers the most: ./keep.sh read_file
# It chooses from the committed corpus, the seeds and the inputs that run.sh has found, cut to 1 KiB. Inputs with the name
# `crash-...` stay. Run run.sh before.
set -eu
cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
export ASAN_OPTIONS=detect_odr_violation=0
export FUZZ_TARGET="$1"
kept=target/kept/$1
rm -rf "$kept"
mkdir -p "$kept" "corpus/$1"
# libFuzzer adds first what covers the most.
"target/$host/fuzz/fuzz" -set_cover_merge=1 -max_len=1024 "$kept" "target/corpus/$1" "corpus/$1" "target/seeds/$1"
find "corpus/$1" -type f ! -name "crash-*" -delete
ls -tr "$kept" | head -n 40 | while read -r input; do cp "$kept/$input" "corpus/$1"; done
