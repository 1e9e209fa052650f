"""Shows that the random tests find defects with the number of cases of `make test`.

Each file of `tests/mutants` seeds one defect. Its header names a package and random tests. The tool applies the patch to
a copy of the working tree, runs the tests there several times, and fails if a run does not find the defect. The time is
that of the test program up to its first failed test, which includes the search for a smaller case.

    python tools/mutants.py [--runs N] [NAME ...]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from repository import ROOT

PATCHES = ROOT / "tests" / "mutants"
COPY = ROOT / "target" / "mutants"
FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$")
UNSET = ("ARROWFEED_CASES", "ARROWFEED_MUTANTS", "ARROWFEED_SEED")

# Cargo compiles for the copy only what depends on a path: the crates of this repository. Git must not take the copy for a
# part of this repository.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET} | {
    "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")),
    "GIT_CEILING_DIRECTORIES": str(COPY.parent),
}


def copy_tree(package: str) -> None:
    """Writes the files of the working tree that differ from the copy, and only the test program of `package`."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True)
    names = {Path(name) for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()}
    names -= {name for name in names if name.match("crates/*/tests/it/main.rs") and name.parts[1] != package}
    for old in [path for path in COPY.rglob("*") if not path.is_dir()]:
        if old.relative_to(COPY) not in names:
            old.unlink()
    for name in names:
        content, to = (ROOT / name).read_bytes(), COPY / name
        if not to.is_file() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            shutil.copymode(ROOT / name, to)


def build(package: str) -> Path:
    """The test program of a package. The features are those of `make test`, so that dependencies are not compiled again."""
    command = ["cargo", "test", "--workspace", "--test", "it", "--no-run", "--message-format", "json"]
    done = subprocess.run(command, cwd=COPY, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"expected a patch of {package} that compiles")
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    manifest = str(COPY / "crates" / package / "Cargo.toml")
    programs = [
        it["executable"] for it in messages if it.get("manifest_path") == manifest and it.get("executable")
    ]
    if len(programs) != 1:
        sys.exit(f"expected one test program of {package}, found {len(programs)}")
    return Path(programs[0])


def run(program: Path, package: str, tests: list[str]) -> tuple[str | None, float]:
    """The first test that fails, if there is one, and the time until then, or of all tests."""
    start = time.monotonic()
    folder = COPY / "crates" / package
    with subprocess.Popen(
        [program, *tests],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        for line in process.stdout or []:
            if line.startswith("running 0 tests"):
                sys.exit(f"expected tests of {package}, found none named {tests}")
            if failed := FAILED.match(line):
                seconds = time.monotonic() - start
                process.kill()
                return failed[1], seconds
    seconds = time.monotonic() - start
    return (None if process.returncode == 0 else f"the program, with {process.returncode}"), seconds


def header(patch: Path) -> tuple[str, list[str]]:
    """The package of a patch, and the names of its tests."""
    text = patch.read_text("utf-8")
    package, tests = (re.search(rf"^{name}: (.+)$", text, re.MULTILINE) for name in ("Package", "Tests"))
    if package is None or tests is None:
        sys.exit(f"{patch.name}: expected lines that begin with Package: and Tests:")
    return package[1], tests[1].split()


def is_found(patch: Path, runs: int) -> bool:
    """Whether every run of the tests finds the defect. Prints the test that finds it, and the time."""
    package, tests = header(patch)
    copy_tree(package)
    subprocess.run(["git", "apply", str(patch)], cwd=COPY, env=ENVIRONMENT, check=True)
    program = build(package)
    every = True
    for _ in range(runs):
        failed, seconds = run(program, package, tests)
        result = f"found by {failed}" if failed else "NOT FOUND"
        print(f"{patch.stem:24} {seconds:6.1f} s  {result}", flush=True)
        every &= failed is not None
    return every


def main() -> None:
    """Runs the tests without a defect, then with each of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="runs for each defect, with other cases each"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these defects")
    options = parser.parse_args()
    patches = sorted(PATCHES.glob("*.patch"))
    if unknown := set(options.names) - {patch.stem for patch in patches}:
        sys.exit(
            f"expected names of files in {PATCHES.relative_to(ROOT)}, found {', '.join(sorted(unknown))}"
        )
    patches = [patch for patch in patches if not options.names or patch.stem in options.names]
    for package in dict.fromkeys(header(patch)[0] for patch in patches):
        copy_tree(package)
        program = build(package)
        tests = sorted(
            {test for patch in patches for test in header(patch)[1] if header(patch)[0] == package}
        )
        failed, seconds = run(program, package, tests)
        print(f"{package:24} {seconds:6.1f} s  without a defect: {failed or 'all tests pass'}", flush=True)
        if failed:
            sys.exit("expected tests that pass without a defect")
    missed = [patch.stem for patch in patches if not is_found(patch, options.runs)]
    if missed:
        sys.exit(f"expected every run to find each defect; not found: {', '.join(missed)}")


if __name__ == "__main__":
    main()
