"""Shows that the random tests find defects with the number of cases of `make test`.

Each file of `tests/mutants` seeds one defect. Its header names a package and random tests. The tool applies
the patch to a copy of the working tree and runs the tests there several times. It fails if a run does not
find the defect. The time is that of the test program up to its first failed test, which includes the search
for a smaller case.

    python tools/mutants.py [--runs N] [NAME ...]
"""

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from cargo_packages import WITHOUT_DATAFUSION
from repository import ROOT

PATCHES = ROOT / "tests" / "mutants"
COPY = ROOT / "target" / "mutants" / "tree"
BUILDS = ROOT / "target" / "mutants" / "target"
FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$")
EMPTY = b"//! No tests.\n"
"""The program of tests of a package whose tests are not run. Its manifest may name the file."""

UNSET = ("ARROWFEED_CASES", "ARROWFEED_MUTANTS", "ARROWFEED_SEED")

# The copy has its own folder of builds: cargo gives its crates the names that those of the working tree have.
# Git must not treat the copy as a part of this repository.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET} | {
    "CARGO_TARGET_DIR": str(BUILDS),
    "GIT_CEILING_DIRECTORIES": str(COPY.parent),
}


def copy_builds() -> None:
    """Starts with the dependencies that were compiled for the working tree. Their builds fit any path."""
    builds = ROOT / "target" / "debug"
    if builds.is_dir() and not BUILDS.is_dir():
        programs = {path.name for path in (builds / "deps").glob("*") if "." not in path.name}
        left_out = programs | {"examples", "incremental"}
        shutil.copytree(builds, BUILDS / "debug", ignore=lambda _, names: left_out.intersection(names))


def copy_tree(package: str) -> None:
    """Writes the files that differ from the copy. Only the test program of `package` has its tests."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
    mains = {name for name in names if name.match("crates/*/tests/it/main.rs")}
    for old in [path for path in COPY.rglob("*") if not path.is_dir()]:
        if old.relative_to(COPY) not in names:
            old.unlink()
    for name in names:
        is_left_out = name in mains and name.parts[1] != package
        content, to = EMPTY if is_left_out else (ROOT / name).read_bytes(), COPY / name
        if not to.is_file() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            shutil.copymode(ROOT / name, to)


def build(package: str) -> Path:
    """The test program. It has the features of `make test`: cargo would compile dependencies for others."""
    command = ["cargo", "test", *WITHOUT_DATAFUSION, "--test", "it", "--no-run"]
    command += ["--message-format", "json"]
    done = subprocess.run(command, cwd=COPY, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{package}: expected code that compiles")
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    manifest = str(COPY / "crates" / package / "Cargo.toml")
    programs = [it.get("executable") for it in messages if it.get("manifest_path") == manifest]
    programs = [program for program in programs if program]
    if len(programs) != 1:
        sys.exit(f"{package}: expected one test program, found {len(programs)}")
    return Path(programs[0])


def run(program: Path, package: str, tests: list[str]) -> tuple[str | None, float]:
    """The first test that fails, if there is one, and the time until then, or of all tests."""
    start, folder, command = time.monotonic(), COPY / "crates" / package, [program, *tests]
    out, err = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=out, stderr=err, text=True) as process:
        for line in process.stdout or []:
            if line.startswith("running 0 tests"):
                sys.exit(f"{package}: expected tests named {', '.join(tests)}, found none")
            if failed := FAILED.match(line):
                seconds = time.monotonic() - start
                process.kill()
                return failed[1], seconds
    seconds = time.monotonic() - start
    return (None if process.returncode == 0 else f"exit code {process.returncode}"), seconds


def package_of(patch: Path) -> str:
    """The package in the header of a patch."""
    return field(patch, "Package")


def field(patch: Path, name: str) -> str:
    """A field of the header of a patch."""
    found = re.search(rf"^{name}: (.+)$", patch.read_text("utf-8"), re.MULTILINE)
    if found is None:
        sys.exit(f"{patch.name}: expected a line that begins with {name}:")
    return found[1]


def check(package: str, patches: list[Path], runs: int) -> list[str]:
    """Runs the tests without a defect, then with each. Returns the defects that a run did not find."""
    copy_tree(package)
    tests = sorted({test for patch in patches for test in field(patch, "Tests").split()})
    failed, seconds = run(build(package), package, tests)
    print(f"{package:24} {seconds:6.1f} s  {failed or 'no test'} fails without a defect", flush=True)
    if failed:
        sys.exit("expected tests that pass without a defect")
    missed = []
    for patch in patches:
        copy_tree(package)
        subprocess.run(["git", "apply", str(patch)], cwd=COPY, env=ENVIRONMENT, check=True)
        program = build(package)
        for _ in range(runs):
            failed, seconds = run(program, package, field(patch, "Tests").split())
            result = f"found by {failed}" if failed else "NOT FOUND"
            print(f"{patch.stem:24} {seconds:6.1f} s  {result}", flush=True)
            if not failed:
                missed.append(patch.stem)
    return missed


def main() -> None:
    """Runs the command line."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    runs = "runs for each defect, each with other cases"
    parser.add_argument("--runs", type=int, default=3, metavar="N", help=runs)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these defects")
    options = parser.parse_args()
    patches = sorted(PATCHES.glob("*.patch"))
    if unknown := set(options.names) - {patch.stem for patch in patches}:
        sys.exit(f"expected names of files in tests/mutants, found {', '.join(sorted(unknown))}")
    patches = [patch for patch in patches if not options.names or patch.stem in options.names]
    copy_builds()
    missed = []
    for package, own in itertools.groupby(sorted(patches, key=package_of), key=package_of):
        missed += check(package, list(own), options.runs)
    if missed:
        sys.exit(f"expected every run to find each defect; not found: {', '.join(missed)}")


if __name__ == "__main__":
    main()
