"""Counts the instructions of fixed work under callgrind, and compares them with the committed figures.

A time on a busy machine hides a regression of a few percent. An instruction count does not.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from datasets import SHAPES
from generate import make
from manifest import Manifest

BENCHES = Path(__file__).resolve().parent
FIGURES = BENCHES / "instructions.toml"
TARGET = BENCHES.parent / "target"
PROGRAMS = {
    "release": TARGET / "release/bench-instructions",
    "dev": TARGET / "debug/bench-instructions",
}
"""The program of each profile."""
ROWS = 10_000
TOLERANCES = {"release": 0.02, "dev": 0.05}
"""Fraction of the committed figure by which a count may exceed it.

With the profile `dev`, the compiler inlines only within the parts of a crate, and divides a changed crate
into other parts.
"""
FILES = [dataset.name for dataset in SHAPES]
WORKS = [f"{kind} {file}" for kind in ("decode", "project", "write") for file in FILES]
DATASETS = ("tensors", "dataset", "shuffle", "global", "global_shuffle")
WORKS += [f"{kind} {file}" for kind in DATASETS for file in ("linkedin", "strings")]
WORKS += [f"{kind} {file}" for kind in ("csv", "json_lines", "examples") for file in ("wide_flat", "strings")]
WORKS += [f"ipc {file}" for file in ("linkedin", "strings")]
WORKS += ["filter_1 linkedin", "filter_100 linkedin"]


def count(work: str, program: Path, folder: Path) -> int:
    """The number of instructions of one kind of work."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*counted_work*"]
    command += ["--callgrind-out-file=/dev/null", str(program), work, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"{work}: expected a count, found exit code {done.returncode}:\n{done.stderr}")
    return int(collected[1])


def compiler() -> str:
    """The version of the compiler, on which the counts depend."""
    done = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


def update(counts: dict[str, int], profile: str) -> None:
    """Writes the figures of a profile, and keeps those of the other one."""
    figures = tomllib.loads(FIGURES.read_text()) | {profile: {"rustc": compiler(), "instructions": counts}}
    lines = ["# Instructions of the works of instructions.py, counted by `make bench-instructions-update`."]
    for name in PROGRAMS:
        lines += ["", f"[{name}]", f'rustc = "{figures[name]["rustc"]}"', "", f"[{name}.instructions]"]
        lines += [f'"{work}" = {found:_}' for work, found in figures[name]["instructions"].items()]
    FIGURES.write_text("\n".join(lines) + "\n")


def compare(counts: dict[str, int], profile: str) -> int:
    """Prints a table, and returns 1 if a count exceeds its figure by more than the tolerance."""
    figures = tomllib.loads(FIGURES.read_text())[profile]
    tolerance = TOLERANCES[profile]
    expected: dict[str, int] = figures["instructions"]
    print("| work | committed | found | change |\n| --- | --- | --- | --- |")
    for work, found in counts.items():
        print(f"| {work} | {expected[work]:,} | {found:,} | {found / expected[work] - 1:+.2%} |")
    slower = [work for work, found in counts.items() if found > expected[work] * (1 + tolerance)]
    if not slower:
        return 0
    print(f"more than {tolerance:.0%} above the committed figure: {', '.join(slower)}", file=sys.stderr)
    if compiler() != figures["rustc"]:
        print(f"SKIPPED: the figures are of rustc {figures['rustc']}, this is {compiler()}", file=sys.stderr)
        return 0
    return 1


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the files")
    parser.add_argument("--profile", choices=[*PROGRAMS], default="release", help="default: release")
    parser.add_argument("--update", action="store_true", help="write the figures, compare nothing")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("SKIPPED make bench-instructions: expected valgrind on the PATH", file=sys.stderr)
        return 0
    options.data.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(options.data)
    for dataset in SHAPES:
        make(dataset, ROWS, ("null",), manifest)
    counts = {work: count(work, PROGRAMS[options.profile], options.data) for work in WORKS}
    if options.update:
        update(counts, options.profile)
        return 0
    return compare(counts, options.profile)


if __name__ == "__main__":
    sys.exit(main())
